package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mistake is planted by putting planted in the place of was, which file has exactly once; its validator has to answer
// with want.
type mistake struct {
	validator, name    string
	file, was, planted string
	only               string // narrows the validator down, see validator
	want               string
}

// into returns text with the mistake in it.
func (m mistake) into(text string) (string, error) {
	if n := strings.Count(text, m.was); n != 1 {
		return "", fmt.Errorf("%s has %d times %q, where a mistake was to be planted", m.file, n, m.was)
	}
	if m.was == m.planted {
		return "", errors.New("what is planted is what was there")
	}

	return strings.Replace(text, m.was, m.planted, 1), nil
}

// count tells how many mistakes are for a validator.
func count(all []mistake, validator string) (n int) {
	for _, m := range all {
		if m.validator == validator {
			n++
		}
	}

	return n
}

// Where mistakes are planted.
const (
	k8s       = "deploy/k8s/"
	workload  = k8s + "base/workload.yaml"
	gateway   = k8s + "base/gateway.yaml"
	route     = k8s + "components/http-route/route.yaml"
	withRoute = "components/http-route"
	rules     = "deploy/observability/rules/"
	collector = "deploy/compose/collector.yaml"
)

// mistakes are planted for every validator: for the manifests one per kind, for the alerts every threshold and every
// window.
func mistakes() []mistake {
	return slices.Concat(
		manifestMistakes, scoreMistakes, otherMistakes,
		burnMistakes(rules+"objectives.yaml"), causeMistakes(rules+"causes.yaml"),
	)
}

