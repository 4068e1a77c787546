# Needs python3 (3.11 to 3.13), git and make. `make demo` and `make test` do everything else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(abspath $(VENV))/bin
STAMP := $(VENV)/.installed
STAGES := seeds workspaces rebalance graphs tasks pilot revise verify rollouts admit export calibrate funnel
TESTS ?= tests
JOBS ?= 2
# A preset of conf/experiment for `make demo`, written into params.yaml (`make params` takes it back).
PRESET ?=

# DVC runs `python`: let it be the environment's own. And nobody's machine reports usage because of us.
export PATH := $(BIN):$(PATH)
export DVC_NO_ANALYTICS := 1
export ITERATIVE_DO_NOT_TRACK := 1
export MLFLOW_DISABLE_TELEMETRY := true
export DO_NOT_TRACK := 1
export HF_HUB_DISABLE_TELEMETRY := 1
export LITELLM_LOCAL_MODEL_COST_MAP := True
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help setup demo repro show test test-slow ui check format params real local clean

help:            ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## */\t/' | expand -t 14

setup: $(STAMP)  ## create .venv and install, where that is out of date

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' \
	  || { echo "GraphForge needs Python 3.11 to 3.13; $(PYTHON) is $$($(PYTHON) --version 2>&1). Name another: make PYTHON=python3.12 ..." >&2; exit 2; }
	@test -x $(BIN)/python || { echo "creating $(VENV) with $$($(PYTHON) --version)"; $(PYTHON) -m venv $(VENV); }
	@echo "installing into $(VENV) (about 200 packages; minutes on a first run)"
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $(STAMP)

demo: setup      ## the whole line on the embedded defaults: dvc repro, then funnel, coverage, where to look next
	$(if $(PRESET),@python -m pipelines.params experiment=$(PRESET))
	@dvc repro
	@python -m pipelines.show data

repro: setup     ## rerun what changed
	@dvc repro

show: setup      ## print funnel, coverage and calibration of the last run
	@python -m pipelines.show data

test: setup      ## the tests, without the slow ones
	@python -m pytest -n $(JOBS) --dist loadfile $(TESTS)

test-slow: setup ## the slow tests: the whole line, end to end
	@python -m pytest -m slow $(TESTS)

ui: setup        ## MLflow's UI on http://127.0.0.1:5000
	@mlflow ui --backend-store-uri "$${MLFLOW_TRACKING_URI:-sqlite:///$(CURDIR)/mlflow.db}" --host 127.0.0.1 --port 5000

check: setup     ## ruff and mypy
	@ruff check .
	@ruff format --check .
	@mypy

format: setup    ## let ruff rewrite what it can
	@ruff check --fix .
	@ruff format .

params: setup    ## write params.yaml from conf/
	@python -m pipelines.params

real: setup      ## the same line on ../shared/corpus and ../shared/onet/30.1, into real/
	@test -d ../shared/corpus -a -d ../shared/onet/30.1 \
	  || { echo "make real needs ../shared/corpus and ../shared/onet/30.1 beside the repository: not here" >&2; exit 2; }
	@set -e; for stage in $(filter-out funnel,$(STAGES)); do \
	  echo "== $$stage"; python -m pipelines.$$stage experiment=real; done
	@echo "== funnel"; python -m pipelines.funnel experiment=real hydra.run.dir=real
	@python -m pipelines.show real

local: setup     ## the same line with the small embedded model in every role, into local/ (proves the steps, makes no data)
	@set -e; for stage in $(filter-out funnel,$(STAGES)); do \
	  echo "== $$stage"; python -m pipelines.$$stage experiment=local; done
	@echo "== funnel"; python -m pipelines.funnel experiment=local hydra.run.dir=local
	@python -m pipelines.show local

clean:           ## remove what runs wrote (not the environment, not the MLflow store)
	rm -rf data real local multirun outputs .cache .pytest_cache .ruff_cache .mypy_cache .hypothesis
