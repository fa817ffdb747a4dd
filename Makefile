# Everything runs in a local virtual environment that `make` sets up by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test lint format validate bench docs clean

# The stamps record what is installed: a changed pyproject.toml installs again.
$(VENV)/stamp-run: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/stamp-dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $@ $(VENV)/stamp-run

demo: $(VENV)/stamp-run  ## a snake robot pushes itself through pegs; published curves over ours, on a page
	$(BIN)/pushpoint run transeth2008a/track --out results/demo --force
	$(BIN)/pushpoint plot results/demo/recording.nc --out results/demo/track.gif --gif
	$(BIN)/pushpoint reproduce transeth2008a --out results/demo

test: lint  ## everything that must hold, in a few minutes
	$(BIN)/python -m pytest -n 2 -m "not slow"

lint: $(VENV)/stamp-dev
	$(BIN)/ruff check src tests examples benchmarks docs
	$(BIN)/ruff format --check src tests examples benchmarks docs
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/stamp-dev
	$(BIN)/ruff check --fix src tests examples benchmarks docs
	$(BIN)/ruff format src tests examples benchmarks docs

validate: $(VENV)/stamp-dev  ## the slow evidence: all claims, comparisons of independent models, all pages of the documentation
	$(BIN)/pushpoint reproduce all --out results/validate
	$(BIN)/pushpoint study run liljeback2010/random --seeds 100 --measure displacement:axis=x,end=30 --beyond displacement=1.5 \
	  --variant resolution --variant none:controller.resolution=false \
	  --variant watchdog:controller=jam-resolution-watchdog --out results/validate/random
	$(BIN)/python -m pytest -n 2 -m slow

bench: $(VENV)/stamp-dev  ## speed as ratios against MuJoCo, in one run
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.vector

docs: $(VENV)/stamp-dev
	$(BIN)/sphinx-build -W -b html docs docs/_build/html
	@echo "documentation: docs/_build/html/index.html"

clean:
	rm -rf $(VENV) results build dist docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
