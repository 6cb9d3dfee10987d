# `make help` lists the targets. Those that need Python packages first make .venv, and renew it when pyproject.toml
# or constraints.txt change.

PYTHON  ?= $(shell python3.11 -c 'print("python3.11")' 2>/dev/null || echo python3)
WORKERS ?= 2
CONFIG  ?= configs/quickstart.yaml
GAME    ?=

VENV  := .venv
STAMP := $(VENV)/.installed
PY    := $(VENV)/bin/python
TOOTH := $(VENV)/bin/tooth

.DEFAULT_GOAL := help
.PHONY: help train test soak bench lint format docs compile wheel clean FORCE

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

train: $(STAMP) ## train by CONFIG (configs/quickstart.yaml), then evaluate and print the table; results in runs/
	$(TOOTH) train $(CONFIG)

# The games are compiled side by side first: pytest's processes would each compile them all.
test: lint ## lint, type check and the tests, on WORKERS processes (2)
	$(PY) -c "import tooth_envs; print(*tooth_envs.list_games()[::-1])" | xargs -n 1 -P $(WORKERS) $(TOOTH) compile
	$(PY) -m pytest -n $(WORKERS)

soak: $(STAMP) ## the long tests
	$(PY) -m pytest -n $(WORKERS) -m slow

bench: $(STAMP) ## time all games beside other libraries: docs/benchmarks.md; or GAME alone
	$(if $(GAME),$(TOOTH) bench $(GAME),$(PY) -m tools.peers --out docs/benchmarks.md)

lint: $(STAMP) ## ruff and mypy
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy

format: $(STAMP) ## rewrite the code the way lint wants it
	$(PY) -m ruff check --fix
	$(PY) -m ruff format

docs: $(STAMP) ## write the documentation that is made from the code
	$(PY) -m tools.docs --write

compile: $(STAMP) ## compile all games ahead of their first use
	$(TOOTH) compile

wheel: $(STAMP) ## build dist/*.whl
	rm -rf build dist
	$(PY) -m build --wheel

clean: ## remove what was built and cached; .venv and runs stay
	rm -rf build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .coverage.* htmlcov
	find tooth_envs agents training tools tests docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# An environment names its own folder, so the stamp says where it was made: after a move or a copy, it is made anew.
MADE_IN := $(shell cat $(STAMP) 2>/dev/null)
MOVED   := $(if $(MADE_IN),$(if $(filter-out x$(CURDIR),x$(MADE_IN)),yes))

ifeq ($(MOVED),yes)
$(STAMP): FORCE
endif

$(STAMP): pyproject.toml constraints.txt
	@echo "Installing into $(VENV) (minutes the first time)"
	$(PYTHON) -m venv $(if $(MOVED),--clear) $(VENV)
	$(PY) -m pip install --quiet -c constraints.txt --upgrade pip
	$(PY) -m pip install --quiet -c constraints.txt -e '.[dev]'
	@pwd -P > $@
