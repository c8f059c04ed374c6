# Hub Console needs Python 3.11 or newer, make, and the package index that pip is set up for; no more.
#   make install   the Python packages, to attach to a hub (docs/howto/attach.md)
#   make up     everything, in this terminal; options by ARGS, for example make up ARGS="--port 8080 --no-demo"
#   make test-fast   tests without tables, browser or Spark, in less than a minute; while you edit
#   make test   all tests but the slow ones, against real servers; also by ARGS, for example ARGS="-k archive"
#   make test-slow   the slow ones, in parts; one part by PART, for example PART=faults

SHELL := /bin/sh
ARGS ?=
PY := .venv/bin/python
# Where this is set, each process compiles all of the product again when it starts.
unexport PYTHONDONTWRITEBYTECODE

# The first Python on the path that is new enough; PYTHON=... names another.
PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11 python,\
  $(shell $(name) -c 'import sys; sys.version_info >= (3, 11) and print("$(name)")' 2>/dev/null)))

# `manage.py check --deploy` looks at the settings as production gives them. Nothing connects anywhere.
PRODUCTION := HUBCONSOLE_PROCESS=check DATABASE_URL=postgresql://check@127.0.0.1:1/check \
  CELERY_BROKER_URL=redis://127.0.0.1:1/0 DJANGO_ALLOWED_HOSTS=hub.example.org DJANGO_DEBUG=0 \
  DJANGO_SECRET_KEY=a-long-key-for-this-check-only-0123456789-abcdefghijklmnopqrstuvwxyz

# Formats and lints scripts and styles. It asks nobody for a newer version, and keeps its cache with our other files.
DENO := DENO_NO_UPDATE_CHECK=1 DENO_DIR=var/deno .venv/bin/deno

# Locks hold for every Python and platform that this runs on, and name no package index.
LOCK := .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --custom-compile-command 'make lock' $(ARGS)
SBOM := var/sbom.cdx.json
# It has all of requirements.lock too.
ASKED := requirements-test.lock

.PHONY: install up test test-fast test-slow check bench bench-quick browser lock sbom advisories
.DEFAULT_GOAL := up

install: .venv/.installed

up: .venv/.installed
	@exec $(PY) manage.py up $(ARGS)

test: .venv/.installed-test browser
	$(PY) -m tests.support.run $(ARGS)

test-fast: .venv/.installed-test
	$(PY) -m pytest -q $$($(PY) -m tests.support.files) $(ARGS)

test-slow: .venv/.installed-test browser
	PART=$(PART) $(PY) -m tests.support.slow $(ARGS)

# makemigrations would like to ask the database for its history, and only warns where there is none.
check: .venv/.installed-test
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/djade --check --target-version 5.2 $$(find templates tests -name '*.html')
	$(DENO) fmt --check
	$(DENO) lint
	$(PY) -m tests.rules.lines
	$(PY) -m tests.rules.wording
	$(PY) -m tests.support.layout
	$(PY) -m tests.rules.names
	.venv/bin/lint-imports
	$(PRODUCTION) .venv/bin/mypy
	$(PRODUCTION) $(PY) -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
	$(PRODUCTION) $(PY) manage.py check --deploy --fail-level WARNING

bench: .venv/.installed-bench
	$(PY) -m benchmarks $(ARGS)

# The ratios to peers, small, in less than five minutes; it fails if one is much worse than its last figure.
bench-quick: .venv/.installed-bench
	$(PY) -m benchmarks quick

browser: .venv/.installed-test
	@$(PY) -m tests.support.browser

# After a change of requirements.txt or requirements-test.txt; ARGS=--upgrade also renews what those ask for.
lock: .venv/.installed-test
	$(LOCK) --output-file requirements.lock requirements.txt
	$(LOCK) --constraint requirements.lock --output-file requirements-test.lock requirements-test.txt

# It warns that the product itself names no dependencies: they are its components.
sbom: .venv/.installed-test
	@mkdir -p $(dir $(SBOM))
	$(PY) -W ignore::UserWarning -m cyclonedx_py requirements --pyproject pyproject.toml --output-reproducible \
	  --output-file $(SBOM) requirements.lock

# Needs the internet, or a list of the house: PIP_AUDIT_OSV_URL=... names one.
advisories: .venv/.installed-test
	@$(PY) -m tests.support.advisories $(ASKED) $(ARGS)

.venv/.installed: requirements.lock
	@test -n "$(PYTHON)" || { echo "Hub Console needs Python 3.11 or newer; none was found (PYTHON=... names one)." >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --require-hashes --requirement requirements.lock
	@touch $@

.venv/.installed-test: .venv/.installed requirements-test.lock
	$(PY) -m pip install --quiet --require-hashes --requirement requirements-test.lock
	@touch $@

.venv/.installed-bench: .venv/.installed requirements-bench.txt
	$(PY) -m pip install --quiet --requirement requirements-bench.txt
	@touch $@
