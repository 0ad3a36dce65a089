# `make demo` shows what minleak does, `make test` runs every check, `make help` lists the rest.
# All need only Python 3.11+ and make; each makes the environment that it needs.
PYTHON ?= python3
DEMO := .venv
DEV := .venv-dev
BIN := $(DEV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export NO_MKDOCS_2_WARNING := 1
INSTALL = -m pip install --quiet --constraint constraints.txt

.PHONY: help demo test lint types imports docs browser java pytest wheel paper bench clean

help:  ## This list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/\1\t\2/' | expand -t 10

$(DEMO)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/python $(INSTALL) --editable '.[report]'
	touch $@

$(DEV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(DEV)
	$(BIN)/python $(INSTALL) --editable '.[dev]'
	touch $@

demo: $(DEMO)/.installed  ## From real word counts to a cloak, a certificate, a drawn set and a report, in demo/
	$(DEMO)/bin/python examples/demo.py

test: lint types imports docs browser java pytest wheel  ## Every check: style, types, import directions, documentation, tests, wheel

lint: $(DEV)/.installed  ## Style
	$(BIN)/ruff check --output-format concise .
	$(BIN)/ruff format --check .

types: $(DEV)/.installed  ## Types
	$(BIN)/mypy

imports: $(DEV)/.installed  ## Import directions
	$(BIN)/lint-imports

docs: $(DEV)/.installed  ## The documentation as a site, in build/site
	$(BIN)/mkdocs build --strict --quiet

# The report is tested in a real browser. Debian's is installed where that is allowed and none is there.
browser:
	@command -v chromium || command -v chromium-browser || command -v google-chrome || test -n "$$CHROMIUM" || \
	{ test "$$(id -u)" = 0 && command -v apt-get && echo "installing Debian's chromium with apt-get, for the tests of the report" && \
	  apt-get update -qq && apt-get install -y -qq chromium > /dev/null; } || \
	echo "no Chromium here: the browser tests will be skipped"

# Spark is tested on this machine, on Java 17 or 21. Debian's is installed where that is allowed and none is there.
java:
	@command -v java || test -n "$$JAVA_HOME" || \
	{ test "$$(id -u)" = 0 && command -v apt-get && echo "installing Debian's openjdk-17-jre-headless with apt-get, for the tests on Spark" && \
	  apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless > /dev/null; } || \
	echo "no Java here: the tests on Spark will be skipped"

pytest: $(DEV)/.installed  ## All tests, doctests of code and documentation among them
	$(BIN)/python -m pytest -n 2 --dist loadgroup --doctest-modules --doctest-glob='*.md' README.md docs src/minleak tests

wheel: $(DEV)/.installed  ## The built wheel in clean environments, tested by the tests of the sdist, on every Python here from 3.11 on
	$(BIN)/python tests/wheel.py

paper: $(DEV)/.installed  ## The paper's tables, figures and errata again, in build/paper
	$(BIN)/python -m paper -o build/paper

bench: $(DEV)/.installed  ## The benchmarks, against peers
	$(BIN)/python -m benchmarks

clean:  ## Remove what the others made
	rm -rf .venv .venv-* build dist demo .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
