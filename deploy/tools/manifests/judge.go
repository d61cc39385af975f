package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	apiservice "k8s.io/kubernetes/pkg/api/service"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"        // types and defaults of apps
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install" // of autoscaling
	_ "k8s.io/kubernetes/pkg/apis/batch/install"       // of batch
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"       // of the core
	_ "k8s.io/kubernetes/pkg/apis/networking/install" // of networking
	_ "k8s.io/kubernetes/pkg/apis/policy/install"     // of policy
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/pod-security-admission/admission"
	psaapi "k8s.io/pod-security-admission/api"
	psa "k8s.io/pod-security-admission/policy"
)

// strategies are what the API server does to a new object of each kind: it prepares, validates and warns.
var strategies = map[schema.GroupKind]rest.RESTCreateStrategy{
	{Kind: "ConfigMap"}:      configmap.Strategy,
	{Kind: "Namespace"}:      namespace.Strategy,
	{Kind: "Secret"}:         secret.Strategy,
	{Kind: "Service"}:        service.Strategy,
	{Kind: "ServiceAccount"}: serviceaccount.Strategy,

	{Group: "apps", Kind: "Deployment"}:                     deployment.Strategy,
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}: horizontalpodautoscaler.Strategy,
	{Group: "batch", Kind: "Job"}:                           job.Strategy,
	{Group: "networking.k8s.io", Kind: "Ingress"}:           ingress.Strategy,
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}:     networkpolicy.Strategy,
	{Group: "policy", Kind: "PodDisruptionBudget"}:          poddisruptionbudget.Strategy,
}

// uncovered is said of kinds of Kubernetes that are neither in strategies nor installed.
const uncovered = "no check for this kind: add its strategy to deploy/tools/manifests"

// judge refuses what an API server of Kubernetes 1.34 with the restricted pod security standard would refuse or warn
// of.
type judge struct {
	decoder    runtime.Decoder
	restricted psa.Evaluator
	custom     map[schema.GroupVersionKind]*definition
}

func newJudge(definitions []string) (*judge, error) {
	restricted, err := psa.NewEvaluator(psa.DefaultChecks())
	if err != nil {
		return nil, err
	}
	custom, err := readDefinitions(definitions)
	if err != nil {
		return nil, err
	}
	codecs := serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)

	return &judge{codecs.UniversalDeserializer(), restricted, custom}, nil
}

// object judges one object, given as JSON. known is false, and nothing is judged, for a custom resource without a
// definition.
func (j *judge) object(text []byte) (findings []string, known bool) {
	var kind runtime.TypeMeta
	if err := strictJSON(text, &kind); err != nil {
		return []string{err.Error()}, true
	}
	gvk := kind.GroupVersionKind()
	if d := j.custom[gvk]; d != nil {
		return d.judge(text), true
	}
	if !legacyscheme.Scheme.Recognizes(gvk) {
		for other := range j.custom {
			if other.Group == gvk.Group {
				return []string{
					fmt.Sprintf("the group %s has no %s of version %s", gvk.Group, gvk.Kind, gvk.Version),
				}, true
			}
		}
		if !strings.Contains(gvk.Group, ".") || strings.HasSuffix(gvk.Group, ".k8s.io") {
			// A kind of Kubernetes itself that has no check here: somebody has to write one.
			return []string{uncovered}, true
		}

		return nil, false
	}
	obj, _, err := j.decoder.Decode(text, nil, nil)
	if err != nil {
		if strict, is := runtime.AsStrictDecodingError(err); is {
			for _, e := range strict.Errors() {
				findings = append(findings, e.Error())
			}

			return findings, true
		}

		return []string{err.Error()}, true
	}
	legacyscheme.Scheme.Default(obj)
	findings = j.create(gvk, obj)

	return append(findings, j.podSecurity(obj)...), true
}

// warnings collects what the API server would tell the user beside its answer.
type warnings struct{ list []string }

func (w *warnings) AddWarning(_, text string) { w.list = append(w.list, "warning: "+text) }

// create does to obj what the API server does when it is created.
func (j *judge) create(gvk schema.GroupVersionKind, obj runtime.Object) []string {
	strategy := strategies[gvk.GroupKind()]
	if strategy == nil {
		return []string{uncovered}
	}
	internal, err := legacyscheme.Scheme.ConvertToVersion(obj.DeepCopyObject(), runtime.InternalGroupVersioner)
	if err != nil {
		return []string{err.Error()}
	}
	about, err := meta.Accessor(internal)
	if err != nil {
		return []string{err.Error()}
	}
	rest.FillObjectMetaSystemFields(about)
	var warned warnings
	ctx := warning.WithWarningRecorder(context.Background(), &warned)
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{APIGroup: gvk.Group, APIVersion: gvk.Version})
	if strategy.NamespaceScoped() && about.GetNamespace() == "" {
		return []string{"it is in no namespace"}
	}
	ctx = request.WithNamespace(ctx, about.GetNamespace())
	if s, is := internal.(*core.Service); is && apiservice.NeedsHealthCheck(s) && s.Spec.HealthCheckNodePort == 0 {
		// The API server takes a free port before it validates, so one is given here.
		s.Spec.HealthCheckNodePort = 30000
	}
	if err := rest.BeforeCreate(strategy, ctx, internal); err != nil {
		var refusal *apierrors.StatusError
		if errors.As(err, &refusal) && refusal.ErrStatus.Details != nil && len(refusal.ErrStatus.Details.Causes) > 0 {
			var all []string
			for _, c := range refusal.ErrStatus.Details.Causes {
				all = append(all, c.Field+": "+c.Message)
			}

			return append(all, warned.list...)
		}

		return append([]string{err.Error()}, warned.list...)
	}

	return warned.list
}

// podSecurity holds the pods that obj describes, if any, against the restricted standard.
func (j *judge) podSecurity(obj runtime.Object) []string {
	about, spec, err := admission.DefaultPodSpecExtractor{}.ExtractPodSpec(obj)
	if err != nil || spec == nil {
		return nil // it holds no pods
	}
	level := psaapi.LevelVersion{Level: psaapi.LevelRestricted, Version: psaapi.LatestVersion()}
	if result := psa.AggregateCheckResults(j.restricted.EvaluatePod(level, about, spec)); !result.Allowed {
		return []string{"restricted pod security: " + result.ForbiddenDetail()}
	}

	return nil
}
