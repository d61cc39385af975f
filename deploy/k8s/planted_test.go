package k8s_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// set gives service the variable name in its ConfigMap.
func (m *manifests) set(service, name, value string) {
	c, _ := m.container(service)
	m.settings[c.EnvFrom[0].ConfigMapRef.Name].Data[name] = value
}

// Every check finds the mistake that is planted for it.
func TestPlantedMistakesAreFound(t *testing.T) {
	arrows := drawn(t)

	pod := func(m *manifests, name string) *corev1.PodSpec { return &m.deployments[name].Spec.Template.Spec }
	for _, tc := range []struct {
		check, name string
		plant       func(*manifests)
		want        string
	}{
		{"settings", "a misspelt variable", func(m *manifests) { m.set("case-svc", "CASE_MAX_FILE_PAGE", "1") }, "CASE_MAX_FILE_PAGE is not a setting"},
		{"settings", "another service's variable", func(m *manifests) { m.set("party-svc", "REDIS_URL_FILE", "x") }, "REDIS_URL_FILE is not a setting"},
		{"settings", "a required one missing", func(m *manifests) { m.set("gateway", "BASE_URL", "") }, "gateway: BASE_URL is required"},
		{"settings", "a secret in the clear", func(m *manifests) { m.set("auth-svc", "OIDC_CLIENT_SECRET", "x") }, "stands in the clear"},
		{"settings", "a password in an address", func(m *manifests) { m.set("agent-svc", "CASE_URL", "http://a:b@case-svc:8084") }, "holds a password"},
		{"settings", "a Secret", func(m *manifests) { m.kinds["v1 Secret"] = 1 }, "a Secret is among"},
		{"settings", "a map that is not there", func(m *manifests) { c, _ := m.container("gateway"); c.EnvFrom[0].ConfigMapRef.Name = "other" }, "what is not there"},
		{"files", "a path that is not mounted", func(m *manifests) { m.set("gateway", "OIDC_CA_FILE", "/ca.pem") }, "nothing is mounted at /ca.pem"},
		{"files", "a secret that nobody asked for", func(m *manifests) {
			pod(m, "gateway").Volumes[0].Secret.Items = append(pod(m, "gateway").Volumes[0].Secret.Items, corev1.KeyToPath{Key: "x", Path: "x"})
		}, "no setting names"},
		{"files", "secrets that can be written", func(m *manifests) { pod(m, "auth-svc").Containers[0].VolumeMounts[0].ReadOnly = false }, "can be written"},
		{"ports", "a port that nobody listens on", func(m *manifests) { m.set("case-svc", "CASE_ADDR", ":9999") }, "is not the one that CASE_ADDR"},
		{"ports", "listening for this host alone", func(m *manifests) { m.set("party-svc", "PARTY_INTERNAL_ADDR", "127.0.0.1:9085") }, "is not the one that PARTY_INTERNAL_ADDR"},
		{"ports", "a probe of the public port", func(m *manifests) {
			pod(m, "gateway").Containers[0].LivenessProbe.HTTPGet.Port = intstr.FromString("https")
		}, "the liveness probe"},
		{"ports", "liveness that needs stores", func(m *manifests) { pod(m, "case-svc").Containers[0].LivenessProbe.HTTPGet.Path = "/readyz" }, "the liveness probe"},
		{"addresses", "a service that is not there", func(m *manifests) { m.set("gateway", "AGENT_URL", "http://agents:8083") }, "AGENT_URL is not the Service"},
		{"addresses", "plain HTTP to a service that speaks TLS", func(m *manifests) { m.set("gateway", "AUTH_URL", "http://auth-svc:8082") }, "AUTH_URL is not the Service"},
		{"peers", "a certificate that callers are refused with", func(m *manifests) { m.certificates["case-svc-peer"].Spec.Usages = []string{"server auth"} }, "case-svc: no certificate"},
		{"peers", "another service's name", func(m *manifests) { m.certificates["auth-svc-peer"].Spec.DNSNames = []string{"auth"} }, "auth-svc: no certificate"},
		{"peers", "a Secret that nobody fills", func(m *manifests) { m.certificates["gateway-peer"].Spec.SecretName = "gateway" }, "gateway: no certificate"},
		{"addresses", "a route for another host", func(m *manifests) { m.hosts["route"] = []string{"other.example.com"} }, "route is for other.example.com"},
		{"images", "no tag", func(m *manifests) { pod(m, "gateway").Containers[0].Image = "registry:5000/subrosa/gateway" }, "is not pinned"},
		{"images", "latest", func(m *manifests) { pod(m, "gateway").Containers[0].Image = "subrosa/gateway:latest" }, "is not pinned"},
		{"selectors", "a budget for nobody", func(m *manifests) {
			m.budgets["case-svc"].Spec.Selector.MatchLabels["app.kubernetes.io/name"] = "cases"
		}, "PodDisruptionBudget case-svc"},
		{"selectors", "a Service for everybody", func(m *manifests) {
			m.services["gateway"].Spec.Selector = map[string]string{"app.kubernetes.io/part-of": "subrosa"}
		}, "Service gateway and the pods of"},
		{"selectors", "an autoscaler of nothing", func(m *manifests) { m.scalers["agent-svc"].Spec.ScaleTargetRef.Name = "agents" }, "scales no Deployment"},
		{"stops", "too little grace", func(m *manifests) { *pod(m, "case-svc").TerminationGracePeriodSeconds = 30 }, "30s of grace"},
		{"stops", "a longer drain", func(m *manifests) { m.set("gateway", "DRAIN_DELAY", "30s") }, "of grace for a stop"},
		{"stops", "streams that end late", func(m *manifests) { m.set("agent-svc", "AGENT_STREAM_STAGGER", "30s") }, "streams end too late"},
		{"stops", "no wait", func(m *manifests) { pod(m, "agent-svc").Containers[0].Lifecycle = nil }, "no wait before the stop"},
		{"rollout", "one away before another is ready", func(m *manifests) {
			m.deployments["auth-svc"].Spec.Strategy.RollingUpdate.MaxUnavailable = new(intstr.FromInt32(1))
		}, "takes a pod away"},
		{"rollout", "side by side", func(m *manifests) { pod(m, "gateway").TopologySpreadConstraints = nil }, "not spread"},
		{"rollout", "a budget of nothing", func(m *manifests) { m.budgets["gateway"].Spec.MaxUnavailable = new(intstr.FromInt32(0)) }, "forbids every drain"},
		{"confinement", "root", func(m *manifests) { *pod(m, "gateway").SecurityContext.RunAsNonRoot = false }, "may run as root"},
		{"confinement", "no seccomp", func(m *manifests) { pod(m, "gateway").SecurityContext.SeccompProfile = nil }, "without seccomp"},
		{"confinement", "a root that can be written", func(m *manifests) { pod(m, "gateway").Containers[0].SecurityContext.ReadOnlyRootFilesystem = nil }, "more rights"},
		{"confinement", "a capability", func(m *manifests) {
			pod(m, "gateway").Containers[0].SecurityContext.Capabilities.Add = []corev1.Capability{"NET_BIND_SERVICE"}
		}, "more rights"},
		{"confinement", "a token of the cluster", func(m *manifests) { m.accounts["gateway"].AutomountServiceAccountToken = nil }, "without a token"},
		{"confinement", "variables of other services", func(m *manifests) { pod(m, "case-svc").EnableServiceLinks = nil }, "which it refuses"},
		{"memory", "no limit", func(m *manifests) { delete(pod(m, "gateway").Containers[0].Resources.Limits, corev1.ResourceMemory) }, "memory limit are missing"},
		{"memory", "a limit of CPU", func(m *manifests) {
			pod(m, "gateway").Containers[0].Resources.Limits[corev1.ResourceCPU] = resource.MustParse("1")
		}, "CPU has a limit"},
		{"memory", "a spool that eats the heap", func(m *manifests) {
			v := pod(m, "case-svc").Volumes
			v[slices.IndexFunc(v, func(v corev1.Volume) bool { return v.EmptyDir != nil })].EmptyDir.SizeLimit = new(resource.MustParse("1Gi"))
		}, "of the memory that is left"},
		{"memory", "a spool that is too small", func(m *manifests) { m.set("case-svc", "CASE_SPOOL_BYTES", "419430400") }, "does not hold"},
		{"disk", "no limit", func(m *manifests) {
			delete(pod(m, "gateway").Containers[0].Resources.Limits, corev1.ResourceEphemeralStorage)
		}, "of its node's disk"},
		{"disk", "less than the log", func(m *manifests) {
			pod(m, "case-svc").Containers[0].Resources.Requests[corev1.ResourceEphemeralStorage] = resource.MustParse("10Mi")
		}, "of its node's disk"},
		{"network", "an arrow that is not drawn", func(m *manifests) {
			m.policies["party-svc"].Spec.Egress[0].To[0].PodSelector.MatchLabels["app.kubernetes.io/name"] = "auth-svc"
		}, "to port 8084 of auth-svc"},
		{"network", "a caller that is not drawn", func(m *manifests) {
			m.policies["auth-svc"].Spec.Ingress[0].From[0].PodSelector.MatchLabels["app.kubernetes.io/name"] = "case-svc"
		}, "case-svc → auth-svc may enter"},
		{"network", "an arrow that is missing", func(m *manifests) { m.policies["agent-svc"].Spec.Egress = nil }, "agent-svc → case-svc cannot leave"},
		{"network", "a store for one more", func(m *manifests) {
			e := &m.policies["mongodb"].Spec.PodSelector.MatchExpressions[0]
			e.Values = append(e.Values, "agent-svc")
		}, "agent-svc → MongoDB may leave"},
		{"network", "anything", func(m *manifests) {
			m.policies["case-svc"].Spec.Egress = append(m.policies["case-svc"].Spec.Egress, networkingv1.NetworkPolicyEgressRule{})
		}, "to anything"},
		{"network", "out to private addresses", func(m *manifests) {
			e := m.policies["registry-svc"].Spec.Egress
			e[len(e)-1].To[0].IPBlock.Except = nil
		}, "stands for no arrow"},
		{"network", "no denial", func(m *manifests) { delete(m.policies, "default-deny") }, "nothing denies"},
		{"network", "a denial of some", func(m *manifests) {
			m.policies["default-deny"].Spec.PodSelector = metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
		}, "nothing denies"},
	} {
		t.Run(tc.check+"/"+tc.name, func(t *testing.T) {
			t.Parallel()
			m := with(t, "autoscaler", "peer-tls")
			tc.plant(m)
			var found []string
			if tc.check == "network" {
				found = arrowsHold(m, arrows)
			} else {
				found = invariants[tc.check](m)
			}
			if !strings.Contains(strings.Join(found, "\n"), tc.want) {
				t.Errorf("found %q, want %q", found, tc.want)
			}
		})
	}
}

func TestUnknownFieldsAreRefused(t *testing.T) {
	m := with(t)
	if err := m.add("v1 Service", "x", []byte(`{"spec":{"selectr":{}}}`)); err == nil {
		t.Error("a misspelt field is taken")
	}
	if err := m.add("batch/v1 Job", "x", []byte(`{}`)); err == nil {
		t.Error("an object of a kind that nobody expects is taken")
	}
}
