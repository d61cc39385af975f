package k8s_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

const (
	outside    = "the world outside"
	redis      = "Redis"
	mongodb    = "MongoDB"
	monitoring = "monitoring"
)

// leaves are the phrases by which the architecture names what lies outside of the cluster.
var leaves = []string{"the identity provider's keys", "the identity provider", "hosts of agent cards", "hosts of applications' documents"}

// drawn reads the arrows of docs/architecture.md: "a → b, c; d → e." with names of services and stores, and phrases for what lies outside.
func drawn(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(testkit.Tree(t, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?s)Arrows of calls: (.*?)\.\n\n`).FindSubmatch(text)
	if found == nil {
		t.Fatal("docs/architecture.md has no arrows of calls")
	}
	arrows := map[string]bool{}

	for part := range strings.SplitSeq(strings.ReplaceAll(string(found[1]), "\n", " "), ";") {
		from, targets, _ := strings.Cut(strings.TrimSpace(part), " → ")
		for to := range strings.SplitSeq(targets, ", ") {
			switch {
			case to == "every service":
				for _, s := range services {
					if s.Name != from {
						arrows[from+" → "+s.Name] = true
					}
				}
			case slices.Contains(leaves, to):
				arrows[from+" → "+outside] = true
			case to == redis || to == mongodb || serviceNamed(to):
				arrows[from+" → "+to] = true
			default:
				t.Fatalf("docs/architecture.md has an arrow to %q, which this test does not know", to)
			}
		}
	}

	return arrows
}

func serviceNamed(name string) bool {
	for _, s := range services {
		if s.Name == name {
			return true
		}
	}

	return false
}

// selects reports whether selector means the pods of service.
func (m *manifests) selects(selector *metav1.LabelSelector, service string) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(m.deployments[service].Spec.Template.Labels))
}

// allowed returns the arrows that the policies let out and those that they let in, and what cannot be read as arrows.
func (m *manifests) allowed() (out, in map[string]bool, mistakes []string) {
	out, in = map[string]bool{}, map[string]bool{}

	for name, p := range m.policies {
		for _, s := range services {
			if !m.selects(&p.Spec.PodSelector, s.Name) {
				continue
			}

			for _, rule := range p.Spec.Egress {
				targets, err := m.targets(rule)
				if err != nil {
					mistakes = append(mistakes, fmt.Sprintf("policy %s lets %s out: %v", name, s.Name, err))
				}

				for _, to := range targets {
					out[s.Name+" → "+to] = true
				}
			}

			for _, rule := range p.Spec.Ingress {
				sources, err := m.sources(rule, s.Name)
				if err != nil {
					mistakes = append(mistakes, fmt.Sprintf("policy %s lets in to %s: %v", name, s.Name, err))
				}

				for _, from := range sources {
					in[from+" → "+s.Name] = true
				}
			}
		}
	}

	return out, in, mistakes
}

func portsOf(ports []networkingv1.NetworkPolicyPort) string {
	var all []string

	for _, p := range ports {
		if p.Port == nil || p.EndPort != nil {
			return "any"
		}
		all = append(all, p.Port.String())
	}

	return strings.Join(all, ",")
}

func inNamespace(peer networkingv1.NetworkPolicyPeer, name string) bool {
	return peer.NamespaceSelector != nil && peer.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"] == name
}

// targets reads a rule for what goes out. What serves names, and the collector of spans, are no arrows of the architecture.
func (m *manifests) targets(rule networkingv1.NetworkPolicyEgressRule) (all []string, err error) {
	if len(rule.To) == 0 || len(rule.Ports) == 0 {
		return nil, fmt.Errorf("to anything")
	}

	ports := portsOf(rule.Ports)
	for _, peer := range rule.To {
		switch {
		case ports == "53,53" && inNamespace(peer, "kube-system"), ports == "4318" && inNamespace(peer, monitoring):
		case ports == "6379":
			all = append(all, redis)
		case ports == "27017":
			all = append(all, mongodb)
		case ports == "443" && peer.IPBlock != nil && (slices.Contains(peer.IPBlock.Except, "10.0.0.0/8") || slices.Contains(peer.IPBlock.Except, "fc00::/7")):
			all = append(all, outside)
		case peer.PodSelector != nil && peer.NamespaceSelector == nil && peer.IPBlock == nil:
			to, err := m.podsAt(peer.PodSelector, ports)
			if err != nil {
				return all, err
			}
			all = append(all, to)
		default:
			return all, fmt.Errorf("to a peer that stands for no arrow, port %s", ports)
		}
	}

	return all, nil
}

// podsAt returns the one service whose pods selector means, whose routes must be at ports.
func (m *manifests) podsAt(selector *metav1.LabelSelector, ports string) (string, error) {
	var found []string

	for _, s := range services {
		c, _ := m.container(s.Name)
		if m.selects(selector, s.Name) {
			found = append(found, s.Name)
			if fmt.Sprint(c.Ports[0].ContainerPort) != ports {
				return "", fmt.Errorf("to port %s of %s, which is not that of its routes", ports, s.Name)
			}
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("to %d services by one selector", len(found))
	}

	return found[0], nil
}

// sources reads a rule for what comes in to service. Who scrapes the metrics is no arrow of the architecture; everybody is one to the gateway.
func (m *manifests) sources(rule networkingv1.NetworkPolicyIngressRule, service string) (all []string, err error) {
	c, _ := m.container(service)
	ports := portsOf(rule.Ports)
	if len(rule.From) == 0 && service == "gateway" && ports == fmt.Sprint(c.Ports[0].ContainerPort) {
		return nil, nil
	}
	if len(rule.From) == 0 {
		return nil, fmt.Errorf("from anywhere, port %s", ports)
	}

	for _, peer := range rule.From {
		if ports == "internal" && inNamespace(peer, monitoring) {
			continue
		}
		if ports != fmt.Sprint(c.Ports[0].ContainerPort) || peer.PodSelector == nil || peer.NamespaceSelector != nil || peer.IPBlock != nil {
			return all, fmt.Errorf("from a peer that stands for no arrow, port %s", ports)
		}

		for _, s := range services {
			if m.selects(peer.PodSelector, s.Name) {
				all = append(all, s.Name)
			}
		}
	}

	return all, nil
}

// arrowsHold: the policies allow the arrows, seen from both ends, and nothing else. The component model adds one to outside for agent-svc.
func arrowsHold(m *manifests, arrows map[string]bool) (mistakes []string) {
	want := maps.Clone(arrows)
	if m.policies["model"] != nil {
		want["agent-svc → "+outside] = true
	}
	out, in, mistakes := m.allowed()

	for arrow := range want {
		_, to, _ := strings.Cut(arrow, " → ")
		if !out[arrow] {
			mistakes = append(mistakes, arrow+" cannot leave")
		}
		if serviceNamed(to) && !in[arrow] {
			mistakes = append(mistakes, arrow+" cannot enter")
		}
	}

	for arrow := range out {
		if !want[arrow] {
			mistakes = append(mistakes, arrow+" may leave, and is not in the architecture")
		}
	}

	for arrow := range in {
		if !want[arrow] {
			mistakes = append(mistakes, arrow+" may enter, and is not in the architecture")
		}
	}
	deny := m.policies["default-deny"]
	if deny == nil || len(deny.Spec.PodSelector.MatchLabels)+len(deny.Spec.PodSelector.MatchExpressions) > 0 || len(deny.Spec.PolicyTypes) != 2 ||
		len(deny.Spec.Ingress)+len(deny.Spec.Egress) > 0 {
		mistakes = append(mistakes, "nothing denies by default")
	}

	return mistakes
}
