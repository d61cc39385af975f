# Subrosa. Type make for the list of targets.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

BIN      := $(CURDIR)/.local/bin
SERVICES := gateway registry-svc auth-svc agent-svc case-svc party-svc
MODULES  := pkg gateway registry-svc auth-svc agent-svc case-svc party-svc deploy
GOFILES  := $(addsuffix /...,$(addprefix ./,$(MODULES)))
VALIDATORS := $(addprefix $(BIN)/,manifests kube-score promtool collector)
BUILD    := -tags ferretdb_no_postgresql -ldflags "-s -w"
FUZZTIME ?= 10s
# Programs, tests and clones in other folders share what was compiled for one of them: no path of this machine and no commit goes
# into it, and nothing but the race detector uses cgo.
export GOFLAGS := $(filter-out -mod=% -trimpath -buildvcs=%,$(GOFLAGS)) -trimpath -buildvcs=false
export CGO_ENABLED := 0

.PHONY: help a2a-check abuse answers bench build check check-cache check-deploy clean clients-check contract-lint demo dist faults fuzz
.PHONY: guard-eval images keycloak-check lint long mcp-check peers producers programs prove-clients prove-containers prove-deploy
.PHONY: prove-keycloak prove-mcp requests-check run test test-containers test-race tidy wasm web web-check

help: ## list the targets
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: local ## build and run everything on this machine, with embedded stores; Ctrl-C stops it
	@exec $(BIN)/subrosa-local $(RUNFLAGS)

demo: local ## play the whole story against the running local service, or a fresh one
	@$(BIN)/subrosa-demo

test: programs ## run all tests, those that do things at once with the race detector; says what it used and what it had to skip; PARTS=unit for one part, GOTESTFLAGS="-run Name -v"
	@deploy/scripts/what-is-missing
	@deploy/scripts/test $(PARTS)

test-race: programs ## run every test with the race detector, the end-to-end tests too; about three times as long
	@deploy/scripts/what-is-missing
	@eval "$$(deploy/scripts/test-env)" && CGO_ENABLED=1 GORACE=atexit_sleep_ms=100 go test -race -vet=off -shuffle=on -parallel 4 -timeout 60m ./deploy/e2e $(GOFILES)

check: ## formatting, vet, lint, tidy modules, import directions, each module by itself, known vulnerabilities
	@unformatted=$$(gofmt -l $(MODULES)); if [ -n "$$unformatted" ]; then echo "not formatted (gofmt -w):"; echo "$$unformatted"; exit 1; fi
	go vet $(GOFILES)
	GOOS=js GOARCH=wasm go vet ./gateway/web/wasm/...
	@$(MAKE) --no-print-directory lint
	@for m in $(MODULES); do (cd $$m && GOWORK=off go mod tidy -diff >/dev/null) || { echo "$$m/go.mod is not tidy: make tidy"; exit 1; }; done
	@for m in $(MODULES); do (cd $$m && GOWORK=off go build ./...) || exit 1; done
	go test ./deploy/arch
	@deploy/scripts/vulnerabilities $(MODULES)
	@echo "check: clean"

# Long lines, deep nesting and functions that are hard to follow are findings in what is newer than this commit.
LINT_SINCE := 2a8c9926fe7d18c42c5e5be21aa25dd28f854f71

lint: $(BIN)/golangci-lint
	@for m in $(MODULES); do (cd $$m && $(BIN)/golangci-lint run --allow-parallel-runners ./...) || exit 1; done
	@if git cat-file -e '$(LINT_SINCE)^{commit}' 2>/dev/null; then for m in $(MODULES); do \
	  (cd $$m && $(BIN)/golangci-lint run --allow-parallel-runners --enable-only lll,nestif,gocognit --new-from-rev=$(LINT_SINCE) ./...) || exit 1; \
	done; else echo "lint: the history is not here, so the length of new lines was not looked at"; fi

# What is ours among the tools needs a large part of Kubernetes and of the collector compiled, which check-deploy has done anyway.
lint-tools: $(BIN)/golangci-lint $(BIN)/manifests $(BIN)/collector
	@for m in manifests collector crds; do (cd deploy/tools/$$m && GOWORK=off $(BIN)/golangci-lint run --allow-parallel-runners ./...) || exit 1; done

$(BIN)/golangci-lint: deploy/tools/lint/go.mod
	GOWORK=off GOBIN=$(BIN) go -C deploy/tools/lint install tool
	@touch $@

.PHONY: local stores lint-tools
stores:
	@mkdir -p $(BIN)
	@[ -x $(BIN)/subrosa-stores ] || echo "Building. The first time takes four to six minutes on two cores, later ones seconds."
	@go build $(BUILD) -o $(BIN)/subrosa-stores ./deploy/cmd/subrosa-stores

