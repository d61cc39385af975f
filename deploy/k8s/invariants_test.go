package k8s_test

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// setting returns what service reads for the setting name: the container's variable or the default.
func (m *manifests) setting(service, name string) string {
	environ, _ := m.environ(service)
	if v := environ[name]; v != "" {
		return v
	}

	for _, s := range services {
		if s.Name != service {
			continue
		}

		for _, setting := range s.Settings {
			if setting.Name == name {
				return setting.Default
			}
		}
	}

	return ""
}

// portsAreReal: the container's ports are those that the process listens on, for all addresses, and the probes ask the internal one.
func portsAreReal(m *manifests) (mistakes []string) {
	for _, s := range services {
		c, _ := m.container(s.Name)
		for name, setting := range map[string]string{s.port: s.prefix + "_ADDR", "internal": s.prefix + "_INTERNAL_ADDR"} {
			host, port, err := net.SplitHostPort(m.setting(s.Name, setting))
			i := slices.IndexFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == name })
			if err != nil || host != "" || i < 0 || strconv.Itoa(int(c.Ports[i].ContainerPort)) != port {
				mistakes = append(mistakes, fmt.Sprintf("%s: the port %s is not the one that %s makes it listen on", s.Name, name, setting))
			}
		}

		for kind, probe := range map[string]*corev1.Probe{"startup": c.StartupProbe, "liveness": c.LivenessProbe, "readiness": c.ReadinessProbe} {
			path := "/healthz"
			if kind == "readiness" {
				path = "/readyz"
			}
			if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != path || probe.HTTPGet.Port != intstr.FromString("internal") || probe.HTTPGet.Scheme == "HTTPS" {
				mistakes = append(mistakes, fmt.Sprintf("%s: the %s probe does not ask %s of the internal port", s.Name, kind, path))
			}
		}
		service := m.services[s.Name]
		if len(service.Spec.Ports) != 1 || service.Spec.Ports[0].TargetPort != intstr.FromString(s.port) {
			mistakes = append(mistakes, s.Name+": its Service has another port than that of the routes")
		}
	}

	return mistakes
}

// addressesResolve: the addresses of services that settings name are Services among the manifests, at their ports.
func addressesResolve(m *manifests) (mistakes []string) {
	for _, s := range services {
		environ, _ := m.environ(s.Name)

		for _, other := range services {
			name := other.prefix + "_URL"
			address, given := environ[name]
			if !given {
				continue
			}
			u, err := url.Parse(address)
			scheme := "http"
			if environ["INTERNAL_TLS_CERT_FILE"] != "" {
				scheme = "https"
			}
			if err != nil || u.Scheme != scheme || u.Hostname() != other.Name || m.services[other.Name] == nil || u.Port() != strconv.Itoa(int(m.services[other.Name].Spec.Ports[0].Port)) {
				mistakes = append(mistakes, fmt.Sprintf("%s: %s is not the Service of %s", s.Name, name, other.Name))
			}
		}
		base, err := url.Parse(m.setting(s.Name, "BASE_URL"))
		if err != nil {
			mistakes = append(mistakes, s.Name+": BASE_URL cannot be read")
			continue
		}

		for route, hosts := range m.hosts {
			for _, host := range hosts {
				if host != base.Hostname() {
					mistakes = append(mistakes, fmt.Sprintf("%s: %s is for %s, BASE_URL is %s", s.Name, route, host, base))
				}
			}
		}
	}

	return mistakes
}

// imagesArePinned: an image has a tag that is not "latest", or a digest.
func imagesArePinned(m *manifests) (mistakes []string) {
	for name, d := range m.deployments {
		for _, c := range d.Spec.Template.Spec.Containers {
			_, last, _ := strings.Cut(c.Image[strings.LastIndex(c.Image, "/")+1:], ":")
			if last == "" || last == "latest" {
				mistakes = append(mistakes, fmt.Sprintf("%s: the image %s is not pinned", name, c.Image))
			}
		}
	}

	return mistakes
}

