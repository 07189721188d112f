"""Sparse tensors: constructors, arithmetic, products and gradients, small and large."""

from collections.abc import Callable
from typing import Any

import numpy as np
import wengert as wg

CALLS: dict[str, Callable[[Any], Any]] = {
    "construct": lambda t: wg.sparse_coo_tensor(t.indices, t.values, t.size),
    "coalesce": lambda t: t.loose.coalesce(),
    "mul_number": lambda t: t.x * 2.0,
    "mul": lambda t: t.x * t.y,
    "add": lambda t: t.x + t.y,
    "to_dense": lambda t: t.x.to_dense(),
    "mm": lambda t: wg.sparse.mm(t.x, t.dense),
    "csr_mm": lambda t: t.csr @ t.dense,
    "csr_add": lambda t: t.csr + t.other_csr,
    "sampled_addmm": lambda t: wg.sparse.sampled_addmm(t.csr, t.dense, t.dense.t()),
    "to_sparse_csr": lambda t: t.x.to_sparse_csr(),
    "softmax": lambda t: wg.sparse.softmax(t.x, 1),
    "backward_of_mm": lambda t: wg.autograd.grad(t.product, (t.leaf, t.weight), t.ones, retain_graph=True),
    "backward_of_embedding": lambda t: wg.autograd.grad(t.looked_up, t.rows, t.seed, retain_graph=True),
}


class Sparse:
    """Each call on matrices of 8 x 8 with 10 elements, and of 1,000 x 1,000 with 100,000."""

    params = (list(CALLS), ["small", "large"])
    param_names = ("call", "size")

    def setup(self, call: str, size: str) -> None:
        """Make the tensors."""
        n, count, columns = (8, 10, 4) if size == "small" else (1000, 100_000, 32)
        rng = np.random.default_rng(0)
        self.size = (n, n)
        self.indices = wg.tensor(rng.integers(0, n, (2, count)))
        self.values = wg.tensor(rng.standard_normal(count, dtype=np.float32))
        self.loose = wg.sparse_coo_tensor(self.indices, self.values, self.size)
        self.x = self.loose.coalesce()
        self.y = wg.sparse_coo_tensor(self.indices.flip(0), self.values, self.size).coalesce()
        self.csr, self.dense = self.x.to_sparse_csr(), wg.ones(n, columns)
        self.other_csr = self.y.to_sparse_csr()
        self.leaf, self.weight = self.x.detach().requires_grad_(), wg.ones(n, columns, requires_grad=True)
        self.product = wg.sparse.mm(self.leaf, self.weight)
        self.ones = wg.ones_like(self.product)
        self.rows = wg.zeros(100 * n, columns, requires_grad=True)
        self.looked_up = wg.nn.functional.embedding(self.indices[0], self.rows, sparse=True)
        self.seed = wg.ones_like(self.looked_up)

    def time_call(self, call: str, size: str) -> None:
        """One call."""
        CALLS[call](self)
