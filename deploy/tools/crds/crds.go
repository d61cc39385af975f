// Package crds pins the modules that carry the definitions of the custom resources of our manifests. Nothing imports
// it: what is used of the modules are files, whose folders subrosa-check-deploy finds in the module cache. The imports
// are small packages of each, which keep the requirements in go.mod.
package crds

import (
	_ "github.com/cert-manager/cert-manager/pkg/util/errors"
	_ "github.com/prometheus-operator/prometheus-operator/pkg/versionutil"
	_ "sigs.k8s.io/gateway-api/pkg/consts"
)
