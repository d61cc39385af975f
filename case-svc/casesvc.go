// Package casesvc is the face of case-svc.
package casesvc
