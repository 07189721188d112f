# Each target sets up what it needs by itself, in virtual environments inside this folder, and does nothing twice.
# Needed on the machine: Python >= 3.11 with headers, gcc, make, pip (or venv), and a package index in reach of pip.

PYTHON ?= python3
VENV := .venv
COMPARE := .venv-compare
PEERS := .venv-peers
SANITIZE := .venv-sanitize
SYMBOLS := .venv-symbols
CUDA := 12
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
SPREAD := -n auto --maxprocesses 8 --dist worksteal
BASE := main
FACTOR := 1.2
COMMIT := HEAD

# Tests that know of no devices, run on the one that WENGERT_TEST_DEVICE names.
ON_DEVICE := -p wengert_testing.on_device -rfEs packages/engine/tests packages/functional/tests packages/gradcheck/tests \
  packages/graph/tests tests/torch_parity/reference tests/test_reference_examples.py tests/torch_parity/recorded/test_programs.py \
  tests/torch_parity/recorded/test_snippets.py \
  --deselect packages/gradcheck/tests/test_check_formula.py::test_samples

.DEFAULT_GOAL := help
.PHONY: help demo test test-cuda test-newest build develop lint docs bench bench-compare bench-keep bench-publish counts fresh compare compare-cuda compare-replay checked sanitize clean distclean

# $(call setup,GROUPS): the environment with all packages, editable, and some dependency groups of pyproject.toml
define setup
@command -v $(PYTHON) >/dev/null || { echo "error: there is no '$(PYTHON)' on the PATH." \
  "Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3 $@" >&2; exit 1; }
@$(PYTHON) -m tools.workspace.bootstrap --venv $(VENV) --groups $(1)
endef

help: ## list these targets
	@echo "make TARGET [PYTHON=python3.12]"
	@sed -n 's/^\([a-z-]*\):.*## /  \1: /p' $(MAKEFILE_LIST)

demo: ## train a network on handwritten digits and say what happens
	$(call setup,demo)
	@echo "demo: training on handwritten digits, docs/examples/digits.py"
	@$(BIN)/python docs/examples/digits.py

test: ## run all tests and doctests; core's and engine's also with plain NumPy kernels, those of derivatives on `sim`
	$(call setup,test)
	@echo "test: all tests and doctests, then core and engine once more with WENGERT_KERNELS=python"
	@failed=0; $(PYTEST) $(SPREAD) || failed=1; \
	echo "test: core and engine with WENGERT_KERNELS=python"; \
	WENGERT_KERNELS=python $(PYTEST) $(SPREAD) -m "not native" packages/core/tests packages/engine/tests || failed=1; \
	echo "test: the tests of derivatives on the simulated device"; \
	WENGERT_TEST_DEVICE=sim $(PYTEST) $(SPREAD) $(ON_DEVICE) || failed=1; exit $$failed

test-cuda: ## the op table, the examples, the tests of derivatives, of sparse tensors and of wengert-cuda on a GPU; skipped where none is found, with the reason
	$(call setup,test)
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet 'cupy-cuda$(CUDA)x>=13'
	@WENGERT_TEST_DEVICE=cuda $(PYTEST) -rs tests/devices/test_table.py packages/cuda/tests
	@WENGERT_TEST_DEVICE=cuda $(PYTEST) -rs tests/test_examples.py -k another_device
	@WENGERT_TEST_DEVICE=cuda $(PYTEST) -p wengert_testing.on_device -rfEs packages/sparse/tests/test_sparse_samples.py
	@$(PYTEST) -rs -n 0 $$(find packages/distributed/tests -name "test_*_on_gpu.py")
	@WENGERT_TEST_DEVICE=cuda $(PYTEST) $(ON_DEVICE)

test-newest: ## the tests of core on the newest Python that is installed; says so where none is newer
	@command -v $(PYTHON) >/dev/null || { echo "error: there is no '$(PYTHON)' on the PATH." >&2; exit 1; }
	@$(PYTHON) -m tools.workspace.newest $(ARGS)

checked: ## run the tests of the packages with modules that check bounds, overflow and None (slow)
	@WENGERT_CHECKED=1 $(PYTHON) -m tools.workspace.bootstrap --venv $(VENV) --groups test
	@echo "checked: the packages' tests in the checked build; the next make puts the fast modules back"
	@$(PYTEST) $(SPREAD) packages shared

sanitize: ## all tests and a fuzzer with modules for AddressSanitizer, UndefinedBehaviorSanitizer; threads for ThreadSanitizer
	@command -v $(PYTHON) >/dev/null || { echo "error: there is no '$(PYTHON)' on the PATH." >&2; exit 1; }
	@$(PYTHON) -m tools.sanitize $(ARGS)

