// Package gateway is the face of gateway.
package gateway