// selectorsFind: whatever selects pods selects those of the Deployment of its own name, and those alone.
func selectorsFind(m *manifests) (mistakes []string) {
	judge := func(kind, name string, selector *metav1.LabelSelector) {
		s, err := metav1.LabelSelectorAsSelector(selector)
		if err != nil || s.Empty() {
			mistakes = append(mistakes, fmt.Sprintf("%s %s selects everything or cannot be read", kind, name))
			return
		}

		for deployed, d := range m.deployments {
			if s.Matches(labels.Set(d.Spec.Template.Labels)) != (deployed == name) {
				mistakes = append(mistakes, fmt.Sprintf("%s %s and the pods of %s: selected wrongly", kind, name, deployed))
			}
		}
	}
	for name, d := range m.deployments {
		judge("Deployment", name, d.Spec.Selector)
	}

	for name, s := range m.services {
		judge("Service", name, &metav1.LabelSelector{MatchLabels: s.Spec.Selector})
	}

	for name, b := range m.budgets {
		judge("PodDisruptionBudget", name, b.Spec.Selector)
	}

	for name, h := range m.scalers {
		d := m.deployments[h.Spec.ScaleTargetRef.Name]
		if d == nil || h.Spec.ScaleTargetRef.Kind != "Deployment" || h.Spec.ScaleTargetRef.Name != name || d.Spec.Replicas != nil {
			mistakes = append(mistakes, fmt.Sprintf("the autoscaler %s scales no Deployment, or one that sets its own number", name))
		}
		if h.Spec.MinReplicas == nil || *h.Spec.MinReplicas < 2 || h.Spec.MaxReplicas <= *h.Spec.MinReplicas {
			mistakes = append(mistakes, fmt.Sprintf("the autoscaler %s leaves fewer than two replicas or no room", name))
		}
	}

	return mistakes
}

// Times that the manifests must leave room for beside those that are settings.
const (
	storesClose    = 5 * time.Second // case-svc gives up what it holds
	telemetryClose = 5 * time.Second // launch sends what is held back
)

// stopsInTime: the grace period holds the wait for endpoints, the draining, the end of streams and of requests, and the release of stores.
func stopsInTime(m *manifests) (mistakes []string) {
	for _, s := range services {
		c, pod := m.container(s.Name)
		drain, err := time.ParseDuration(m.setting(s.Name, "DRAIN_DELAY"))
		if err != nil || c.Lifecycle == nil || c.Lifecycle.PreStop == nil || c.Lifecycle.PreStop.Sleep == nil || pod.TerminationGracePeriodSeconds == nil {
			mistakes = append(mistakes, s.Name+": no wait before the stop, no drain or no grace")
			continue
		}
		wait := time.Duration(c.Lifecycle.PreStop.Sleep.Seconds) * time.Second
		if wait+drain < 5*time.Second {
			mistakes = append(mistakes, s.Name+": stops serving before its endpoint is gone everywhere")
		}
		need := wait + drain + httpx.ShutdownTime + storesClose + telemetryClose
		if grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second; grace < need {
			mistakes = append(mistakes, fmt.Sprintf("%s: %v of grace for a stop that takes up to %v", s.Name, grace, need))
		}
		if stagger := m.setting(s.Name, s.prefix+"_STREAM_STAGGER"); stagger != "" {
			if d, err := time.ParseDuration(stagger); err != nil || d > httpx.ShutdownTime/2 {
				mistakes = append(mistakes, s.Name+": streams end too late to be gone before the rest is cut off")
			}
		}
	}

	return mistakes
}

// rollsWithoutLoss: a new pod is ready before an old one goes, and pods are spread.
func rollsWithoutLoss(m *manifests) (mistakes []string) {
	for _, s := range services {
		d := m.deployments[s.Name]
		r := d.Spec.Strategy.RollingUpdate
		if r == nil || r.MaxUnavailable == nil || r.MaxUnavailable.IntValue() != 0 || r.MaxSurge == nil || r.MaxSurge.IntValue() < 1 {
			mistakes = append(mistakes, s.Name+": an update takes a pod away before another is ready")
		}

		spread := map[string]bool{}
		for _, c := range d.Spec.Template.Spec.TopologySpreadConstraints {
			spread[c.TopologyKey] = c.LabelSelector != nil && m.selects(c.LabelSelector, s.Name) && slices.Contains(c.MatchLabelKeys, "app.kubernetes.io/name")
		}
		if !spread["kubernetes.io/hostname"] || !spread["topology.kubernetes.io/zone"] {
			mistakes = append(mistakes, s.Name+": not spread over nodes and zones")
		}
		if b := m.budgets[s.Name].Spec; b.MaxUnavailable == nil || b.MaxUnavailable.String() == "0" {
			mistakes = append(mistakes, s.Name+": its budget forbids every drain of a node")
		}
	}

	return mistakes
}

