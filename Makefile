# What one does with Concord; `make` alone lists it. Plain sh and make: Linux, macOS, BSD.

PY = .venv/bin/python
PIP = $(PY) -m pip install --quiet --disable-pip-version-check

help:
	@echo "make run    sets everything up, loads the sample and opens the app in the browser"
	@echo "make test   sets everything up, makes sure of a Chromium and runs every check and test"
	@echo "make setup  only sets up what Concord runs on, in .venv"
	@echo "make lint   reads the code for faults and format"
	@echo "make fix    puts right what lint can put right by itself"
	@echo "make golden records anew what every command and page says, in tests/golden"
	@echo "make clean  removes .venv and caches; never touches your data"

# Streamlit takes the next free port where 8501 is taken, and says which. A browser is opened where
# there is a display in front of somebody.
run: .venv/ready
	@$(PY) cli.py demo
	@headless=true; \
	if [ -z "$$SSH_CONNECTION" ]; then \
	  if [ "$$(uname)" = Darwin ] || [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then headless=false; fi; \
	fi; \
	echo "The app stops with Ctrl-C; what was saved stays."; \
	exec $(PY) -m streamlit run app.py --server.headless=$$headless

# What fails is run once more by itself, and both runs are printed: a test that passes only then
# has found a race, in Concord or in itself, that is to be looked for.
# One thread of arithmetic each: beside the other lots more of them only wait for one another.
TESTED = env OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 sh -c '"$$@" || "$$@" --last-failed --last-failed-no-failures=none' \
  tested $(PY) -m pytest -o cache_dir=.pytest_cache/$@

# The tests wait for browsers and servers much of the time, so they run in four lots side by side.
test: .venv/ready-dev lint
	$(PY) tests/chromium.py
	@$(MAKE) -j 4 -k test-browser-first test-browser-rest test-first test-rest

test-browser-first:
	$(TESTED) -m browser tests/test_browser_[a-g]*.py

test-browser-rest:
	$(TESTED) -m browser --ignore-glob='tests/test_browser_[a-g]*.py'

test-first:
	$(TESTED) -m "not browser" tests/test_[a-m]*.py

test-rest:
	$(TESTED) -m "not browser" tests/test_[n-z]*.py

setup: .venv/ready

lint: .venv/ready-dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

fix: .venv/ready-dev
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

golden: .venv/ready-dev
	env RECORD_GOLDEN=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(PY) -m pytest tests/test_golden.py

clean:
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis test-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/ready: $(PY) requirements.txt
	@echo "Installing what Concord runs on; the first time this takes a minute or two."
	@$(PIP) -r requirements.txt
	@touch $@

.venv/ready-dev: .venv/ready requirements-dev.txt requirements-dask.txt requirements-team.txt
	@echo "Installing what the tests need."
	@$(PIP) -r requirements-dev.txt
	@touch $@

# PYTHON=... chooses one; else the first on PATH that is new enough and can make an environment.
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
	  echo "$$($$bare --version) is here without its venv part. On Debian or Ubuntu run" \
	    "'sudo apt-get install python3-venv', then repeat." >&2; \
	else \
	  echo "Concord needs Python 3.11 or newer, and none is on PATH. Install it (python.org," \
	    "your system's packages, or Homebrew), or name one with 'make PYTHON=/path/to/python" \
	    "run'." >&2; \
	fi; \
	exit 1

.PHONY: help run test test-browser-first test-browser-rest test-first test-rest setup lint fix golden clean
