"""Operations on huge sizes with few elements, which test_sparse_memory.py runs in a process with little memory."""

from __future__ import annotations

import copy
import pickle
import resource
import sys

import numpy as np
import wengert as wg
import wengert_core as wc
from wengert_sparse.table import load
from wengert_sparse.unary import UNARY

OPS = load().ops
COO_SIZE, CSR_SIZE = (1 << 40, 1 << 20), (10, 1 << 50)
COUNT = 12


def make(layout, seed):
    """A tensor with few elements."""
    rng = np.random.default_rng(seed)
    values = wg.tensor(rng.uniform(0.1, 0.9, COUNT))
    if layout is wg.sparse_coo:
        indices = wg.tensor(np.stack([rng.integers(0, n, COUNT) for n in COO_SIZE]))
        return wg.sparse_coo_tensor(indices, values, COO_SIZE)
    columns = wg.tensor(np.sort(rng.integers(0, CSR_SIZE[1], COUNT)))
    return wg.sparse_csr_tensor([0, 0, 3, 3, 4, 5, 5, 9, 9, 9, COUNT], columns, values, CSR_SIZE)


# ---- functions of two tensors x and y of one size, by the operation of the table that they run

BOTH = {
    **{name: lambda x, y, name=name: getattr(x, name)() for name in UNARY},
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y * 2, "div": lambda x, y: x / 3,
    "pow": lambda x, y: x**3, "add_": lambda x, y: x.clone().add_(y), "sub_": lambda x, y: x.clone().sub_(y),
    "mul_": lambda x, y: x.clone().mul_(y), "div_": lambda x, y: x.clone().div_(2), "clone": lambda x, y: x.clone(),
    "threshold_backward": lambda x, y: wc.threshold_backward(x, y, 0.5), "_to_copy": lambda x, y: x.float(),
    "copy_": lambda x, y: x.clone().copy_(y), "zero_": lambda x, y: x.clone().zero_(), "t": lambda x, y: x.t(),
    "transpose": lambda x, y: x.transpose(0, 1), "view_as_real": lambda x, y: wg.view_as_real(x.to(wg.complex128)),
    "view_as_complex": lambda x, y: wg.view_as_complex(wg.view_as_real(x.to(wg.complex128))),
    "select": lambda x, y: x[2], "index_select": lambda x, y: x.index_select(0, wg.tensor([5, 1, 9, 4])),
    "cat": lambda x, y: wg.cat([x, y], 0), "stack": lambda x, y: wg.stack([x, y], 0), "sum": lambda x, y: x.sum(0),
    "any": lambda x, y: x.any(), "zeros_like": lambda x, y: wg.zeros_like(x),
    "empty_like": lambda x, y: wg.empty_like(x),
    "new_zeros": lambda x, y: x.new_zeros(x.shape), "new_empty": lambda x, y: x.new_empty(x.shape),
    "sparse_mask": lambda x, y: x.sparse_mask(y.coalesce() if y.layout is wg.sparse_coo else y),
    "sparse_dim": lambda x, y: x.sparse_dim(), "dense_dim": lambda x, y: x.dense_dim(), "_nnz": lambda x, y: x._nnz(),
    "deepcopy": lambda x, y: copy.deepcopy(x), "pickle": lambda x, y: pickle.loads(pickle.dumps(x)),
    "to_sparse_bsr": lambda x, y: x.to_sparse_bsr((2, 1024)),
    "_norm": lambda x, y: x.norm(3), "linalg_vector_norm": lambda x, y: wg.linalg.vector_norm(x),
}  # fmt: skip
COO = {
    **BOTH, "select_backward": lambda x, y: wc.select_backward(x, (5, *x.shape), 0, 1),
    "floor_divide": lambda x, y: x // 0.3, "permute": lambda x, y: x.permute(1, 0),
    "unsqueeze": lambda x, y: x.unsqueeze(0), "squeeze": lambda x, y: x.unsqueeze(0).squeeze(0),
    "view": lambda x, y: x.view(-1), "_reshape_alias": lambda x, y: x.reshape(1 << 30, 1 << 30),
    "slice": lambda x, y: x[1000:-1000, ::3], "slice_backward": lambda x, y: wc.slice_backward(
        x, (1 << 42, 1 << 20), 0, 5, (4 << 40) + 1, 4),
    "index_add": lambda x, y: wg.index_add(x, 1, wg.arange(1 << 20), y), "unbind": lambda x, y: x[:100].unbind(),
    "mm": lambda x, y: x.t() @ y, "addmm": lambda x, y: wg.addmm(x.t() @ y, x.t(), y),
    "sparse.mm": lambda x, y: wg.sparse.mm(y.t(), x),
    "sparse.addmm": lambda x, y: wg.sparse.addmm(x.t() @ y, x.t(), y), "cat": lambda x, y: wg.cat([x, y], 1),
    "stack": lambda x, y: wg.stack([x, y], 2), "coalesce": lambda x, y: x.coalesce(),
    "values": lambda x, y: x.coalesce().values(), "_values": lambda x, y: x._values(),
    "indices": lambda x, y: x.coalesce().indices(), "_indices": lambda x, y: x._indices(),
    "is_coalesced": lambda x, y: x.is_coalesced(), "_values_at": lambda x, y: OPS["_values_at"](x, y._indices(), False),
    "sparse_resize_": lambda x, y: x.clone().sparse_resize_((1 << 41, 1 << 21), 2, 0),
    "sparse_resize_and_clear_": lambda x, y: x.clone().sparse_resize_and_clear_((1 << 41, 1 << 21), 2, 0),
    "sparse.sum": lambda x, y: (wg.sparse.sum(x), wg.sparse.sum(x, 1)), "sparse.softmax": lambda x, y:
        wg.sparse.softmax(x, 1), "sparse.log_softmax": lambda x, y: wg.sparse.log_softmax(x, 0),
    "zeros": lambda x, y: wg.zeros(x.shape, layout=x.layout), "empty": lambda x, y: wg.empty(x.shape, layout=x.layout),
    "sparse_coo_tensor": lambda x, y: wg.sparse_coo_tensor(x._indices(), x._values(), x.shape, check_invariants=True),
    "sparse.to_scipy": lambda x, y: wg.sparse.to_scipy(x), "sparse.from_scipy": lambda x, y: wg.sparse.from_scipy(
        wg.sparse.to_scipy(x)),
    "sparse.spdiags": lambda x, y: wg.sparse.spdiags(wg.ones(1, 4), wg.tensor([0]), COO_SIZE),
}  # fmt: skip
del COO["to_sparse_bsr"]  # whose indices are as many as the rows
CSR = {
    **BOTH, "fill_": lambda x, y: x.clone().fill_(2.0), "angle": lambda x, y: x.angle(),
    "ones_like": lambda x, y: wg.ones_like(x), "full_like": lambda x, y: wg.full_like(x, 2.0),
    "slice": lambda x, y: x[1:, 5 : 1 << 40],
    "_reshape_alias": lambda x, y: wg.stack([x, x * 2], 0).reshape(1, 2, *x.shape),
    "view": lambda x, y: wg.stack([x, x * 2], 0).view(1, 2, *x.shape),
    "stack": lambda x, y: wg.stack([x, x * 2], 0),  # batches have equally many elements in each matrix
    "to_sparse": lambda x, y: x.to_sparse(), "to_sparse_csr": lambda x, y: x.to_sparse_csr(),
    "values": lambda x, y: x.values(), "crow_indices": lambda x, y: x.crow_indices(),
    "col_indices": lambda x, y: x.col_indices(), "mm": lambda x, y: x @ y.t().to_sparse(),
    "addmm": lambda x, y: wg.addmm(wg.eye(10, dtype=x.dtype).to_sparse_csr(), x, y.t().to_sparse()),
    "sparse.mm": lambda x, y: wg.sparse.mm(x, y.t().to_sparse()), "unbind": lambda x, y: x.unbind(0),
    "sparse.addmm": lambda x, y: wg.sparse.addmm(wg.eye(10, dtype=x.dtype).to_sparse_csr(), x, y.t().to_sparse()),
    "zeros": lambda x, y: wg.zeros(x.shape, layout=x.layout), "empty": lambda x, y: wg.empty(x.shape, layout=x.layout),
    "sparse_csr_tensor": lambda x, y: wg.sparse_csr_tensor(x.crow_indices(), x.col_indices(), x.values(), x.shape),
    "sparse_compressed_tensor": lambda x, y: wg.sparse_compressed_tensor(
        x.crow_indices(), x.col_indices(), x.values(), x.shape, layout=x.layout),
    "sparse.to_scipy": lambda x, y: wg.sparse.to_scipy(x), "sparse.from_scipy": lambda x, y: wg.sparse.from_scipy(
        wg.sparse.to_scipy(x)),
    "sparse.spdiags": lambda x, y: wg.sparse.spdiags(wg.ones(1, 4), wg.tensor([0]), CSR_SIZE, wg.sparse_csr),
}  # fmt: skip
FUNCTIONS = {wg.sparse_coo: COO, wg.sparse_csr: CSR}
DIFFERENTIABLE = """
    abs sin tanh add sub mul div pow add_ mul_ clone t transpose cat sum sparse_mask coalesce unsqueeze view
    _reshape_alias slice index_select sparse.softmax sparse.log_softmax sparse.sum mm to_sparse values
""".split()