build: ## leave sdists and wheels of all packages in dist/, and try them in an empty environment
	$(call setup,dist)
	@$(BIN)/python -m tools.workspace.dist

develop: ## install all packages editable into .venv, with the tools for tests and lint
	$(call setup,test lint)
	@echo "develop: ready; use $(BIN)/python"

lint: ## ruff, cython-lint, mypy, the types of public names, stubs against the built modules, layout of the packages
	$(call setup,lint)
	@echo "lint: ruff" && $(BIN)/ruff check
	@echo "lint: cython-lint" && PATH="$(abspath $(BIN)):$$PATH" $(BIN)/cython-lint packages
	@echo "lint: mypy" && $(BIN)/mypy
	@$(BIN)/python -m tools.workspace.public_types
	@$(BIN)/python -m tools.generate.module_stubs --check
	@$(BIN)/python -m tools.workspace.stubs
	@$(BIN)/python -m tools.workspace.layout

docs: ## build the documentation; a warning or a broken link is an error
	$(call setup,docs)
	@echo "docs: Sphinx, docs/_build/html/index.html"
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@$(BIN)/python -m tools.workspace.links docs/_build/html

bench: ## run every benchmark once, quickly, in this working tree: does each run? (ARGS='--bench small_ops')
	$(call setup,bench)
	@echo "bench: asv, each benchmark once (numbers for a claim: make bench-compare)"
	@$(BIN)/python -m tools.bench once $(ARGS)

bench-compare: ## time this commit beside another one: make bench-compare BASE=main FACTOR=1.2 (ARGS='--bench small_ops')
	$(call setup,bench)
	@$(BIN)/python -m tools.bench compare $(BASE) --factor $(FACTOR) $(ARGS)

bench-keep: ## measure a release or another commit in full and keep the results in the repository: make bench-keep COMMIT=HEAD
	$(call setup,bench)
	@$(BIN)/python -m tools.bench keep $(COMMIT) $(ARGS)

bench-publish: ## the kept results of releases and other commits as a site
	$(call setup,bench)
	@$(BIN)/python -m tools.bench publish $(ARGS)

compare: ## a table of timings beside PyTorch and NumPy, in an environment of its own (ARGS=--quick)
	@$(PYTHON) -m tools.workspace.bootstrap --venv $(COMPARE) --groups compare
	@echo "compare: wengert, PyTorch and NumPy side by side, tools/compare/aims.py"
	@$(COMPARE)/bin/python -m tools.compare.aims $(ARGS)

compare-cuda: ## the same for a GPU, with its bandwidth and matrix rate (CUDA=13 for CUDA 13; ARGS=--quick)
	@command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1 || { echo "compare-cuda: there is no GPU to compare on:" \
	  "nvidia-smi finds none on this machine" >&2; exit 1; }
	@$(PYTHON) -m tools.workspace.bootstrap --venv $(COMPARE) --groups compare-cuda
	@$(COMPARE)/bin/python -m pip --disable-pip-version-check install --quiet 'cupy-cuda$(CUDA)x>=13'
	@echo "compare-cuda: wengert and PyTorch on the GPU, tools/compare/cuda.py"
	@$(COMPARE)/bin/python -m tools.compare.cuda $(ARGS)

compare-replay: ## captured programs beside JAX, CasADi, numexpr and PyTorch, in an environment of their own (ARGS=--quick, --page)
	$(call setup,test)
	@test -x $(PEERS)/bin/python || { $(PYTHON) -m venv $(PEERS) && $(PEERS)/bin/pip install -q jax casadi numexpr torch==2.13.0; }
	@$(BIN)/python -m tools.compare.replay --peers $(PEERS)/bin/python $(ARGS)

counts: ## instructions of hot paths beside their baseline, counted by valgrind (ARGS=--update writes it)
	$(call setup,test)
	@$(BIN)/python -m tools.counts $(ARGS)

fresh: ## run each command of README and CONTRIBUTING in a clone of its own, as a newcomer: hours (ARGS='--only docs', ARGS=--list)
	@$(PYTHON) -m tools.fresh $(ARGS)

clean: ## remove what was built and the caches, not the environments
	@echo "clean: built modules, build folders, dist, caches"
	@rm -rf dist docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@rm -rf packages/*/build shared/*/build packages/*/src/*.egg-info shared/*/src/*.egg-info
	@find packages shared -name '*.so' -delete
	@find packages shared tests tools -depth -type d -name __pycache__ -exec rm -rf {} +

distclean: clean ## clean, and remove the environments
	@echo "distclean: $(VENV), $(COMPARE), $(SANITIZE), $(SYMBOLS)"
	@rm -rf $(VENV) $(COMPARE) $(SANITIZE) $(SYMBOLS)