// manifestMistakes are for the API server's own code.
var manifestMistakes = []mistake{
	{
		"manifests", "a misspelt field", gateway, "serviceAccountName: gateway", "serviceAcountName: gateway",
		"base", `unknown field "spec.template.spec.serviceAcountName"`,
	},
	{"manifests", "a word for a number", workload, "replicas: 2", "replicas: two", "base", "Deployment gateway: "},
	{
		"manifests", "a Deployment of other pods", gateway,
		"    metadata:\n      labels:\n        app.kubernetes.io/name: gateway",
		"    metadata:\n      labels:\n        app.kubernetes.io/name: edge", "base",
		"`selector` does not match template `labels`",
	},
	{
		"manifests", "pods without seccomp", workload,
		"        seccompProfile:\n          type: RuntimeDefault\n", "", "base",
		"restricted pod security: seccompProfile",
	},
	{
		"manifests", "two bounds in a PodDisruptionBudget", gateway, "  maxUnavailable: 1\n",
		"  maxUnavailable: 1\n  minAvailable: 1\n", "base", "cannot be both set",
	},
	{
		"manifests", "a Service's port that there is not", gateway, "port: 443", "port: 70000", "base",
		"must be between 1 and 65535",
	},
	{
		"manifests", "an account's word for a truth", gateway, "automountServiceAccountToken: false",
		"automountServiceAccountToken: never", "base", "ServiceAccount gateway: ",
	},
	{
		"manifests", "a label of the Namespace that is none", k8s + "base/namespace.yaml", "warn: restricted",
		`warn: "very restricted"`, "base", "Namespace subrosa: metadata.labels",
	},
	{
		"manifests", "a resource that is not there", k8s + "base/kustomization.yaml", "  - case-svc.yaml",
		"  - cases-svc.yaml", "base", "base: kustomize: ",
	},
	{
		"manifests", "a key of a ConfigMap that is none", k8s + "base/kustomization.yaml",
		"  - name: gateway-settings\n", "  - name: gateway-settings\n    literals: [\"a/b=c\"]\n", "base",
		"a valid config key",
	},
	{
		"manifests", "an autoscaler with more at least than at most", k8s + "components/autoscaler/gateway.yaml",
		"minReplicas: 3", "minReplicas: 30", "components/autoscaler",
		"must be greater than or equal to `minReplicas`",
	},
	{
		"manifests", "a NetworkPolicy for a network that is none", k8s + "components/model/network.yaml",
		"cidr: 0.0.0.0/0", "cidr: 0.0.0.0/33", "components/model", "NetworkPolicy model: ",
	},
	{
		"manifests", "an Ingress of an unknown type of paths", k8s + "components/ingress/ingress.yaml",
		"pathType: Prefix", "pathType: Prefixed", "components/ingress", "spec.rules[0].http.paths[0].pathType",
	},
	{
		"manifests", "an HTTPRoute of an unknown type of paths", route, "type: PathPrefix", "type: Prefix",
		withRoute, "HTTPRoute gateway: spec.rules[0].matches[0].path.type: Unsupported value",
	},
	{
		"manifests", "an HTTPRoute whose backend has longer than the call", route,
		"request: 0s\n        backendRequest: 0s", "request: 1s\n        backendRequest: 2s", withRoute,
		"backendRequest timeout cannot be longer than request timeout",
	},
	{
		"manifests", "an HTTPRoute of a version that is not served", route,
		"apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute",
		"apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: HTTPRoute", withRoute,
		"has no HTTPRoute of version v1alpha2",
	},
	{
		"manifests", "a BackendTLSPolicy of two minds", route, "    hostname: subrosa.example.com\n",
		"    hostname: subrosa.example.com\n    wellKnownCACertificates: System\n", withRoute,
		"BackendTLSPolicy gateway: ",
	},
	{
		"manifests", "a kind that nobody checks", k8s + "components/monitors/network.yaml",
		"apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy",
		"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass", "components/monitors",
		"PriorityClass scrapes: no check for this kind",
	},
	{
		"manifests", "a misspelt field of a TLSRoute", k8s + "components/tls-route/route.yaml", "hostnames:",
		"hosts:", "components/tls-route", `unknown field "spec.hosts"`,
	},
	{
		"manifests", "a time of a PrometheusRule that is none", k8s + "components/alerts/rules.yaml", "for: 20m",
		"for: awhile", "components/alerts", "PrometheusRule subrosa-causes: spec.groups[0].rules[",
	},
	{
		"manifests", "a misspelt field of a PrometheusRule", k8s + "components/alerts/rules.yaml", "for: 20m",
		"fore: 20m", "components/alerts", "PrometheusRule subrosa-causes: ",
	},
	{
		"manifests", "an interval of a PodMonitor that is none", k8s + "components/monitors/podmonitor.yaml",
		"interval: 15s", "interval: often", "components/monitors",
		"PodMonitor subrosa: spec.podMetricsEndpoints[0].interval",
	},
	{
		"manifests", "a Job of the group of Deployments", k8s + "check/kustomization.yaml", "value: batch/v1",
		"value: apps/v1", "check", "Job gateway: no check for this kind",
	},
	{
		"manifests", "a Job whose pods never end", k8s + "check/kustomization.yaml", "restartPolicy: Never",
		"restartPolicy: Always", "check", "Job gateway: spec.template.spec.restartPolicy",
	},
}

// scoreMistakes are what the API server takes and kube-score does not.
var scoreMistakes = []mistake{
	{
		"kube-score", "an image without a tag", gateway, "image: subrosa/gateway:dev", "image: subrosa/gateway",
		"base", "Image with latest tag",
	},
	{
		"kube-score", "a disk without bounds", workload, "              ephemeral-storage: 256Mi\n",
		"              cpu: 1\n", "base", "Ephemeral Storage limit is not set",
	},
	{
		"kube-score", "a root that can be written", workload, "readOnlyRootFilesystem: true",
		"readOnlyRootFilesystem: false", "base", "root filesystem",
	},
	{
		"kube-score", "a Service of no pods", gateway, "  selector:\n    app.kubernetes.io/name: gateway\n",
		"  selector:\n    app.kubernetes.io/name: edge\n", "base", "selector does not match any pods",
	},
	{
		"kube-score", "an autoscaler beside a fixed number", k8s + "components/autoscaler/kustomization.yaml",
		"      - op: remove\n        path: /spec/replicas",
		"      - op: replace\n        path: /spec/replicas\n        value: 4", "components/autoscaler",
		"targeted by a HPA",
	},
}

