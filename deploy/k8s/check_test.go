package k8s_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// What checks the settings in the cluster is a Job for each service that has what the service has, that no Service finds, and beside which
// nothing is applied that runs.
func TestCheckHasWhatTheServicesHave(t *testing.T) {
	for name, tc := range map[string]struct {
		m     *manifests
		parts string // of the kustomization
	}{
		"production": {build(t, "overlays/production"), "resources: [%[1]s/overlays/production]\ncomponents: [%[1]s/check]\n"},
		"peer-tls":   {with(t, "peer-tls"), "resources: [%[1]s/base]\ncomponents: [%[1]s/components/peer-tls, %[1]s/check]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			m := tc.m
			here, err := os.Getwd()
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			up, err := filepath.Rel(dir, here)
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprintf("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: subrosa\n"+tc.parts, up)
			if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
			if err != nil {
				t.Fatal(err)
			}
			jobs := 0

			for _, r := range rendered.Resources() {
				object, err := r.MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}

				switch r.GetKind() {
				case "ConfigMap", "ServiceAccount":
					continue
				case "Job":
				default:
					t.Errorf("%s %s is applied beside the check", r.GetKind(), r.GetName())
					continue
				}
				job, err := decode[batchv1.Job](object)
				if err != nil {
					t.Errorf("%s: %v", r.GetName(), err)
					continue
				}
				jobs++
				got, want := job.Spec.Template.Spec, *m.deployments[r.GetName()].Spec.Template.Spec.DeepCopy()
				c := &want.Containers[0]
				c.Args, c.StartupProbe, c.ReadinessProbe, c.LivenessProbe, c.Lifecycle = []string{"--check"}, nil, nil, nil, nil
				want.RestartPolicy, want.TopologySpreadConstraints = corev1.RestartPolicyNever, nil
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s is checked with something else than it runs with: %+v, want %+v", r.GetName(), got, want)
				}
				if job.APIVersion != "batch/v1" || job.Spec.Template.Labels["app.kubernetes.io/name"] != "" {
					t.Errorf("%s: %s, labels %v", r.GetName(), job.APIVersion, job.Spec.Template.Labels)
				}
			}
			if jobs != len(services) {
				t.Errorf("%d jobs, want %d", jobs, len(services))
			}
		})
	}
}