def total(result):
    """The sum of all elements of a result, or of several."""
    if isinstance(result, (tuple, list)):
        return sum(map(total, result))
    if result.layout is wg.strided:
        return result.sum()
    return result.to_sparse().coalesce().values().sum()


def main(limit: int) -> None:
    """Run all functions with ``limit`` bytes more than the process has."""
    tensors = {layout: (make(layout, 0), make(layout, 1)) for layout in FUNCTIONS}
    small = wg.eye(2).to_sparse()
    wg.sparse.mm(small, wg.ones(2, 2))
    wg.sparse.mm(small, small)  # loads SciPy
    with open("/proc/self/statm") as memory:
        used = int(memory.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + limit, used + limit))
    for layout, functions in FUNCTIONS.items():
        x, y = tensors[layout]
        for name, function in functions.items():
            print(f"{layout!r} {name}", len(repr(function(x, y))), flush=True)
        for name in [name for name in DIFFERENTIABLE if name in functions]:
            print(f"{layout!r} gradient of {name}", flush=True)
            leaf = x.detach().requires_grad_()
            total(functions[name](leaf, y)).backward()
            assert leaf.grad.layout in (layout, wg.sparse_coo), name
    weight = wg.zeros(1_000_000, 8, requires_grad=True)
    for _ in range(3):
        wg.nn.functional.embedding(wg.tensor([3, 999_999]), weight, sparse=True).sum().backward()
    assert weight.grad.layout is wg.sparse_coo
    assert weight.grad._nnz() == 2
    print("done")


if __name__ == "__main__":
    main(int(sys.argv[1]))
