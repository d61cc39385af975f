//go:build race

package testkit

// RaceDetector tells that the test is built with -race. A sweep may then do a part of its work: what it leaves out,
// make test does without the detector.
const RaceDetector = true
