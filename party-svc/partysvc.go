// Package partysvc is the face of party-svc.
package partysvc
