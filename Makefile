# Two commands for a newcomer: `make serve` and `make test`. The others are for us.
.DEFAULT_GOAL := help
.PHONY: help serve test bench crash format lint smoke fuzz sanitize dependencies clean

help:
	@echo 'make serve    build the release binary and serve ./schema.graphql on http://127.0.0.1:20002/graphql'
	@echo 'make test     build everything and run every test'
	@echo 'make crash    kill the server in the midst of writes, 100 times; ROUNDS=1000 for more'
	@echo 'make smoke    run the README, the examples and clients from PyPI against the debug binary'
	@echo 'make fuzz     run the fuzzers, 15 minutes each (FUZZ_SECONDS=60 for less)'
	@echo 'make sanitize run every test under the address sanitizer'
	@echo 'make bench    measure beside nginx (SCENARIO=get for one, WRITE=1 for docs/performance.md)'
	@echo 'make format   rewrite the sources in the house style; make lint only checks'

serve: dependencies
	swift build -c release --product syncline
	exec .build/release/syncline dev

# Four runs, one after the other: tests that keep every core busy, or wait for a process, would make those over sockets
# wait in vain.
test: dependencies
	swift build --build-tests
	swift test --skip-build --filter '^(JSON|GraphQL|Tables|Transformer)Tests'
	swift test --skip-build --filter '^APITests'
	swift test --skip-build --filter '^HTTPTests'
	swift test --skip-build --filter '^ServerTests'

ROUNDS ?= 100
crash: dependencies
	swift build --build-tests
	SYNCLINE_CRASH_ROUNDS=$(ROUNDS) swift test --skip-build --filter CrashTests

# SANITIZERS=thread reports races inside of each `Mutex` of Swift's library on Linux, whose locks it does not see.
SANITIZERS ?= address
sanitize: dependencies
	@set -e; for sanitizer in $(SANITIZERS); do \
	  flags="--sanitize $$sanitizer --scratch-path .build-$$sanitizer"; \
	  swift build --build-tests $$flags; \
	  for group in '^(JSON|GraphQL|Tables|Transformer)Tests' '^APITests' '^HTTPTests' '^ServerTests'; do \
	    ASAN_OPTIONS=detect_leaks=0 swift test --skip-build $$flags --filter "$$group"; \
	  done; \
	done

bench:
	@SCENARIO='$(SCENARIO)' scripts/install-dependencies --bench
	@SCENARIO='$(SCENARIO)' Benchmarks/run $(if $(WRITE),--write)

smoke: dependencies
	swift build --product syncline
	scripts/smoke .build/debug/syncline
	scripts/clients .build/debug/syncline

fuzz: dependencies
	Fuzz/run

format:
	swift format format --in-place --parallel --recursive Package.swift Sources Tests

lint:
	swift format lint --strict --parallel --recursive Package.swift Sources Tests

dependencies:
	@scripts/install-dependencies

clean:
	swift package clean
