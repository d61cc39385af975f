// Package k8s_test builds the manifests as kustomize does and holds them against the Kubernetes types, the settings of the services and
// the architecture. No cluster is needed, and none is replaced: what a cluster does with them is not tested here.
package k8s_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	agentsvc "github.com/subrosa-legal/subrosa/agent-svc"
	authsvc "github.com/subrosa-legal/subrosa/auth-svc"
	casesvc "github.com/subrosa-legal/subrosa/case-svc"
	"github.com/subrosa-legal/subrosa/gateway"
	partysvc "github.com/subrosa-legal/subrosa/party-svc"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	registrysvc "github.com/subrosa-legal/subrosa/registry-svc"
)

// described is a service with the prefix of its variables and the name of the port of its routes.
type described struct {
	launch.Entry
	prefix, port string
}

// services are the six.
var services = []described{
	{gateway.Entry(), "GATEWAY", "https"},
	{registrysvc.Entry(), "REGISTRY", "http"},
	{authsvc.Entry(), "AUTH", "http"},
	{agentsvc.Entry(), "AGENT", "http"},
	{casesvc.Entry(), "CASE", "http"},
	{partysvc.Entry(), "PARTY", "http"},
}

// manifests are the objects of one build, by name within their kind.
type manifests struct {
	deployments map[string]*appsv1.Deployment
	services    map[string]*corev1.Service
	accounts    map[string]*corev1.ServiceAccount
	settings    map[string]*corev1.ConfigMap
	budgets     map[string]*policyv1.PodDisruptionBudget
	scalers     map[string]*autoscalingv2.HorizontalPodAutoscaler
	policies    map[string]*networkingv1.NetworkPolicy
	namespaces  map[string]*corev1.Namespace

	certificates map[string]*certificate
	hosts        map[string][]string // host names of routes, by the route
	kinds        map[string]int
}

// podMonitor is the part of the operator's resource that the manifests use; a field that is not here is a mistake.
type podMonitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Selector metav1.LabelSelector `json:"selector"`
		Ends     []struct {
			Port        string `json:"port"`
			Path        string `json:"path"`
			Interval    string `json:"interval"`
			Relabelings []struct {
				SourceLabels []string `json:"sourceLabels"`
				TargetLabel  string   `json:"targetLabel"`
				Replacement  string   `json:"replacement"`
			} `json:"relabelings"`
		} `json:"podMetricsEndpoints"`
	} `json:"spec"`
}

// prometheusRule is the same of the operator's rules; deploy/observability compares what they say with its source.
type prometheusRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Groups []any `json:"groups"`
	} `json:"spec"`
}

// issuer and certificate are the parts of cert-manager's resources that the manifests use.
type issuer struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		SelfSigned *struct{} `json:"selfSigned"`
		CA         *struct {
			SecretName string `json:"secretName"`
		} `json:"ca"`
	} `json:"spec"`
}

type certificate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		SecretName  string          `json:"secretName"`
		IsCA        bool            `json:"isCA"`
		CommonName  string          `json:"commonName"`
		DNSNames    []string        `json:"dnsNames"`
		Duration    metav1.Duration `json:"duration"`
		RenewBefore metav1.Duration `json:"renewBefore"`
		PrivateKey  struct {
			Algorithm      string `json:"algorithm"`
			Size           int    `json:"size"`
			RotationPolicy string `json:"rotationPolicy"`
		} `json:"privateKey"`
		Usages    []string `json:"usages"`
		IssuerRef struct {
			Name string `json:"name"`
			Kind string `json:"kind"`
		} `json:"issuerRef"`
	} `json:"spec"`
}

// build renders the kustomization in dir and decodes every object into its type; a field that the type does not have is an error.
func build(t *testing.T, dir string) *manifests {
	t.Helper()
	return read(t, rendered(t, dir, func() string { return dir }))
}

// object is one of the manifests as kustomize writes it.
type object struct {
	kind, name, namespace string
	text                  []byte
}

// builds are what kustomize made of each folder, by what is built. It takes its time, and every test builds the same
// few; each reads manifests of its own from them, which it may change.
var builds struct {
	sync.Mutex
	of map[string][]object
}

// rendered returns the objects of a build. folder names where it is built, when that was not done yet.
func rendered(t *testing.T, what string, folder func() string) []object {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	if known := builds.of[what]; known != nil {
		return known
	}
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder())
	if err != nil {
		t.Fatalf("kustomize %s: %v", what, err)
	}
	var all []object

	for _, r := range made.Resources() {
		text, err := r.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		kind := r.GetApiVersion() + " " + r.GetKind()
		all = append(all, object{kind: kind, name: r.GetName(), namespace: r.GetNamespace(), text: text})
	}
	if builds.of == nil {
		builds.of = map[string][]object{}
	}
	builds.of[what] = all

	return all
}

