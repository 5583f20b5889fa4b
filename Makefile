# Everything here works from a fresh clone: the first target that needs it makes .venv and installs the locked
# versions into it. PYTHON names the interpreter that makes the environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_BENCH := $(VENV)/.ready-bench
READY_E2E := $(VENV)/.ready-e2e
DEMO := build/demo
E2E := build/e2e
WORKERS ?= 2
# The programs of the environment come first, so that the tests find the ripgrep that was installed with them.
PYTEST := PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m pytest
BENCH ?=
ONLY ?=

# Tests start hundreds of processes, and each would compile the program anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo install uninstall test check lint fix bench docs e2e screenshots soak fuzz surroundings

help:  ## list the targets
	@sed -n 's/^\([a-z0-9]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 21

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --requirement requirements.lock
	@# The distribution was called shirube once; left beside the new one, its removal would take the command away.
	rm -rf src/shirube.egg-info
	@if ls -d $(VENV)/lib/python*/site-packages/shirube-*.dist-info >/dev/null 2>&1; then \
		echo "removing the distribution shirube from $(VENV)"; $(BIN)/python -m pip uninstall --quiet --yes shirube; fi
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	@touch $@

$(READY_BENCH): $(READY)
	$(BIN)/python -m pip install --quiet --constraint requirements.lock --editable '.[bench]'
	@touch $@

demo: $(READY)  ## index this repository, ask it in English and Japanese
	@PATH="$(abspath $(BIN)):$$PATH" SHIRUBE_CACHE_DIR="$(abspath $(DEMO))" bash docs/demo.sh

install:  ## put shirube on your PATH: by uv, pipx or an environment
	@PYTHON="$(PYTHON)" ./install.sh install

uninstall:  ## take that away again; indexes, state and settings stay
	@PYTHON="$(PYTHON)" ./install.sh uninstall

test: $(READY)  ## the tests: same examples, same order, every time
	$(PYTEST) -n $(WORKERS) --dist worksteal -m "not slow"

fuzz: $(READY)  ## look for new examples and seeds that break a test
	$(PYTEST) -n $(WORKERS) --dist worksteal -m "not slow and (hypothesis or dice)" --hypothesis-profile=fuzz

surroundings: $(READY)  ## the tests elsewhere: locale, user, home, twice at once
	WORKERS=$(WORKERS) tests/surroundings.sh $(ONLY)

check: lint test  ## everything that has to hold before a commit
	$(BIN)/python docs/generate.py --check

lint: $(READY)  ## style, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

fix: $(READY)  ## mend what the style checker can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY_BENCH)  ## measure speed beside semble and ripgrep
	$(BIN)/python -m benchmarks.speed $(BENCH)

docs: $(READY)  ## write docs/reference.md and generated files of plugin/
	$(BIN)/python docs/generate.py

# The agents and suites of tests/e2e/package.json, with a Node of their own; without npm their tests are skipped.
$(E2E)/.ready: tests/e2e/package.json
	@mkdir -p $(E2E)
	cp tests/e2e/package.json $(E2E)/package.json
	@if command -v npm >/dev/null; then cd $(E2E) && npm install --no-audit --no-fund --no-package-lock; \
	else echo "npm is missing: tests of outside programs are skipped"; fi
	@touch $@

$(READY_E2E): $(READY)
	$(BIN)/python -m pip install --quiet --constraint requirements.lock --editable '.[e2e]'
	@touch $@

e2e: $(READY_E2E) $(E2E)/.ready  ## the tests that need outside programs or minutes
	$(PYTEST) -m slow

screenshots: $(READY_E2E)  ## take the pictures of docs/images; look at each one
	$(BIN)/python -m tests.e2e.screenshots

soak: $(READY)  ## the stress tests at full length (an hour)
	SOAK=1 $(PYTEST) tests/stress --hypothesis-profile=fuzz --durations=0 -s
