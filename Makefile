# `make demo` shows what minleak does, `make test` runs every check, `make help` lists the rest.
# All need only Python 3.11+ and make; each makes the environment that it needs.
PYTHON ?= python3
DEMO := .venv
DEV := .venv-dev
BIN := $(DEV)/bin
export NO_MKDOCS_2_WARNING := 1
# uv leaves compiling a module to its first import, which has to keep the result: else every process compiles it again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test lint types imports docs docs-check pages browser java node go pytest wheel paper bench clean

help:  ## This list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 12

$(DEMO)/.installed: pyproject.toml constraints.txt
	$(PYTHON) tests/environment.py $(DEMO) --editable '.[report]' pip  # pip, for those who add extras later
	touch $@

$(DEV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) tests/environment.py $(DEV) --editable '.[dev]'
	touch $@

demo: $(DEMO)/.installed  ## From names and counts to a better table, a certificate, a drawn set and a page, in demo/
	$(DEMO)/bin/python examples/demo.py

# What runs in one process goes two at a time; what follows uses two processes itself. The examples of the documentation
# come before the tests also because they compile what these would compile twice.
test: $(DEV)/.installed  ## Every check: style, types, import directions, documentation, tests, wheel
	@$(MAKE) --no-print-directory -j2 lint imports types pages browser java node go docs-check
	@$(MAKE) --no-print-directory pytest wheel

lint: $(DEV)/.installed  ## Style
	$(BIN)/ruff check --output-format concise .
	$(BIN)/ruff format --check .

types: $(DEV)/.installed  ## Types
	$(BIN)/mypy

imports: $(DEV)/.installed  ## Import directions
	$(BIN)/lint-imports

docs: $(DEV)/.installed  ## The documentation as a site, its notebooks run, at http://127.0.0.1:8000
	MINLEAK_RUN_NOTEBOOKS=true $(BIN)/mkdocs serve --strict

docs-check: $(DEV)/.installed  ## The site in build/site, with no broken link; notebooks as they are
	$(BIN)/mkdocs build --strict  # not --quiet, which hides warnings from --strict too

# Two processes have two cores: threads of OpenMP and OpenBLAS would only wait for one another, at ten times the cost.
pages pytest wheel: export OMP_NUM_THREADS := 1

pages: $(DEV)/.installed  ## The examples in the documentation
	$(BIN)/python -m pytest --quiet --doctest-glob='*.md' README.md docs

# The report is tested in a real browser. Debian's is installed where that is allowed and none is there.
browser:
	@command -v chromium || command -v chromium-browser || command -v google-chrome || test -n "$$CHROMIUM" || \
	{ test "$$(id -u)" = 0 && command -v apt-get && echo "installing Debian's chromium with apt-get, for the tests of the report" && \
	  apt-get update -qq && apt-get install -y -qq chromium > /dev/null; } || \
	echo "no Chromium here: the browser tests will be skipped"

# Spark is tested on this machine, on Java 17 or 21. Debian's is installed where that is allowed and none is there.
java: browser  # one after the other: apt-get cannot be run twice at a time
	@command -v java || test -n "$$JAVA_HOME" || \
	{ test "$$(id -u)" = 0 && command -v apt-get && echo "installing Debian's openjdk-17-jre-headless with apt-get, for the tests on Spark" && \
	  apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless > /dev/null; } || \
	echo "no Java here: the tests on Spark will be skipped"

# The runtimes in other languages are tested in Node and Go, likewise.
node: java
	@command -v node || \
	{ test "$$(id -u)" = 0 && command -v apt-get && echo "installing Debian's nodejs with apt-get, for the tests of runtimes/javascript" && \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends nodejs > /dev/null; } || \
	echo "no Node here: the tests of runtimes/javascript in Node will be skipped"

go: node
	@command -v go || \
	{ test "$$(id -u)" = 0 && command -v apt-get && echo "installing Debian's golang-go with apt-get, for the tests of runtimes/go" && \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends golang-go > /dev/null; } || \
	echo "no Go here: the tests of runtimes/go will be skipped"

pytest: $(DEV)/.installed  ## The tests, and the examples in the code
	$(BIN)/python -m pytest -n 2 --dist loadgroup --durations=20 --doctest-modules src/minleak tests

wheel: $(DEV)/.installed  ## The built wheel in clean environments, on every Python here from 3.11 on
	$(BIN)/python tests/wheel.py

paper: $(DEV)/.installed  ## The paper's tables, figures and errata again, in build/paper
	$(BIN)/python -m paper -o build/paper

bench: $(DEV)/.installed  ## The benchmarks, against peers
	$(BIN)/python -m benchmarks

clean:  ## Remove what the others made
	rm -rf .venv .venv-* .cache build dist demo .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
