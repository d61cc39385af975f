//go:build !race

package ferret

const raceDetector = false
