# The tasks of Concord; `make` alone lists them. Plain sh and make: Linux, macOS, BSD.

PY = .venv/bin/python
PIP = $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes

help:
	@echo "make run    installs everything, loads the sample and opens the app in the browser"
	@echo "make test   installs everything, including a Chromium, and runs all checks and tests"
	@echo "make setup  only installs the dependencies, in .venv"
	@echo "make lint   checks code and format"
	@echo "make fix    fixes what the linter can fix"
	@echo "make test-interop  has other tools write the files that imports are tested with, and run exported judges"
	@echo "make golden records the figures of every command again, in tests/golden"
	@echo "make messages  updates the translation catalogues"
	@echo "make wheel  builds the installable package and its source archive, in dist"
	@echo "make lock   resolves pyproject.toml into requirements*.txt, keeping versions that still fit"
	@echo "make upgrade  as lock, with the newest version of everything"
	@echo "make clean  removes .venv and caches; never touches your data"

run: .venv/ready
	@$(PY) cli.py demo
	@exec $(PY) cli.py app

# Failed tests are run once more, and both runs are printed: a test that passes only the second time
# has found a race, in Concord or in itself.
# One thread of arithmetic per process: with several processes, more threads only wait for each other.
# Compiled files are kept, whatever the environment says: each worker and command would compile all.
TESTED = env OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= sh -c '"$$@" || "$$@" --last-failed --last-failed-no-failures=none' \
  tested $(PY) -m pytest -o cache_dir=.pytest_cache/$@

# Playwright's event loop outlives its tests, so those of the browser run in processes of their own;
# they wait much of the time, so both kinds run at once.
test: .venv/ready-dev lint
	$(PY) -m tests.support.browser
	@$(PY) -m compileall -q concord pages  # or four processes compile the same at once
	@$(MAKE) -j 2 -k test-browser test-rest

test-browser:
	$(TESTED) -n 2 --dist loadfile tests/browser

test-rest:
	$(TESTED) -n 2 --dist loadfile --ignore tests/browser

# Each tool is installed in an environment of its own, in .interop; this needs a network, Node and npm.
test-interop: .venv/ready-dev
	sh tests/interop/run.sh $(PY)
	$(PY) -m tests.interop.judges
	$(PY) -m tests.interop.grades

setup: .venv/ready

lint: .venv/ready-dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

fix: .venv/ready-dev
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

golden: .venv/ready-dev
	env RECORD_GOLDEN=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(PY) -m pytest tests/test_golden.py

# Texts no longer in the code are removed; new ones are added untranslated, never guessed from similar ones.
LOCALE = concord/language/locale
messages: .venv/ready-dev
	$(PY) -m babel.messages.frontend -q extract -F pyproject.toml -o $(LOCALE)/concord.pot \
	  --omit-header --add-location=file --sort-output --no-wrap .
	$(PY) -m babel.messages.frontend -q update -i $(LOCALE)/concord.pot -d $(LOCALE) -D concord \
	  --ignore-obsolete --no-fuzzy-matching --no-wrap --ignore-pot-creation-date

# Building takes hatchling alone, with what it needs.
BUILDER = hatchling|packaging|pathspec|pluggy|tomlkit|trove-classifiers
wheel: $(PY)
	@$(PY) -c "import hatchling" 2>/dev/null || { \
	  awk '/^[a-z]/ { keep = /^($(BUILDER))==/ } keep' requirements.txt requirements-dev.txt >.venv/builder.txt && \
	  $(PIP) -r .venv/builder.txt; }
	$(PY) -m hatchling build --target sdist --target wheel

# Every Python and platform has the same version of a package, so that figures do not depend on them.
# requirements.txt is what Concord runs on, small extras included; requirements-dev.txt only what
# development adds, at versions that fit beside it; pywin32 is for Windows, where Concord runs in WSL.
LOCK = $(PY) -m uv pip compile --quiet --universal --fork-strategy fewest --generate-hashes \
  --no-emit-index-url --custom-compile-command "make lock" pyproject.toml
RUN_EXTRAS = --extra team --extra zstd

lock: .venv/ready-dev
	$(LOCK) $(UPGRADE) $(RUN_EXTRAS) --output-file requirements.txt
	$(LOCK) $(UPGRADE) $(RUN_EXTRAS) --extra dask --extra mcp --group dev --constraint requirements.txt \
	  --no-emit-package pywin32 \
	  $$(sed -n 's/^\([a-z0-9._-]*\)==.*/--no-emit-package \1/p' requirements.txt) --output-file requirements-dev.txt

upgrade:
	$(MAKE) lock UPGRADE=--upgrade

clean:
	rm -rf .venv dist .pytest_cache .ruff_cache .hypothesis test-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/ready: $(PY) requirements.txt
	@echo "Installing the dependencies; the first time this takes a minute or two."
	@$(PIP) -r requirements.txt
	@touch $@

.venv/ready-dev: .venv/ready requirements-dev.txt
	@echo "Installing the dependencies of the tests."
	@$(PIP) -r requirements.txt -r requirements-dev.txt
	@touch $@

# PYTHON=... selects one; the default is the first on PATH that is new enough and has venv.
$(PY):
	@bare=; \
	for python in $$PYTHON python3 python3.14 python3.13 python3.12 python3.11 python; do \
	  $$python -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null || continue; \
	  if $$python -c "import ensurepip, venv" 2>/dev/null; then \
	    echo "Making .venv with $$($$python --version)."; \
	    $$python -m venv --clear .venv && exit 0; \
	    rm -rf .venv; exit 1; \
	  fi; \
	  bare=$$python; \
	done; \
	if [ -n "$$bare" ]; then \
	  echo "$$($$bare --version) has no venv module. On Debian or Ubuntu run" \
	    "'sudo apt-get install python3-venv', then repeat." >&2; \
	else \
	  echo "Concord needs Python 3.11 or newer, and none is on PATH. Install it (python.org," \
	    "your system's packages, or Homebrew), or name one with 'make PYTHON=/path/to/python" \
	    "run'." >&2; \
	fi; \
	exit 1

.PHONY: help run test test-browser test-rest test-interop setup lint fix golden messages wheel lock upgrade clean
