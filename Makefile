# Every target runs from a fresh clone with Go alone; lint and docs build their pinned tools first.
GO ?= go
BIN := bin
LINT := $(BIN)/golangci-lint
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X github.com/gpucost/gpucost/internal/cli.version=$(VERSION)
FUZZTIME ?= 5s

.PHONY: build test engines race lint golden docs bench fuzz check dist clean

build: ## the program in bin/
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/gpucost ./cmd/gpucost

test: ## every test
	$(GO) test ./...

engines: ## tasks of plans read by Kubernetes, Kueue and, where it runs, Slurm
	cd tools/engines && $(GO) test -vet=all -count=1 ./... # the program that they run is none of their inputs

race: ## every test with the race detector
	$(GO) test -race ./...

$(LINT): tools/go.mod tools/go.sum
	cd tools && $(GO) build -o ../$(LINT) github.com/golangci/golangci-lint/v2/cmd/golangci-lint

lint: $(LINT) ## the linters, with the versions pinned in tools/go.mod
	$(GO) vet ./...
	$(LINT) run

golden: ## regenerate what is generated from the data
	$(GO) generate ./...

docs: ## man pages, Markdown reference and completions in dist/docs
	$(GO) run ./cmd/gendocs dist/docs

bench: ## benchmarks, with allocations
	$(GO) test -run '^$$' -bench . -benchmem ./...

fuzz: ## every fuzz target for FUZZTIME
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "$$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime=20x $$pkg; \
	  done; \
	done

check: lint test fuzz ## what must hold before a change lands

dist: ## static binaries for every platform, with checksums
	@mkdir -p dist
	@set -e; for p in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64; do \
	  os=$${p%/*}; arch=$${p#*/}; ext=; [ $$os = windows ] && ext=.exe; \
	  echo $$p; CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o dist/gpucost-$$os-$$arch$$ext ./cmd/gpucost; \
	done
	cd dist && sha256sum gpucost-* > SHA256SUMS

clean:
	rm -rf $(BIN) dist