// isConfined: the restricted pod security standard, and more: no token, a root that cannot be written, a numbered user.
func isConfined(m *manifests) (mistakes []string) {
	for name, d := range m.deployments {
		pod := d.Spec.Template.Spec
		ps := pod.SecurityContext
		if ps == nil || ps.RunAsNonRoot == nil || !*ps.RunAsNonRoot || ps.RunAsUser == nil || *ps.RunAsUser == 0 || ps.SeccompProfile == nil || ps.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
			mistakes = append(mistakes, name+": may run as root or without seccomp")
		}
		if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken || pod.HostNetwork || pod.HostPID || pod.HostIPC {
			mistakes = append(mistakes, name+": gets a token of the cluster or a namespace of its host")
		}
		if pod.EnableServiceLinks == nil || *pod.EnableServiceLinks {
			mistakes = append(mistakes, name+": gets variables of the cluster's services, which it refuses")
		}
		if len(pod.Containers) != 1 || len(pod.InitContainers) != 0 {
			mistakes = append(mistakes, name+": has not one container")
		}

		for _, c := range pod.Containers {
			sc := c.SecurityContext
			if sc == nil || sc.AllowPrivilegeEscalation == nil || *sc.AllowPrivilegeEscalation || sc.ReadOnlyRootFilesystem == nil || !*sc.ReadOnlyRootFilesystem ||
				sc.Capabilities == nil || !slices.Equal(sc.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(sc.Capabilities.Add) > 0 || sc.Privileged != nil && *sc.Privileged {
				mistakes = append(mistakes, name+": its container has more rights than it needs")
			}
		}

		for _, v := range pod.Volumes {
			if v.HostPath != nil {
				mistakes = append(mistakes, name+": mounts a folder of its host")
			}
		}
	}

	for _, s := range services {
		a := m.accounts[m.deployments[s.Name].Spec.Template.Spec.ServiceAccountName]
		if a == nil || a.Name != s.Name || a.AutomountServiceAccountToken == nil || *a.AutomountServiceAccountToken {
			mistakes = append(mistakes, s.Name+": has no account of its own without a token")
		}
	}

	return mistakes
}

// memoryFits: requests are there, memory is bounded and CPU is not, the Go memory limit and memory-backed volumes fit in, and the spool
// holds what may be on its way, and two files that the service fetches to look at them again.
func memoryFits(m *manifests) (mistakes []string) {
	for _, s := range services {
		c, pod := m.container(s.Name)
		limit, cpuLimit := c.Resources.Limits.Memory().Value(), c.Resources.Limits.Cpu()
		if limit == 0 || !cpuLimit.IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().Value() > limit {
			mistakes = append(mistakes, s.Name+": requests or the memory limit are missing, or CPU has a limit")
			continue
		}
		heap, err := resource.ParseQuantity(strings.TrimSuffix(m.setting(s.Name, "GOMEMLIMIT"), "B"))
		if err != nil {
			mistakes = append(mistakes, s.Name+": no GOMEMLIMIT")
			continue
		}

		for _, v := range pod.Volumes {
			if v.EmptyDir == nil {
				continue
			}
			if v.EmptyDir.Medium != corev1.StorageMediumMemory || v.EmptyDir.SizeLimit == nil {
				mistakes = append(mistakes, s.Name+": scratch that is not in memory or has no bound")
				continue
			}
			limit -= v.EmptyDir.SizeLimit.Value()
		}
		if share := float64(heap.Value()) / float64(limit); share < 0.8 || share > 0.95 {
			mistakes = append(mistakes, fmt.Sprintf("%s: GOMEMLIMIT is %.0f %% of the memory that is left to it", s.Name, share*100))
		}
	}
	spool := m.mounted("case-svc")[m.setting("case-svc", "CASE_SPOOL_DIR")]
	coming, err := strconv.ParseInt(m.setting("case-svc", "CASE_SPOOL_BYTES"), 10, 64)
	file, err2 := strconv.ParseInt(m.setting("case-svc", "CASE_MAX_FILE_BYTES"), 10, 64)
	bounded := spool.EmptyDir != nil && spool.EmptyDir.SizeLimit != nil
	if err != nil || err2 != nil || !bounded || spool.EmptyDir.SizeLimit.Value() < coming+2*file {
		mistakes = append(mistakes, "case-svc: the spool does not hold the files that may be on their way")
	}

	return mistakes
}

