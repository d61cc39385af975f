module github.com/subrosa-legal/subrosa/deploy/tools/crds

go 1.26.8

require (
	github.com/cert-manager/cert-manager v1.19.1
	github.com/prometheus-operator/prometheus-operator v0.85.0
	sigs.k8s.io/gateway-api v1.6.0
)

require (
	github.com/alecthomas/kingpin/v2 v2.4.0 // indirect
	github.com/alecthomas/units v0.0.0-20240927000941-0f3dac36c52b // indirect
	github.com/prometheus/common v0.66.1 // indirect
	github.com/xhit/go-str2duration/v2 v2.1.0 // indirect
)