local: stores wasm
	@go build $(BUILD) -o $(BIN)/ $(addprefix ./deploy/cmd/,subrosa-local subrosa subrosa-demo)

wasm: ## build what browsers read and check documents with into .local/bin/wasm
	@deploy/scripts/wasm $(BIN)/wasm

web: ## build the browser app from its sources into gateway/web/dist
	@go run ./deploy/cmd/subrosa-web

producers: ## write the corpus of real producers anew into pkg/rendition/testdata; needs LibreOffice, TeX, Node, Maven and others
	@deploy/scripts/producers $(CURDIR)/pkg/rendition/testdata/producers

web-check: ## check the types of the browser app, its unit tests, and its packages against the lock file; needs npm
	@deploy/scripts/web-check

programs: stores wasm ## build once what tests start
	@go build $(BUILD) -o $(BIN)/ $(foreach s,$(SERVICES),./$(s)/cmd/$(s)) $(addprefix ./deploy/cmd/,subrosa subrosa-image subrosa-containers)
	@go build $(BUILD) -o $(BIN)/sample-agent ./deploy/samples/agents/go
	@go build $(BUILD) -o $(BIN)/sample-a2a ./deploy/samples/a2a/go

build: local programs ## build every binary into .local/bin
	GOOS=js GOARCH=wasm go build -o /dev/null ./pkg/extract ./pkg/guard ./pkg/search
	@ls $(BIN)

dist: ## build the command line for five platforms into .local/dist, with SHA256SUMS
	@deploy/scripts/dist $(CURDIR)/.local/dist

bench: local programs ## run the benchmarks
	@eval "$$(deploy/scripts/test-env)" && go test -run '^$$' -bench . -benchmem $(BENCHFLAGS) $(GOFILES)

peers: programs ## compare the gateway with nginx and Caddy, in turns, by processor time and p99; apt-get install nginx caddy
	@eval "$$(deploy/scripts/test-env)" && cd deploy && TEST_PEERS=1 go test -count=1 -v -run '^TestPeers$$' ./bench

faults: programs ## break the service in eighteen ways and print what was lost and how long recovery took; about twenty-four minutes, ROWS=F5,F6 for some
	@eval "$$(deploy/scripts/test-env)" && FAULTS=$(or $(ROWS),all) go test -count=1 -v -timeout 40m ./deploy/faults

abuse: stores ## measure what 1,000 connections that trickle do to ten ordinary callers; eight minutes, ABUSEFLAGS="-connections 50" for less
	@go build $(BUILD) -o $(BIN)/subrosa-abuse ./deploy/cmd/subrosa-abuse
	@$(BIN)/subrosa-abuse $(ABUSEFLAGS)

long: programs ## what is too long for make test, before a release; PARTS="sweep a2a" for some
	@deploy/scripts/long $(PARTS)

answers: ## score the rule-based answers to 256 questions with gold answers, by class, and the checks of a model's sentences
	go test -count=1 -v -run '^(TestAnswers|TestOrders|TestNoLawOfAnotherForum|TestTrueSentencesOfAModel)$$' \
	  ./agent-svc/internal/legal/answers/ ./agent-svc/internal/legal/verify/ | grep -v -e '^=== ' -e '    --- PASS'

guard-eval: local ## score the guard on labelled texts: make guard-eval DATA=folder with guard_eval.py and gold-*.jsonl; needs Python
	@test -n "$(DATA)" || { echo "usage: make guard-eval DATA=FOLDER"; exit 2; }
	python3 $(DATA)/guard_eval.py --gold $(DATA)/gold-dev.jsonl --cmd "$(BIN)/subrosa guard --jsonl" --labels
	python3 $(DATA)/guard_eval.py --gold $(DATA)/gold-dev.jsonl --cmd "$(BIN)/subrosa guard --jsonl --door prompt" --adversarial --brief --json /dev/null
	python3 $(DATA)/guard_eval.py --gold $(DATA)/gold-us-dev.jsonl --cmd "$(BIN)/subrosa guard --jsonl" --labels --misses 20
	python3 $(DATA)/guard_eval.py --gold $(DATA)/gold-prompts.jsonl --cmd "$(BIN)/subrosa guard --jsonl --door prompt" --misses 20
	@if deploy/scripts/guard-peer --install; then for set in gold-dev gold-us-dev gold-prompts; do \
	  echo "== the peer on $$set"; python3 $(DATA)/guard_eval.py --gold $(DATA)/$$set.jsonl --cmd deploy/scripts/guard-peer --labels; \
	done; else echo "the peer was not run: pip could not install it"; fi

