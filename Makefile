# Two commands: `make demo` shows what minleak does, `make test` runs every check. Both need only Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export NO_MKDOCS_2_WARNING := 1

.PHONY: demo test lint types imports docs browser java pytest bench paper clean

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: $(STAMP)
	$(BIN)/python examples/demo.py

test: lint types imports docs browser java pytest

lint: $(STAMP)
	$(BIN)/ruff check --output-format concise .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

imports: $(STAMP)
	$(BIN)/lint-imports

docs: $(STAMP)
	$(BIN)/mkdocs build --strict --quiet

# The report is tested in a real browser. Debian's is installed where that is allowed and none is there.
browser:
	@command -v chromium || command -v chromium-browser || command -v google-chrome || test -n "$$CHROMIUM" || \
	{ test "$$(id -u)" = 0 && command -v apt-get && apt-get update -qq && apt-get install -y -qq chromium > /dev/null; } || \
	echo "no Chromium here: the browser tests will be skipped"

# Spark is tested on this machine, on Java 17 or 21. Debian's is installed where that is allowed and none is there.
java:
	@command -v java || test -n "$$JAVA_HOME" || \
	{ test "$$(id -u)" = 0 && command -v apt-get && apt-get update -qq && \
	  apt-get install -y -qq openjdk-17-jre-headless > /dev/null; } || \
	echo "no Java here: the tests on Spark will be skipped"

pytest: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadgroup --doctest-modules --doctest-glob='*.md' README.md docs src/minleak tests

bench: $(STAMP)
	$(BIN)/python -m benchmarks

# Every table and figure of the paper again, in build/paper.
paper: $(STAMP)
	$(BIN)/python -m paper -o build/paper

clean:
	rm -rf $(VENV) build dist demo .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
