// Package partysvc will be the face of party-svc: parties by label, partners, invites and the vault. No part of it is in this release.
package partysvc