// otherMistakes are for what watches the service.
var otherMistakes = []mistake{
	{
		"rules", "a query that does not parse", rules + "causes.yaml", `up{job="subrosa"} == 0`,
		`up{job="subrosa" == 0`, "", "could not parse expression",
	},
	{"rules", "a misspelt field", rules + "causes.yaml", "for: 3m", "fore: 3m", "", "field fore not found"},
	{
		"rules", "two alerts that look the same", rules + "objectives.yaml",
		"objective: latency\n          window: 6h", "objective: latency\n          window: 1h", "",
		"duplicate rule(s) found",
	},
	{
		"Prometheus", "a misspelt field", "deploy/compose/prometheus.yaml", "scrape_configs:", "scrape_config:",
		"", "field scrape_config not found",
	},
	{
		"Prometheus", "an interval without a unit", "deploy/compose/prometheus.yaml", "scrape_interval: 15s",
		"scrape_interval: fifteen", "", "not a valid duration",
	},
	{
		"collector", "an exporter that is not there", collector, "exporters: [otlp]", "exporters: [otlp/jaeger]",
		"", `"otlp/jaeger" which is not configured`,
	},
	{
		"collector", "a processor of no known type", collector, "  batch: {}", "  batches: {}", "",
		`unknown type: "batches"`,
	},
	{"collector", "a misspelt field", collector, "limit_mib: 256", "limit_mb: 256", "", "limit_mb"},
	{"collector", "no limit of memory", collector, "    limit_mib: 256\n", "", "", "limit_mib"},
}

// burnMistakes loosen each pair of windows of each objective in two ways; the unit tests have to notice.
func burnMistakes(file string) (all []mistake) {
	for _, o := range []struct{ objective, fast, hours, days string }{
		{"availability", "0.0144", "0.006", "0.001"},
		{"latency", "0.144", "0.06", "0.01"},
		{"streams", "0.0144", "0.006", "0.001"},
		{"registration", "0.144", "0.06", "0.01"},
	} {
		for _, w := range []struct{ long, short, above string }{
			{"1h", "5m", o.fast},
			{"6h", "30m", o.hours},
			{"3d", "6h", o.days},
		} {
			long := fmt.Sprintf("subrosa:%s:errors_%s > %s", o.objective, w.long, w.above)
			short := fmt.Sprintf(" and subrosa:%s:errors_%s > %s", o.objective, w.short, w.above)
			of := "of " + o.objective + " over " + w.long
			all = append(all,
				mistake{
					"rule tests", "five times the threshold " + of, file, long,
					strings.Replace(long, "> ", "> 5 * ", 1), "^" + o.objective + ",", "FAILED",
				},
				mistake{
					"rule tests", "no short window " + of, file, long + short, long, "^" + o.objective + ",",
					"FAILED",
				},
				mistake{
					"rule tests", "no long window " + of, file, long + short, strings.TrimPrefix(short, " and "),
					"^" + o.objective + ",", "FAILED",
				})
		}
	}

	return all
}

