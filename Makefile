# Subrosa. Type make for the list of targets.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

BIN      := $(CURDIR)/.local/bin
SERVICES := gateway registry-svc auth-svc agent-svc case-svc
MODULES  := pkg gateway registry-svc auth-svc agent-svc case-svc party-svc deploy
GOFILES  := $(addsuffix /...,$(addprefix ./,$(MODULES)))
STORES   := -tags ferretdb_no_postgresql -ldflags "-s -w"
FUZZTIME ?= 10s
export GOFLAGS := $(filter-out -mod=%,$(GOFLAGS))

.PHONY: help run demo test bench fuzz check build images tidy lint clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: local ## build and run everything on this machine, with embedded stores; Ctrl-C stops it
	@exec $(BIN)/subrosa-local $(RUNFLAGS)

demo: local ## play the whole story against the running local service, or a fresh one
	@$(BIN)/subrosa-demo

test: stores ## run all tests with the race detector; says which stores it used and what it had to skip
	@deploy/scripts/what-is-missing
	TEST_STORES_BIN=$(BIN)/subrosa-stores go test -race -shuffle=on -timeout 9m $(GOFILES)

check: ## formatting, vet, lint, tidy modules, import directions, each module by itself
	@unformatted=$$(gofmt -l $(MODULES)); if [ -n "$$unformatted" ]; then echo "not formatted (gofmt -w):"; echo "$$unformatted"; exit 1; fi
	go vet $(GOFILES)
	@$(MAKE) --no-print-directory lint
	@for m in $(MODULES); do (cd $$m && GOWORK=off go mod tidy -diff >/dev/null) || { echo "$$m/go.mod is not tidy: make tidy"; exit 1; }; done
	@for m in $(MODULES); do (cd $$m && GOWORK=off go build ./...) || exit 1; done
	go test ./deploy/arch
	@echo "check: clean"

lint: $(BIN)/golangci-lint
	@for m in $(MODULES); do (cd $$m && $(BIN)/golangci-lint run --allow-parallel-runners ./...) || exit 1; done

$(BIN)/golangci-lint: deploy/tools/lint/go.mod
	GOWORK=off GOBIN=$(BIN) go -C deploy/tools/lint install tool
	@touch $@

.PHONY: local stores
stores:
	@mkdir -p $(BIN)
	@go build $(STORES) -o $(BIN)/subrosa-stores ./deploy/cmd/subrosa-stores

local: stores
	@go build -o $(BIN)/ ./deploy/cmd/subrosa-local ./deploy/cmd/subrosa ./deploy/cmd/subrosa-demo

build: local ## build every binary into .local/bin
	@for s in $(SERVICES); do CGO_ENABLED=0 go build -trimpath -o $(BIN)/$$s ./$$s/cmd/$$s; done
	GOOS=js GOARCH=wasm go build -o /dev/null ./pkg/extract ./pkg/guard ./pkg/search
	@ls $(BIN)

bench: stores ## run the benchmarks
	TEST_STORES_BIN=$(BIN)/subrosa-stores go test -run '^$$' -bench . -benchmem $(BENCHFLAGS) $(GOFILES)

fuzz: ## run every fuzz target for FUZZTIME each (default 10s)
	@FUZZTIME=$(FUZZTIME) deploy/scripts/fuzz $(MODULES)

images: ## build a container image of each service; needs Docker
	@deploy/scripts/images $(SERVICES)

tidy: ## tidy every module
	go work sync
	for m in $(MODULES); do (cd $$m && GOWORK=off go mod tidy); done

clean: ## remove what was built; documents and keys in .local stay
	rm -rf $(BIN) .local/testkit
