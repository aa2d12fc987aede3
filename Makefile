# Two commands for a newcomer: `make serve` and `make test`. The others are for us.
.DEFAULT_GOAL := help
.PHONY: help serve test bench crash srp users events rules format lint smoke fuzz sanitize sanitize-address sanitize-thread stress dependencies typescript console-assets console-test pictures clean

help:
	@echo 'make serve    build the release binary and serve ./schema.graphql on http://127.0.0.1:20002/graphql'
	@echo 'make test     build everything and run every test'
	@echo 'make crash    kill the server in the midst of writes, 100 times; ROUNDS=1000 for more'
	@echo 'make srp      sign in by SRP 10,000 times against an independent client, in a release build (SRP_COUNT)'
	@echo 'make users    list 100,000 users of a pool by pages and filters (USER_COUNT)'
	@echo 'make events   count 10,000,000 events of apps and their daily active users (EVENT_COUNT)'
	@echo 'make rules    compare 1,000 random schemas with rules of each version with a plain reading of them (RULE_SCHEMAS)'
	@echo 'make smoke    run the README, the examples, clients from PyPI and tutorials in a browser against the debug binary'
	@echo 'make console-test  run the pages of the console in Chromium against a mock of the server, some minutes'
	@echo 'make pictures take the pictures of docs/console.md again'
	@echo 'make fuzz     run the fuzzers, 15 minutes each (FUZZ_SECONDS=60 for less)'
	@echo 'make stress   run random queries, writes, reloads and subscriptions for ten minutes (STRESS_SECONDS, SANITIZE)'
	@echo 'make sanitize run every test under the address and the thread sanitizer'
	@echo 'make bench    measure beside nginx (SCENARIO=get for one, WRITE=1 for docs/performance.md)'
	@echo 'make format   rewrite the sources in the style of the project; make lint only checks'

# The third-party files of the console. A server built without them still serves; its console then shows how to add them.
console-assets:
	@scripts/console-assets || echo 'warning: the console is built without its third-party files; try again: scripts/console-assets' >&2

serve: dependencies console-assets
	swift build -c release --product syncline
	exec .build/release/syncline dev

# Four runs, one after the other: tests that keep every core busy, or wait for a process, would make tests over sockets
# miss their deadlines.
TEST_GROUPS ?= '^(JSON|GraphQL|Tables|Transformer|SchemaEdit|Codegen|AWSSignature|UserPools|Buckets|Analytics|Amplify)Tests' '^APITests' '^HTTPTests' '^ServerTests'
# After a crash: the crashed thread, with no dump of registers or images. The full report takes eight minutes.
BACKTRACE ?= enable=yes,threads=crashed,registers=none,images=none,interactive=no,color=no
test: export SWIFT_BACKTRACE = $(BACKTRACE)
# The number of tests that run at one time. With hundreds, each would wait minutes for its turn, and its connections would time out.
test: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH = 8
test: dependencies typescript
	swift build --build-tests
	@set -e; for group in $(TEST_GROUPS); do swift test --skip-build --filter "$$group"; done

ROUNDS ?= 100
crash: dependencies
	swift build --build-tests
	SYNCLINE_CRASH_ROUNDS=$(ROUNDS) swift test --skip-build --filter CrashTests

# Each sanitizer ends a run that has a report with an error. `make sanitize SANITIZERS=thread` runs one of them.
SANITIZERS ?= address thread
sanitize: $(SANITIZERS:%=sanitize-%)

# Smaller groups than those of `test`, so that fewer files are open at one time.
ADDRESS_GROUPS ?= '^(JSON|GraphQL|Transformer|SchemaEdit|AWSSignature|Amplify)Tests' '^CodegenTests' '^TablesTests' '^UserPoolsTests' \
  '^(Buckets|Analytics)Tests' '^APITests' '^HTTPTests' '^ServerTests'
sanitize-address: dependencies
	@set -e; flags='--sanitize address --scratch-path .build-address'; \
	swift build --build-tests $$flags; \
	for group in $(ADDRESS_GROUPS); do \
	  case "$$group" in *HTTP* | *Server*) order=--no-parallel ;; *) order= ;; esac; \
	  ASAN_OPTIONS=detect_leaks=0:suppressions=$(CURDIR)/Tests/AddressSanitizer/suppressions.txt \
	    swift test --skip-build $$order $$flags --filter "$$group"; \
	done

sanitize-thread: dependencies
	scripts/sanitize-threads $(TEST_GROUPS)

# Random queries, writes, reloads and subscriptions on four event loops. SANITIZE=address or SANITIZE=thread runs them under one.
STRESS_SECONDS ?= 600
stress: dependencies
	$(if $(SANITIZE),SYNCLINE_STRESS_SECONDS=$(STRESS_SECONDS) $(MAKE) sanitize-$(SANITIZE) TEST_GROUPS=RealtimeScheduleTests ADDRESS_GROUPS=RealtimeScheduleTests,\
	  swift build --build-tests && SYNCLINE_STRESS_SECONDS=$(STRESS_SECONDS) swift test --skip-build --filter RealtimeScheduleTests)

# Half of the cores of a machine are busy for the length of it: a sign-in takes tens of milliseconds.
SRP_COUNT ?= 10000
srp: dependencies
	SYNCLINE_SRP_COUNT=$(SRP_COUNT) swift test -c release -Xswiftc -enable-testing --scratch-path .build-release-tests --filter RandomSRPTests

USER_COUNT ?= 100000
users: dependencies
	swift build --build-tests
	SYNCLINE_USER_COUNT=$(USER_COUNT) swift test --skip-build --filter ManyUsersTests

# Some minutes and four gigabytes of the temporary folder.
EVENT_COUNT ?= 10000000
events: dependencies
	SYNCLINE_EVENT_COUNT=$(EVENT_COUNT) swift test -c release -Xswiftc -enable-testing --scratch-path .build-release-tests --filter ManyEventsTests

# Ten minutes for each thousand. SYNCLINE_SEED repeats a run.
RULE_SCHEMAS ?= 1000
rules: dependencies
	swift build --build-tests
	SYNCLINE_RULE_SCHEMAS=$(RULE_SCHEMAS) swift test --skip-build --filter RandomRuledSchemaTests

bench:
	@SCENARIO='$(SCENARIO)' scripts/install-dependencies --bench
	@SCENARIO='$(SCENARIO)' Benchmarks/run $(if $(WRITE),--write)

smoke: dependencies
	swift build --product syncline
	scripts/smoke .build/debug/syncline
	scripts/clients .build/debug/syncline
	scripts/console-test/tutorials .build/debug/syncline

console-test:
	scripts/console-test/types
	scripts/console-test/run

pictures:
	scripts/console-test/pictures

fuzz: dependencies
	Fuzz/run

format:
	swift format format --in-place --parallel --recursive Package.swift Sources Tests

lint:
	swift format lint --strict --parallel --recursive Package.swift Sources Tests

dependencies:
	@scripts/install-dependencies

# Without it the tests of generated TypeScript are skipped, and say so.
typescript:
	@scripts/install-dependencies --typescript || true

clean:
	swift package clean
