"""The costs of sparse tensors: in wengert, in PyTorch and, where it has such a call, in SciPy, in one run.

    .venv-compare/bin/python -m tools.compare.sparse             after `make compare` has made that environment
    .venv-compare/bin/python -m tools.compare.sparse --threads 2

Medians of interleaved rounds; without PyTorch only the others are timed.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import statistics
import sys
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tools.compare.timing import Plan, Sampler, time_interleaved

Calls = dict[str, Callable[[], Any]]
NAMES = {
    "spmm": "CSR x dense: 10^4 x 10^4, 10^6 elements, 64 columns",
    "spmm_coo": "the same of COO",
    "spmm_backward": "its backward, by both factors",
    "coalesce": "coalesce of 10^6 elements, 10^4 x 10^4",
    "coo_add": "COO + COO, coalesced, 10^6 elements each",
    "csr_add": "CSR + CSR, 10^6 elements each",
    "embedding": "embedding backward, 10^6 rows of 64, 10^3 touched",
    "small_mul": "COO * number, 10 elements",
    "small_add": "COO + COO, 10 elements",
    "small_coalesce": "coalesce, 10 elements",
    "small_mm": "COO @ dense, 10 elements",
    "small_values": "values of a coalesced tensor",
    "small_construct": "sparse_coo_tensor, 10 elements",
    "small_backward": "(COO * COO).to_dense().sum().backward()",
}


def elements(count: int, size: int, seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Random indices (2, count) and values."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, size, (2, count)), rng.standard_normal(count, dtype=np.float32)


def tensor_calls(m: ModuleType, large: bool) -> Calls:
    """The calls of a module with PyTorch's names."""
    found: Calls = {}
    if large:
        (indices, values), (others, more) = elements(10**6, 10**4, 0), elements(10**6, 10**4, 1)
        a = m.sparse_coo_tensor(m.from_numpy(indices), m.from_numpy(values), (10**4, 10**4))
        x, y = a.coalesce(), m.sparse_coo_tensor(m.from_numpy(others), m.from_numpy(more), (10**4, 10**4)).coalesce()
        csr, other_csr, dense = x.to_sparse_csr(), y.to_sparse_csr(), m.ones(10**4, 64)
        leaf, weight = x.detach().requires_grad_(), m.ones(10**4, 64, requires_grad=True)
        product = m.sparse.mm(leaf, weight)
        ones = m.ones_like(product)
        rows = m.zeros(10**6, 64, requires_grad=True)
        used = m.from_numpy(np.random.default_rng(2).integers(0, 10**6, 1000))
        looked_up = m.nn.functional.embedding(used, rows, sparse=True)
        seed = m.ones_like(looked_up)
        grad = m.autograd.grad
        found |= {
            "spmm": lambda: csr @ dense,
            "spmm_coo": lambda: x @ dense,
            "spmm_backward": lambda: grad(product, (leaf, weight), ones, retain_graph=True),
            "coalesce": lambda: a.coalesce(),
            "coo_add": lambda: x + y,
            "csr_add": lambda: csr + other_csr,
            "embedding": lambda: grad(looked_up, rows, seed, retain_graph=True),
        }
    few, some = elements(10, 8, 3)
    i, v = m.from_numpy(few), m.from_numpy(some)
    small, eight = m.sparse_coo_tensor(i, v, (8, 8)), m.ones(8, 4)
    c = small.coalesce()
    z = c.detach().requires_grad_()
    return found | {
        "small_mul": lambda: c * 2.0,
        "small_add": lambda: small + small,
        "small_coalesce": lambda: small.coalesce(),
        "small_mm": lambda: c @ eight,
        "small_values": lambda: c.values(),
        "small_construct": lambda: m.sparse_coo_tensor(i, v, (8, 8)),
        "small_backward": lambda: (z * z).to_dense().sum().backward(),
    }


def scipy_calls(large: bool) -> Calls:
    """The calls that SciPy has."""
    sparse = importlib.import_module("scipy.sparse")
    if not large:
        return {}
    (indices, values), (others, more) = elements(10**6, 10**4, 0), elements(10**6, 10**4, 1)
    shape, dense = (10**4, 10**4), np.ones((10**4, 64), np.float32)
    x = sparse.coo_array((values, tuple(indices)), shape=shape)
    csr, other = x.tocsr(), sparse.coo_array((more, tuple(others)), shape=shape).tocsr()
    x_sum, other_coo = csr.tocoo(), other.tocoo()
    return {
        "spmm": lambda: csr @ dense,
        "spmm_coo": lambda: csr @ dense,
        "coalesce": lambda: x.tocsr().sum_duplicates(),
        "coo_add": lambda: x_sum + other_coo,
        "csr_add": lambda: csr + other,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default="1", help="threads of each library; default: 1")
    parser.add_argument("--only", default="", help="the calls whose names hold this text")
    parser.add_argument("--small", action="store_true", help="leave out the calls on large tensors")
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each timing")
    given = parser.parse_args()
    wanted = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), given.threads)
    if not wanted.items() <= os.environ.items():  # NumPy has read them already: begin again
        os.execve(
            sys.executable, [sys.executable, "-m", "tools.compare.sparse", *sys.argv[1:]], {**os.environ, **wanted}
        )
    warnings.simplefilter("ignore")
    sides: dict[str, Calls] = {}
    for name in ("wengert", "torch"):
        if importlib.util.find_spec(name):
            module = importlib.import_module(name)
            module.set_num_threads(int(given.threads))
            sides[name] = tensor_calls(module, not given.small)
    sides["scipy"] = scipy_calls(not given.small)
    print(f"load {os.getloadavg()[0]:.2f} at the start; {given.threads} threads; {given.rounds} interleaved rounds")
    print("| call | wengert, µs | PyTorch / wengert | SciPy / wengert |\n| --- | ---: | ---: | ---: |")
    for key, label in NAMES.items():
        if given.only not in key or key not in sides["wengert"]:
            continue
        samplers = {name: Sampler("f()", {"f": calls[key]}) for name, calls in sides.items() if key in calls}
        times = time_interleaved(samplers, Plan(rounds=given.rounds), lambda text: None)
        medians = {name: statistics.median(taken) for name, taken in times.items()}
        ours = medians["wengert"]
        ratios = [f"{medians[name] / ours:.2f}" if name in medians else "-" for name in ("torch", "scipy")]
        print(f"| {label} | {ours / 1e3:.1f} | {' | '.join(ratios)} |", flush=True)


if __name__ == "__main__":
    main()
