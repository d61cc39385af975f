// Package registrysvc is the face of registry-svc.
package registrysvc