func read(t *testing.T, objects []object) *manifests {
	t.Helper()
	m := &manifests{
		deployments:  map[string]*appsv1.Deployment{},
		services:     map[string]*corev1.Service{},
		accounts:     map[string]*corev1.ServiceAccount{},
		settings:     map[string]*corev1.ConfigMap{},
		budgets:      map[string]*policyv1.PodDisruptionBudget{},
		scalers:      map[string]*autoscalingv2.HorizontalPodAutoscaler{},
		policies:     map[string]*networkingv1.NetworkPolicy{},
		namespaces:   map[string]*corev1.Namespace{},
		certificates: map[string]*certificate{},
		hosts:        map[string][]string{},
		kinds:        map[string]int{},
	}

	for _, o := range objects {
		if err := m.add(o.kind, o.name, o.text); err != nil {
			t.Errorf("%s %s: %v", o.kind, o.name, err)
		}
		if o.namespace != "subrosa" && o.kind != "v1 Namespace" {
			t.Errorf("%s %s is in the namespace %q", o.kind, o.name, o.namespace)
		}
	}

	return m
}

func (m *manifests) add(kind, name string, text []byte) error {
	m.kinds[kind]++
	switch kind {
	case "apps/v1 Deployment":
		return keep(m.deployments, name, text)
	case "v1 Service":
		return keep(m.services, name, text)
	case "v1 ServiceAccount":
		return keep(m.accounts, name, text)
	case "v1 ConfigMap":
		return keep(m.settings, name, text)
	case "v1 Namespace":
		return keep(m.namespaces, name, text)
	case "policy/v1 PodDisruptionBudget":
		return keep(m.budgets, name, text)
	case "autoscaling/v2 HorizontalPodAutoscaler":
		return keep(m.scalers, name, text)
	case "networking.k8s.io/v1 NetworkPolicy":
		return keep(m.policies, name, text)
	case "networking.k8s.io/v1 Ingress":
		route, err := decode[networkingv1.Ingress](text)
		for _, rule := range route.Spec.Rules {
			m.hosts[kind] = append(m.hosts[kind], rule.Host)
		}

		return err
	case "gateway.networking.k8s.io/v1 HTTPRoute":
		route, err := decode[gatewayv1.HTTPRoute](text)
		for _, h := range route.Spec.Hostnames {
			m.hosts[kind] = append(m.hosts[kind], string(h))
		}

		return err
	case "gateway.networking.k8s.io/v1 TLSRoute":
		route, err := decode[gatewayv1.TLSRoute](text)
		for _, h := range route.Spec.Hostnames {
			m.hosts[kind] = append(m.hosts[kind], string(h))
		}

		return err
	case "gateway.networking.k8s.io/v1 BackendTLSPolicy":
		policy, err := decode[gatewayv1.BackendTLSPolicy](text)
		m.hosts[kind] = append(m.hosts[kind], string(policy.Spec.Validation.Hostname))

		return err
	case "cert-manager.io/v1 Issuer":
		_, err := decode[issuer](text)
		return err
	case "cert-manager.io/v1 Certificate":
		return keep(m.certificates, name, text)
	case "monitoring.coreos.com/v1 PodMonitor":
		_, err := decode[podMonitor](text)
		return err
	case "monitoring.coreos.com/v1 PrometheusRule":
		_, err := decode[prometheusRule](text)
		return err
	}

	return fmt.Errorf("no manifest of this kind is expected")
}

func keep[T any](in map[string]*T, name string, text []byte) error {
	v, err := decode[T](text)
	in[name] = v

	return err
}

// decode reads text into a T as the API server does with strict validation of fields: unknown and repeated ones are errors.
func decode[T any](text []byte) (*T, error) {
	v := new(T)
	strict, err := kjson.UnmarshalStrict(text, v)
	if err == nil && len(strict) > 0 {
		err = strict[0]
	}

	return v, err
}

// with builds the base with components on top.
func with(t *testing.T, components ...string) *manifests {
	t.Helper()
	what := "base with " + strings.Join(components, ", ")

	return read(t, rendered(t, what, func() string { return overlaid(t, components) }))
}

// overlaid writes a folder of the base with components on top, and returns its path.
func overlaid(t *testing.T, components []string) string {
	t.Helper()
	dir := t.TempDir()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	up, err := filepath.Rel(dir, here)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: subrosa\nresources:\n  - %s/base\ncomponents:\n", up)

	for _, c := range components {
		fmt.Fprintf(&text, "  - %s/components/%s\n", up, c)
	}
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}

	return dir
}

// everyBuild runs check on the base, on both overlays, and on the base with each component.
func everyBuild(t *testing.T, check func(*testing.T, *manifests)) {
	t.Helper()

	for _, dir := range []string{"base", "overlays/local", "overlays/production"} {
		t.Run(dir, func(t *testing.T) { check(t, build(t, dir)) })
	}
	components, err := os.ReadDir("components")
	if err != nil || len(components) == 0 {
		t.Fatalf("no components: %v", err)
	}

	for _, c := range components {
		t.Run(c.Name(), func(t *testing.T) { check(t, with(t, c.Name())) })
	}
}

func TestEveryServiceIsThere(t *testing.T) {
	everyBuild(t, func(t *testing.T, m *manifests) {
		for _, s := range services {
			if m.deployments[s.Name] == nil || m.services[s.Name] == nil || m.accounts[s.Name] == nil || m.budgets[s.Name] == nil || m.policies[s.Name] == nil {
				t.Errorf("%s lacks one of Deployment, Service, ServiceAccount, PodDisruptionBudget, NetworkPolicy", s.Name)
			}
		}
		if m.namespaces["subrosa"] == nil || m.namespaces["subrosa"].Labels["pod-security.kubernetes.io/enforce"] != "restricted" {
			t.Error("the namespace does not enforce the restricted standard")
		}
	})
}