contract-lint: ## lint the OpenAPI document; needs Node
	@deploy/scripts/contract-lint

mcp-check: stores ## hold the MCP endpoint and its sign-in against the conformance suite and the Inspector; needs npm
	@deploy/scripts/mcp-check $(BIN)

a2a-check: programs ## hold the agent-to-agent endpoint against the official clients in three languages; needs pip and npm
	@deploy/scripts/a2a-check

clients-check: programs ## generate clients of the OpenAPI document with five generators, compile and play them; needs Java, Maven, npm, pip
	@deploy/scripts/clients-check

requests-check: programs ## have schemathesis make up requests from the OpenAPI document, as user and agent, for a minute (FOR=20 seconds, SEED=new); needs pip
	@deploy/scripts/requests-check

keycloak-check: programs ## play the recipe for Keycloak with the distribution from Maven; needs Java, Maven, unzip; two minutes
	@deploy/scripts/keycloak-check

fuzz: ## run every fuzz target for FUZZTIME each (default 10s)
	@FUZZTIME=$(FUZZTIME) deploy/scripts/fuzz $(MODULES)

images: ## build a container image of each service and of the development provider, with its SBOM; needs Docker
	@deploy/scripts/images $(IMAGEFLAGS) $(SERVICES) idp

test-containers: programs ## run the images, two replicas of each service: the story, updates and failures under load; after make images
	@go build $(BUILD) -o $(BIN)/test-outside ./deploy/containers/outside
	@eval "$$(deploy/scripts/test-env)" && TEST_CONTAINERS=1 go test -count=1 -timeout 15m -v ./deploy/containers | grep -v '🐳\|✅\|🔔\|🚫\|⏳'

check-deploy: programs $(VALIDATORS) lint-tools ## hold manifests, Compose file, rules, alerts, dashboards and collector against services and validators
	@eval "$$(deploy/scripts/test-env)" && go test ./deploy/k8s ./deploy/compose ./deploy/observability
	go run ./deploy/cmd/subrosa-check-deploy -bin $(BIN)

# What takes minutes runs when its inputs have changed since it last passed; PROVE=1 runs it all the same.
MCP_INPUTS       := deploy/mcp-check deploy/cmd/subrosa-mcp-check deploy/scripts/mcp-check deploy/internal/devidp agent-svc/internal/mcp \
                    auth-svc/internal/oauth auth-svc/internal/httpapi gateway/internal pkg/authn pkg/httpauth pkg/httpx pkg/httpcall pkg/strictjson pkg/api
DEPLOY_INPUTS    := deploy/k8s deploy/compose deploy/observability deploy/cmd/subrosa-check-deploy deploy/tools .golangci.yml
CONTAINER_INPUTS := deploy/containers deploy/scripts/images deploy/scripts/containers deploy/cmd/subrosa-image deploy/internal/image \
                    deploy/internal/sbom deploy/cmd/subrosa-idp pkg/launch pkg/config $(addsuffix /go.mod,$(MODULES))

check-cache: programs ## show that remembered test results never lie, in a clone
	@deploy/scripts/check-cache

prove-mcp: ## mcp-check, unless nothing that it looks at has changed
	@deploy/scripts/unless-proved deploy/mcp-check/proved.sha256 $(MCP_INPUTS) -- $(MAKE) --no-print-directory mcp-check

CLIENTS_INPUTS   := pkg/api/openapi.yaml deploy/clients-check deploy/scripts/clients-check deploy/tools/clients deploy/e2e/clients_test.go

prove-clients: programs ## clients-check, unless nothing that it looks at has changed
	@deploy/scripts/unless-proved deploy/clients-check/proved.sha256 $(CLIENTS_INPUTS) -- deploy/scripts/clients-check

KEYCLOAK_INPUTS  := pkg/authn auth-svc/internal/signin deploy/keycloak deploy/scripts/keycloak-check deploy/e2e/keycloak_test.go

prove-keycloak: programs ## keycloak-check, unless nothing that it looks at has changed
	@deploy/scripts/unless-proved deploy/keycloak/proved.sha256 $(KEYCLOAK_INPUTS) -- deploy/scripts/keycloak-check

prove-deploy: ## check-deploy, unless nothing that it looks at has changed
	@deploy/scripts/unless-proved deploy/cmd/subrosa-check-deploy/proved.sha256 $(DEPLOY_INPUTS) -- $(MAKE) --no-print-directory check-deploy

prove-containers: ## images and test-containers, unless nothing that they look at has changed
	@deploy/scripts/unless-proved deploy/containers/proved.sha256 $(CONTAINER_INPUTS) -- deploy/scripts/containers

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
	rm -rf $(BIN) .local/log
