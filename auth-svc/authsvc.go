// Package authsvc is the face of auth-svc.
package authsvc
