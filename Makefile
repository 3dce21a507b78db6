# Each target makes the environment it needs; a second call finds it done.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: help demo test nightly lint types imports check tables docs results benchmark clean

help:
	@echo "make demo       set up and run a consensus on an embedded dataset"
	@echo "make test       set up and run the whole test suite"
	@echo "make nightly    the suite with what takes long, then the long fuzz: 2,000 calls per estimator, 500 per metric, 100 per file format"
	@echo "make check      lint, types and import rules"
	@echo "make tables     write docs/methods.md and the table of parameters in CONTRIBUTING.md from the code"
	@echo "make docs       build the documentation in docs/_build/html"
	@echo "make results    run the papers' tables and figures again, in hours, and write docs/results/papers"
	@echo "make benchmark  compare speed and memory with the straightforward way"
	@echo "make clean      remove the environment and caches"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "partita needs Python 3.11 or newer, found " + sys.version.split()[0] + "; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[report]"
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	@touch $@ $(VENV)/.core

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@ $(VENV)/.test $(VENV)/.core

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	@touch $@ $(VENV)/.core

demo: $(VENV)/.core
	$(BIN)/partita demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -n auto

nightly: $(VENV)/.test $(VENV)/.docs
	PARTITA_NIGHTLY=1 $(BIN)/python -m pytest -n auto
	$(BIN)/python -m tests.fuzz --minutes 120

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

check: lint types imports

tables: $(VENV)/.test
	$(BIN)/python -m tools.write_tables

docs: $(VENV)/.docs
	MPLBACKEND=agg $(BIN)/python -m sphinx -b html -W --keep-going -n -q docs docs/_build/html
	@echo "open docs/_build/html/index.html"

results: $(VENV)/.test
	$(BIN)/partita reproduce all --output docs/results/papers --jobs -1
	$(BIN)/partita reproduce pages --output docs/results/papers

benchmark: $(VENV)/.test
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) partita-demo .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	rm -rf docs/_build docs/api docs/auto_gallery docs/sg_execution_times.rst
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
