# Hub Console needs Python 3.11 or newer, make, and a package index that pip can reach.
#   make install   installs the Python packages, to attach to a hub (docs/howto/attach.md)
#   make up   starts everything in this terminal; options in ARGS: make up ARGS="--port 8080 --no-demo"
#   make test-fast   runs the tests without tables, browser or Spark, in less than a minute
#   make test   runs all tests except slow ones against real servers; a part with ARGS="-k archive"
#   make wheel   builds the package that pip installs, in dist
#   make reference   writes the pages of docs/reference that are generated from the code
#   make pictures   takes the pictures of README.md and the tutorial again, from a demo that it starts
#   make drawings   draws the drawings of the manual again, from their text in docs/drawings
#   make test-slow   runs the slow tests; one part with PART=faults
#   make test-integrations   runs the tests against servers of others, which it builds; needs Go and Maven, and Debian for some

SHELL := /bin/sh
ARGS ?=
PY := .venv/bin/python
# With this variable, each process would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

# The first Python on the path that is new enough; PYTHON=... chooses another.
PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11 python,\
  $(shell $(name) -c 'import sys; sys.version_info >= (3, 11) and print("$(name)")' 2>/dev/null)))

# Settings of production for `manage.py check --deploy`, which does not connect to a server.
PRODUCTION := HUBCONSOLE_PROCESS=check DATABASE_URL=postgresql://check@127.0.0.1:1/check \
  CELERY_BROKER_URL=redis://127.0.0.1:1/0 DJANGO_ALLOWED_HOSTS=hub.example.org DJANGO_DEBUG=0 \
  DJANGO_SECRET_KEY=a-long-key-for-this-check-only-0123456789-abcdefghijklmnopqrstuvwxyz

# Formats and lints scripts and styles, without a check for newer versions, and with its cache in var.
DENO := DENO_NO_UPDATE_CHECK=1 DENO_DIR=var/deno .venv/bin/deno

# Locks are valid for every supported Python and platform, and do not name a package index.
LOCK := .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --custom-compile-command 'make lock' $(ARGS)
SBOM := var/sbom.cdx.json
# Includes everything in requirements.lock.
LOCKED := requirements-test.lock

.PHONY: install up wheel client drawings pictures test test-fast test-slow test-integrations check bench bench-quick reference release browser pins lock sbom advisories
.DEFAULT_GOAL := up

install: .venv/.installed

up: .venv/.installed
	@exec $(PY) manage.py up $(ARGS)

test: .venv/.installed-test browser
	$(PY) -m tests.support.run $(ARGS)

wheel: .venv/.installed-test
	$(PY) -m hatchling build --target wheel

# The client is generated from the description of the API.
client: .venv/.installed-test
	@mkdir -p var
	$(PRODUCTION) $(PY) manage.py spectacular --format openapi-json --file var/openapi.json
	cd client && OPENAPI=../var/openapi.json $(abspath $(PY)) -m hatchling build --target wheel --directory ../dist

# A test compares the pages with the code.
reference: .venv/.installed-test
	$(PRODUCTION) $(PY) -m tests.support.reference

# Commits and tags VERSION and builds its files in dist; DRY=1 does so in a clone. Pushing the tag publishes it.
release: .venv/.installed-test
	$(PY) -m tests.support.release $(VERSION) $(if $(DRY),--dry-run) $(ARGS)

# Draws docs/drawings/*.dot as SVG.
drawings: .venv/.installed-test
	$(PY) -m tests.drawings

pictures: .venv/.installed-test browser
	$(PY) -m tests.pictures

test-fast: .venv/.installed-test
	$(PY) -m pytest -q $$($(PY) -m tests.support.files) $(ARGS)

test-slow: .venv/.installed-test browser
	PART=$(PART) $(PY) -m tests.support.slow $(ARGS)

test-integrations: .venv/.installed-test
	$(PY) -m pytest -m integrations tests/integrations $(ARGS)

# Without a database, makemigrations warns that it cannot read the history of migrations.
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

# Measures ratios to other programs with few rows; fails if one is much worse than its last figure with such a Python.
bench-quick: .venv/.installed-bench
	$(PY) -m benchmarks quick

browser: .venv/.installed-test
	@$(PY) -m tests.support.browser

# Raises the pins of requirements.txt and requirements-test.txt to the newest versions; `make lock` follows.
pins: .venv/.installed-test
	$(PY) -m tests.support.pins

# Run it after a change of requirements.txt or requirements-test.txt; ARGS=--upgrade also renews indirect requirements.
lock: .venv/.installed-test
	$(LOCK) --output-file requirements.lock requirements.txt
	$(LOCK) --constraint requirements.lock --output-file requirements-test.lock requirements-test.txt

# It warns that the project itself has no dependencies, because they are listed as its components.
sbom: .venv/.installed-test
	@mkdir -p $(dir $(SBOM))
	$(PY) -W ignore::UserWarning -m cyclonedx_py requirements --pyproject pyproject.toml --output-reproducible \
	  --output-file $(SBOM) requirements.lock

# Needs the internet or an internal mirror: PIP_AUDIT_OSV_URL=...
advisories: .venv/.installed-test
	@$(PY) -m tests.support.advisories $(LOCKED) $(ARGS)

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
