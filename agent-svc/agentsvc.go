// Package agentsvc is the face of agent-svc.
package agentsvc
