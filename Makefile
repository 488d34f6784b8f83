# Every target works as the first command after a clone: it creates .venv if needed.
# Use another interpreter:  make PYTHON=python3.12 VENV=.venv-3.12 test
# Pass more arguments:      make test ARGS="-k slotmap -x"

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp
LOCK := .ci/requirements.lock
UV_VERSION := 0.13.8
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help build test check lint docs play bench soak lock clean remake

help: ## list the targets (this text)
	@awk 'BEGIN {FS = ":.*## "} /^[a-z]+:.*## / {printf "make %-7s %s\n", $$1, $$2}' Makefile

build: $(STAMP) ## install everything in .venv and build the sample game's code
	cd sample_game && "$(CURDIR)/$(BIN)/python" -m savegen build --verbose $(ARGS)
	@echo "compare class Player in sample_game/player.py with sample_game/_savegen/components/player.py"

# Tests start hundreds of processes. Compiled once here, savegen starts faster in each of them.
test: $(STAMP) ## run the tests
	@$(BIN)/python -m compileall -q savegen
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

check: test lint ## run what CI runs: tests, formatting, types, generated code

lint: $(STAMP) ## run `make check` without the tests
	$(BIN)/python -m black --check --quiet --diff .
	$(BIN)/python -m mypy
	cd sample_game && "$(CURDIR)/$(BIN)/python" -m savegen check
	@awk '{ print } /^\[tool.savegen\]/ { print "format = \"black\"" }' \
		sample_game/pyproject.toml > sample_game/.by_black.toml
	cd sample_game && "$(CURDIR)/$(BIN)/python" -m savegen check --config .by_black.toml; \
		status=$$?; rm -f .by_black.toml; exit $$status

# Clean: the pages of the API are made from docstrings, which the cache does not look at.
docs: $(STAMP) ## build the documentation: site/index.html
	$(BIN)/python docs/generate.py build/docs
	@rm -rf site
	$(BIN)/zensical build --strict --clean

play: $(STAMP) ## play the sample game (ARGS: a level, or other options)
	@$(MAKE) --no-print-directory build ARGS=
	$(BIN)/python -m sample_game $(ARGS)

bench: $(STAMP) ## run the benchmarks
	$(BIN)/python -m tests.benchmarks.build
	$(BIN)/python -m tests.benchmarks.adopt
	$(BIN)/python -m tests.benchmarks.prefabs
	$(BIN)/python -m tests.benchmarks.partition
	$(BIN)/python -m tests.benchmarks.runtime $(ARGS)
	$(BIN)/python -m tests.benchmarks.level_load
	$(BIN)/python -m tests.benchmarks.platformer

soak: $(STAMP) ## run the randomised tests for a long time (hypothesis)
	SOAK=1 $(BIN)/python -m pytest -m "hypothesis or soak" --hypothesis-profile=soak --timeout=0 $(ARGS)

# Pinned versions stay unless pyproject.toml excludes them; ARGS=--upgrade takes the newest.
lock: $(VENV)-lock/bin/uv ## update .ci/requirements.lock (ARGS=--upgrade: newest versions)
	$< pip compile --no-config --universal --python-version 3.11 --generate-hashes \
		--annotation-style line --custom-compile-command "make lock" --quiet \
		--extra dev $(ARGS) --output-file $(LOCK) pyproject.toml

clean: ## remove what make created: environments, caches, packages
	rm -rf .venv .venv-* .venv.* build dist site .cache .savegen_cache sample_game/.savegen_cache
	rm -rf .mypy_cache .pytest_cache .hypothesis
	find savegen tests sample_game -name __pycache__ -prune -exec rm -rf {} +

$(VENV)-lock/bin/uv: Makefile
	$(PYTHON) -m venv --clear $(VENV)-lock
	$(VENV)-lock/bin/python $(PIP_INSTALL) uv==$(UV_VERSION)
	@touch $@

# The stamp names the folder that the environment was created for. If the stamp does not match, the
# environment was copied, moved, interrupted or lost its interpreter: make creates it again.
ifneq ($(shell $(BIN)/python -c 'print("runs in")' 2>/dev/null) $(shell cat $(STAMP) 2>/dev/null),runs in $(CURDIR))
BROKEN := yes
$(STAMP): remake
endif

# If two makes run at once, the second waits and then finds the stamp up to date.
ifeq ($(LOCKED)$(shell which flock 2>/dev/null),)
LOCKED := no flock here
endif

ifdef LOCKED
$(STAMP): pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "savegen needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1)." >&2; \
		echo "Choose another one: make PYTHON=python3.12" >&2; exit 1; }
	@echo "setting up $(VENV) (a minute or two)" >&2
	@rm -f $@
	@$(if $(BROKEN),$(PYTHON) -m venv --clear $(VENV))
	@$(BIN)/python $(PIP_INSTALL) --require-hashes -r $(LOCK)
	@$(BIN)/python $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@printf '%s\n' "$(CURDIR)" > $@
else
$(STAMP): pyproject.toml $(LOCK)
	@flock $(VENV).lock $(MAKE) --no-print-directory LOCKED=1 $@
endif