// logKept is what the kubelet keeps of a container's log by default: five files of 10 MiB.
const logKept = 50 << 20

// diskIsBounded: nobody fills the disk of a node, and nobody is evicted for the log that the kubelet keeps.
func diskIsBounded(m *manifests) (mistakes []string) {
	for _, s := range services {
		c, _ := m.container(s.Name)
		asked, limit := c.Resources.Requests.StorageEphemeral().Value(), c.Resources.Limits.StorageEphemeral().Value()
		if asked < logKept || limit < 2*logKept || asked > limit {
			mistakes = append(mistakes, fmt.Sprintf("%s: asks for %d and is limited to %d bytes of its node's disk", s.Name, asked, limit))
		}
	}

	return mistakes
}

// invariants are what every build must keep.
var invariants = map[string]func(*manifests) []string{
	"settings": settingsAreReal, "files": filesAreThere, "ports": portsAreReal, "addresses": addressesResolve, "peers": peersAreNamed, "images": imagesArePinned,
	"selectors": selectorsFind, "stops": stopsInTime, "rollout": rollsWithoutLoss, "confinement": isConfined, "memory": memoryFits,
	"disk": diskIsBounded,
}

func TestInvariants(t *testing.T) {
	arrows := drawn(t)
	everyBuild(t, func(t *testing.T, m *manifests) {
		for name, check := range invariants {
			for _, mistake := range check(m) {
				t.Errorf("%s: %s", name, mistake)
			}
		}

		for _, mistake := range arrowsHold(m, arrows) {
			t.Errorf("network: %s", mistake)
		}
	})
}

func TestProductionIsPinnedByDigestAndScaled(t *testing.T) {
	m := build(t, "overlays/production")
	for _, s := range services {
		if c, _ := m.container(s.Name); !strings.Contains(c.Image, "@sha256:") {
			t.Errorf("%s: the image %s has no digest", s.Name, c.Image)
		}
		if m.scalers[s.Name] == nil {
			t.Errorf("%s has no autoscaler", s.Name)
		}
	}
	agents := m.scalers["agent-svc"]
	i := slices.IndexFunc(agents.Spec.Metrics, func(s autoscalingv2.MetricSpec) bool {
		return s.Pods != nil && s.Pods.Metric.Name == "subrosa_streams_active"
	})
	if i < 0 {
		t.Fatal("agent-svc is not scaled by its open streams")
	}
	most, err := strconv.ParseInt(m.setting("agent-svc", "AGENT_STREAMS"), 10, 64)
	if target := agents.Spec.Metrics[i].Pods.Target.AverageValue.Value(); err != nil || target*3 > most*2 {
		t.Errorf("agent-svc scales at %d streams a pod of %d: those of a pod that stops find no room", target, most)
	}
}

// peersAreNamed: where services speak TLS, each has a certificate for the name by which the others call it, good for both ends of a call, in
// the Secret that its pods mount.
func peersAreNamed(m *manifests) (mistakes []string) {
	for _, s := range services {
		environ, _ := m.environ(s.Name)
		file := environ["INTERNAL_TLS_CERT_FILE"]
		if file == "" {
			continue
		}
		volume := m.mounted(s.Name)[file]
		i := slices.IndexFunc(slices.Collect(maps.Values(m.certificates)), func(c *certificate) bool {
			return volume.Secret != nil && c.Spec.SecretName == volume.Secret.SecretName && slices.Contains(c.Spec.DNSNames, s.Name) &&
				slices.Contains(c.Spec.Usages, "server auth") && slices.Contains(c.Spec.Usages, "client auth")
		})
		if i < 0 {
			mistakes = append(mistakes, s.Name+": no certificate for its name and both ends of a call is in the Secret that it mounts")
		}
	}

	return mistakes
}
