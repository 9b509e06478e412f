# The few commands of Spyglass; each sets up what it needs in .venv. Continuous integration runs `make test-all`.
.DEFAULT_GOAL := help
.PHONY: help setup report quick test test-all suite busy check format bench attack site screenshots clean

# The question and the folder are taken as they are typed, before anything else: make runs no $(shell …) that is in them.
Q ?= How did the telescope develop, and how should a lens be cleaned?
FILES ?= local_files
override Q := $(value Q)
override FILES := $(value FILES)
export Q FILES

# Byte code is kept whatever the environment says: tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3,$(shell command -v $(name))))
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# The lists name every package, so nothing is looked for; byte code is made on all cores, and of what tests need when they do.
PINNED := $(PIP) install --no-deps --no-compile
DO ?= $(MAKE) test
TIMES ?= 1
DOCS ?= /usr/share/doc
DECIDING := $(addprefix tests/,agent evidence kernel/journal net rag report router test_generate_report.py)
FOLDERS := $(shell find src -type d -not -name __pycache__)

help:  ## List the commands
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile

setup: .venv/installed  ## Set up .venv with the pinned requirements

report: .venv/installed  ## Write report.md: make report Q="your question" [FILES=folder]
	@$(BIN)/spyglass report --files "$$FILES" --out report.md -- "$$Q"; code=$$?; \
	case $$code in 0|3|4) cat report.md;; *) exit $$code;; esac

quick: .venv/tested check  ## Check the code and run the tests that decide most, in about a minute
	$(BIN)/python -m pytest -m "not browser and not kill and not slow" $(DECIDING)

test: .venv/tested check  ## Check the code and run the tests, but for those with a browser, killed processes and slow ones
	$(BIN)/python -m pytest -m "not browser and not kill and not slow"

test-all: .venv/tested  ## Check the code and run all tests, side by side
	$(MAKE) --jobs=2 check suite

suite: .venv/tested
	$(BIN)/python -m pytest

busy: .venv/tested  ## Run a command while other work keeps every core busy: make busy DO="make test" [TIMES=3]
	@$(BIN)/python bench/busy.py --times $(TIMES) -- $(DO)

check: .venv/tested  ## Lint, types, and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p spyglass
	MYPYPATH=tests $(BIN)/mypy tests
	MYPYPATH=bench:tests $(BIN)/mypy bench docs/make_site.py docs/list_settings.py
	$(BIN)/lint-imports

format: .venv/tested  ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/tested  ## Run the benchmarks that need no outside data
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/extractor.py
	$(BIN)/python bench/dispatch.py
	$(BIN)/python bench/ingest.py
	$(BIN)/python bench/guard.py
	$(BIN)/python bench/crawl.py
	$(BIN)/python bench/rendering.py
	$(BIN)/python bench/checking.py
	$(BIN)/python bench/corruptions.py
	$(BIN)/python bench/many.py
	$(BIN)/python bench/keyless.py
	$(BIN)/python bench/vectors.py

attack: .venv/tested  ## Try every attack that SECURITY.md tells of, on this machine alone: make attack [DOCS=folder whose links must pass]
	$(BIN)/python bench/attack.py --strict $(if $(wildcard $(DOCS)),--docs "$(DOCS)")

site: .venv/tested  ## Build the documentation as a site: build/site/index.html
	$(BIN)/python docs/make_site.py build/site

screenshots: .venv/tested  ## Take the pictures of the guides anew, in Chromium
	$(BIN)/python bench/screenshots.py docs/pictures

clean:  ## Remove .venv and everything built
	rm -rf .venv build *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

.venv/required: requirements.txt
	@test -n "$(PYTHON)" || { echo "Spyglass needs Python 3.11 or newer."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Spyglass needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Setting up .venv (a minute or two, once) …"
	@$(PYTHON) -m venv .venv
	@$(PINNED) -r requirements.txt
	@$(BIN)/python -m compileall -q -j 0 .venv/lib > /dev/null || true
	@touch $@

# The links of a strict editable install are what type checkers see; they are made anew when a file comes or goes.
.venv/installed: .venv/required setup.cfg pyproject.toml $(FOLDERS)
	@$(PIP) install --no-deps --no-build-isolation -e . --config-settings editable_mode=strict
	@$(BIN)/python -m compileall -q src
	@touch $@

.venv/tested: .venv/installed requirements-dev.txt
	@$(PINNED) -r requirements-dev.txt
	@$(PIP) check > /dev/null
	@touch $@