// causeMistakes loosen or tighten each alert of a cause; the unit tests have to notice.
func causeMistakes(file string) (all []mistake) {
	for _, m := range []struct{ alert, was, planted string }{
		{"ServiceDown", "for: 3m", "for: 1m"},
		{"ServiceDown", `up{job="subrosa"} == 0`, `up == 0`},
		{"ServiceMissing", `absent(up{job="subrosa",service="agent-svc"})`, `absent(up{service="agent"})`},
		{"ServiceMissing", `absent(up{job="subrosa",service="gateway"})`, `absent(up)`},
		{"CertificateNotRenewed", "< 14 * 86400", "< 21 * 86400"},
		{"CertificateNotRenewed", "< 14 * 86400", "< 7 * 86400"},
		{"CertificateNotRenewed", "< 0.25", "< 0.5"},
		{"CertificateNotRenewed", "< 0.25", "< 0.1"},
		{"CertificateNotRenewed", "for: 1h", "for: 1m"},
		{"CertificateEnds", "< 2 * 86400", "< 3 * 86400"},
		{"CertificateEnds", "< 2 * 86400", "< 1 * 86400"},
		{"CertificateEnds", "< 0.1\n        for: 8m", "< 0.2\n        for: 8m"},
		{"CertificateFilesUnusable", "max by (service, purpose)", "min by (service, purpose)"},
		{"CertificateFilesUnusable", "for: 12m", "for: 1m"},
		{"SpansUnsent", "offset 15m), 0)) > 100", "offset 15m), 0)) > 50"},
		{"SpansUnsent", "offset 15m), 0)) > 100", "offset 15m), 0)) > 400"},
		{"SpansUnsent", "min_over_time(subrosa_spans_unsent[15m]) -", "max_over_time(subrosa_spans_unsent[15m]) -"},
		{"SpansUnsent", "clamp_min(", "clamp_max("},
		{"SpansUnsent", "for: 20m", "for: 5m"},
		{"InternalErrors", `code="internal"`, `code="intern"`},
		{"InternalErrors", "> 0.01", "> 0.0001"},
		{"DependencyUnavailable", `code="unavailable"}[5m])) > 0.5`, `code="unavailable"}[5m])) > 0.1`},
		{"DependencyUnavailable", `code="unavailable"`, `code="unavailable",service="auth-svc"`},
		{"RedisPoolExhausted", `{db_system="redis"}`, ``},
		{"RedisPoolExhausted", `{db_system="redis"}[5m]`, `{db_system="redis"}[1h]`},
		{"MongoSlow", "0.99,", "0.999,"},
		{"MongoSlow", `db_system_name="mongodb"}[10m]))) > 1`, `db_system_name="mongodb"}[10m]))) > 5`},
		{"BreakerOpens", `state="open"}[5m])) > 0.1`, `state="open"}[5m])) > 0.5`},
		{
			"BreakerOpens", `subrosa_breaker_changes_total{state="open"}`,
			`subrosa_breaker_changes_total{state=~"open|half-open"}`,
		},
		{
			"BreakerOpens", "sum by (service, dependency) (rate(subrosa_breaker",
			"sum by (dependency) (rate(subrosa_breaker",
		},
		{"RunsFail", "count[30m])) > 0.1\n", "count[30m])) > 0.5\n"},
		{
			"RunsFail", `rate(subrosa_run_duration_seconds_count{status="failed"}`,
			`rate(subrosa_run_duration_seconds_count{status=~"failed|cancelled"}`,
		},
		{"RunsFail", `status="failed"}[30m])) > 2.5`, `status="failed"}[30m])) > 0`},
		{"RunsInterrupted", `became="lost"}[30m])) > 2.5`, `became="lost"}[30m])) > 0`},
		{"RunsInterrupted", `became="failed"}[30m])) > 0.5`, `became="failed"}[30m])) > 50`},
		{"StreamsNearLimit", "> 1600", "> 1500"},
		{"StreamsNearLimit", "> 1600", "> 1800"},
		{"ReadersCutOff", "> 0.2", "> 0.3"},
		{"ReadersCutOff", "> 0.2", "> 0.1"},
		{"KeysRefused", `service="auth-svc",code="invalid_api_key"`, `code="invalid_api_key"`},
		{"KeysRefused", `code="invalid_api_key"}[10m])) > 1`, `code="invalid_api_key"}[10m])) > 0.1`},
		{"CodesRefused", `,http_route=~"/v1/agents/register|/oauth/token|/v1/auth/token"`, ``},
		{"CodesRefused", `or vector(0)) > 1`, `or vector(0)) > 0.1`},
		{"RevokedCredentialsUsed", `decision="revoked"`, `decision=~"revoked|forbidden"`},
		{"RevokedCredentialsUsed", "> 0.1\n        for: 15m", "> 0.1\n        for: 1m"},
	} {
		all = append(all, mistake{"rule tests", m.alert + " by " + m.planted, file, m.was, m.planted, "^" + m.alert + ": ", "FAILED"})
	}

	return all
}
