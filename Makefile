# One command each: `make test` from a fresh clone to green, `make chat` to a conversation.
# Needs Python 3.11 or newer and the package registry; uses uv where it is on the PATH, else pip.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements.lock
UV := $(shell command -v uv 2>/dev/null)
WORKERS ?= 2
ROUNDS ?= 20
CASES ?= 1000
SEED ?= 0

# Read when langgraph is imported, so it has to stand before Python starts.
export LANGGRAPH_STRICT_MSGPACK := true
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup test coverage test-page check format layout lock chat draw docs notebooks bench bench-all bench-crash bench-fifty bench-keeps bench-overhead bench-prefix bench-profiles bench-recall bench-scale audit fuzz laws clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.installed ## make .venv from the lock file (skipped while lock and pyproject are unchanged)

$(BIN)/python:
ifdef UV
	uv venv --quiet --seed --allow-existing --python '>=3.11' $(VENV)
else
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than 3.11: name a newer one, as in  make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
endif

$(VENV)/.locked: $(LOCK) | $(BIN)/python
	@echo "Setting up $(VENV), once: some 200 packages, about 1.7 GB on disk; this takes a few minutes." >&2
ifdef UV
	uv pip install --quiet --python $(BIN)/python -r $(LOCK)
else
	$(BIN)/python -m pip install --quiet -r $(LOCK)
endif
	@touch $@

$(VENV)/.installed: $(VENV)/.locked pyproject.toml
ifdef UV
	uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
else
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
endif
	@touch $@

test: check ## layout, lint, types and every test
	$(BIN)/pytest --numprocesses=$(WORKERS) --dist=loadfile --durations=25

coverage: setup ## every test, and the lines and branches that none reaches; takes about twice as long
	$(BIN)/pytest --numprocesses=$(WORKERS) --dist=loadfile --cov --cov-report=term

test-page: setup ## drive the page in Chromium, and leave its pictures in docs/images
	PAGE_PICTURES=docs/images $(BIN)/pytest tests/page

check: setup ## layout, lint and types, without the tests
	$(BIN)/python tools/layout.py --check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright

format: setup ## sort imports and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

layout: | $(BIN)/python ## write stubs, guards and the package list from the tree
	$(BIN)/python tools/layout.py

lock: setup ## pin the newest releases pyproject allows, for every platform and Python version
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --upgrade --python-version 3.11 --all-extras \
		--no-header --no-annotate pyproject.toml --output-file $(LOCK)

chat: setup ## talk to the agent
	$(BIN)/ninefold chat

draw: setup ## print the graph
	$(BIN)/ninefold draw

docs: setup ## build the documents into build/site, with every link checked
	$(BIN)/mkdocs build --quiet --strict

notebooks: setup ## run every notebook from its first cell to its last
	$(BIN)/pytest -q tests/notebooks

bench: setup ## run every measurement small, in about half an hour, and write BENCHMARKS.md (SEED=0)
	$(BIN)/python -m bench.all --seed $(SEED)

bench-all: setup ## run every measurement at full length, some four hours, and write BENCHMARKS.md
	$(BIN)/python -m bench.all --whole --seed $(SEED)

bench-overhead: setup ## measure a turn's processor time and disk as a session grows (M2, M3)
	$(BIN)/python -m bench.overhead

bench-scale: setup ## measure 10,000 turns, 100,000 memories and 1,000 people (most of an hour)
	$(BIN)/python -m bench.scale

bench-crash: setup ## measure kills (ROUNDS=20), many writers and the disk of 3000 turns (Z1, Z2, M3); about an hour
	$(BIN)/python -m bench.crash --rounds $(ROUNDS)

bench-fifty: setup ## play fifty turns with 24 planted facts, in both languages, beside full replay and the last 20 messages (M5, M7, Q1)
	$(BIN)/python -m bench.fifty

bench-keeps: setup ## measure what stays of rules, values and results, beside langchain, langmem and deepagents (M1, M6, M7, T2, X1, X2)
	$(BIN)/python -m bench.keeps

audit: setup ## look the pinned dependencies up in the list of known vulnerabilities
	$(BIN)/python tools/audit.py

fuzz: setup ## spoil agent.yaml, session files, checkpoints and model replies (CASES=1000 of each)
	$(BIN)/python -m tests.safety.fuzz --cases $(CASES)

laws: setup ## try every law on 2,000 drawn examples, and those of the whole graph on 200 sessions; about half an hour
	$(BIN)/pytest -m hypothesis --hypothesis-profile=laws

bench-prefix: setup ## measure what of each prompt the server has read before (M4)
	$(BIN)/python -m bench.prefix

bench-profiles: setup ## measure the one number that each profile changes (K2)
	$(BIN)/python -m bench.profiles

bench-recall: setup ## measure what recall finds, beside the simple recipes (R1 to R4, T1)
	$(BIN)/python -m bench.recall
	$(BIN)/python -m bench.recall_gate
	$(BIN)/python -m bench.memory_trigger

clean: ## remove what the commands above made
	rm -rf $(VENV) build dist *.egg-info .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
