# Subrosa. Type make for the list of targets.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

BIN      := $(CURDIR)/.local/bin
SERVICES := gateway registry-svc auth-svc agent-svc case-svc party-svc
MODULES  := pkg gateway registry-svc auth-svc agent-svc case-svc party-svc deploy
GOFILES  := $(addsuffix /...,$(addprefix ./,$(MODULES)))
VALIDATORS := $(addprefix $(BIN)/,manifests kube-score promtool collector)
STORES   := -tags ferretdb_no_postgresql -ldflags "-s -w"
FUZZTIME ?= 10s
export GOFLAGS := $(filter-out -mod=%,$(GOFLAGS))

.PHONY: help run demo test test-replicas bench faults fuzz guard-eval contract-lint mcp-check check build wasm web web-check dist images test-containers check-deploy tidy lint clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: local ## build and run everything on this machine, with embedded stores; Ctrl-C stops it
	@exec $(BIN)/subrosa-local $(RUNFLAGS)

demo: local ## play the whole story against the running local service, or a fresh one
	@$(BIN)/subrosa-demo

# The longest come early, so that the others run beside them; go test prints results in this order, and so nothing while they run.
# make check vets. Tests that run at once wait for one another's services more than they compute. The race detector would have each of a
# hundred programs sleep for a second before it ends.
test: stores ## run all tests with the race detector; says which stores it used and what it had to skip
	@deploy/scripts/what-is-missing
	GORACE=atexit_sleep_ms=100 TEST_STORES_BIN=$(BIN)/subrosa-stores go test -race -vet=off -shuffle=on -parallel 4 -timeout 35m ./pkg/... ./deploy/e2e ./case-svc $(GOFILES)

test-replicas: stores ## run the end-to-end tests with two replicas of every service, each call to the next
	TEST_REPLICAS=2 TEST_STORES_BIN=$(BIN)/subrosa-stores go test -timeout 25m ./deploy/e2e

check: ## formatting, vet, lint, tidy modules, import directions, each module by itself
	@unformatted=$$(gofmt -l $(MODULES)); if [ -n "$$unformatted" ]; then echo "not formatted (gofmt -w):"; echo "$$unformatted"; exit 1; fi
	go vet $(GOFILES)
	GOOS=js GOARCH=wasm go vet ./gateway/web/wasm/...
	@$(MAKE) --no-print-directory lint
	@for m in $(MODULES); do (cd $$m && GOWORK=off go mod tidy -diff >/dev/null) || { echo "$$m/go.mod is not tidy: make tidy"; exit 1; }; done
	@for m in $(MODULES); do (cd $$m && GOWORK=off go build ./...) || exit 1; done
	go test ./deploy/arch
	@echo "check: clean"

lint: $(BIN)/golangci-lint
	@for m in $(MODULES); do (cd $$m && $(BIN)/golangci-lint run --allow-parallel-runners ./...) || exit 1; done

# What is ours among the tools needs a large part of Kubernetes and of the collector compiled, which check-deploy has done anyway.
lint-tools: $(BIN)/golangci-lint $(BIN)/manifests $(BIN)/collector
	@for m in manifests collector crds; do (cd deploy/tools/$$m && GOWORK=off $(BIN)/golangci-lint run --allow-parallel-runners ./...) || exit 1; done

$(BIN)/golangci-lint: deploy/tools/lint/go.mod
	GOWORK=off GOBIN=$(BIN) go -C deploy/tools/lint install tool
	@touch $@

.PHONY: local stores lint-tools
stores:
	@mkdir -p $(BIN)
	@[ -x $(BIN)/subrosa-stores ] || echo "Building. The first time takes six to ten minutes on two cores, later ones seconds."
	@go build $(STORES) -o $(BIN)/subrosa-stores ./deploy/cmd/subrosa-stores

local: stores wasm
	@go build -o $(BIN)/ ./deploy/cmd/subrosa-local ./deploy/cmd/subrosa ./deploy/cmd/subrosa-demo

wasm: ## build what browsers read and check documents with into .local/bin/wasm
	@deploy/scripts/wasm $(BIN)/wasm

web: ## build the browser app from its sources into gateway/web/dist
	@go run ./deploy/cmd/subrosa-web

web-check: ## check the types of the browser app, and its packages against the lock file; needs npm
	@deploy/scripts/web-check

build: local ## build every binary into .local/bin
	@for s in $(SERVICES); do CGO_ENABLED=0 go build -trimpath -o $(BIN)/$$s ./$$s/cmd/$$s; done
	GOOS=js GOARCH=wasm go build -o /dev/null ./pkg/extract ./pkg/guard ./pkg/search
	@ls $(BIN)

dist: ## build the command line for five platforms into .local/dist, with SHA256SUMS
	@deploy/scripts/dist $(CURDIR)/.local/dist

bench: local ## run the benchmarks
	TEST_STORES_BIN=$(BIN)/subrosa-stores go test -run '^$$' -bench . -benchmem $(BENCHFLAGS) $(GOFILES)

faults: stores ## break the service in sixteen ways and print what was lost and how long recovery took; about eighteen minutes, ROWS=F5,F6 for some
	@mkdir -p $(BIN)/faults
	@go build -o $(BIN)/faults/ $(foreach s,$(SERVICES),./$(s)/cmd/$(s))
	@FAULTS=$(or $(ROWS),all) FAULTS_BIN=$(BIN)/faults TEST_STORES_BIN=$(BIN)/subrosa-stores go test -count=1 -v -timeout 40m ./deploy/faults

guard-eval: local ## score the guard on labelled texts: make guard-eval DATA=folder with guard_eval.py and gold-*.jsonl; needs Python
	@test -n "$(DATA)" || { echo "usage: make guard-eval DATA=FOLDER"; exit 2; }
	python3 $(DATA)/guard_eval.py --gold $(DATA)/gold-dev.jsonl --cmd "$(BIN)/subrosa guard --jsonl" --labels
	python3 $(DATA)/guard_eval.py --gold $(DATA)/gold-dev.jsonl --cmd "$(BIN)/subrosa guard --jsonl --door prompt" --adversarial --brief --json /dev/null
	python3 $(DATA)/guard_eval.py --gold $(DATA)/gold-prompts.jsonl --cmd "$(BIN)/subrosa guard --jsonl --door prompt" --misses 20

contract-lint: ## lint the OpenAPI document; needs Node
	@deploy/scripts/contract-lint

mcp-check: stores ## hold the MCP endpoint and its sign-in against the conformance suite and the Inspector; needs npm
	@deploy/scripts/mcp-check $(BIN)

fuzz: ## run every fuzz target for FUZZTIME each (default 10s)
	@FUZZTIME=$(FUZZTIME) deploy/scripts/fuzz $(MODULES)

images: ## build a container image of each service and of the development provider, with its SBOM; needs Docker
	@deploy/scripts/images $(IMAGEFLAGS) $(SERVICES) idp

test-containers: stores ## run the images, two replicas of each service: the story, updates and failures under load; after make images
	TEST_CONTAINERS=1 TEST_STORES_BIN=$(BIN)/subrosa-stores go test -count=1 -timeout 15m -v ./deploy/containers | grep -v '🐳\|✅\|🔔\|🚫\|⏳'

check-deploy: stores $(VALIDATORS) lint-tools ## hold manifests, Compose file, rules, alerts, dashboards and collector against services and validators
	TEST_STORES_BIN=$(BIN)/subrosa-stores go test ./deploy/k8s ./deploy/compose ./deploy/observability
	go run ./deploy/cmd/subrosa-check-deploy -bin $(BIN)

# The validators; each set of tools is a module of its own, and is built again when what it requires or says has changed.
$(VALIDATORS): $(BIN)/%: deploy/tools/%/go.mod
	@echo "Building $*. The first time the four validators take about ten minutes on two cores."
	GOWORK=off GOBIN=$(BIN) go -C deploy/tools/$* install $(TAGS) tool
	@touch $@
$(BIN)/promtool: TAGS := -tags remove_all_sd
$(BIN)/manifests: $(wildcard deploy/tools/manifests/*.go)
$(BIN)/collector: $(wildcard deploy/tools/collector/*.go)

tidy: ## tidy every module
	go work sync
	for m in $(MODULES); do (cd $$m && GOWORK=off go mod tidy); done

clean: ## remove what was built; documents and keys in .local stay
	rm -rf $(BIN) .local/testkit
