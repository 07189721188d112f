"""Huge shapes with few elements: nothing allocates the dense size, seen in a process whose memory is limited."""

import resource
import subprocess
import sys

import pytest

LIMIT = 1 << 30
PROGRAM = """
import copy, pickle, resource
import numpy as np
import wengert as wg

rng = np.random.default_rng(0)
size = (1 << 31, 1 << 30)

def make(count=12):
    indices = np.stack([rng.integers(0, n, count) for n in size])
    return wg.sparse_coo_tensor(wg.tensor(indices), wg.tensor(rng.standard_normal(count)), size)

x, y = make(), make()
wg.sparse.mm(wg.eye(2).to_sparse(), wg.ones(2, 2))  # loads SciPy
x.coalesce()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + {limit}, used + {limit}))
index = x._indices()[0, :3].clone()
differentiable = {{
    "add": lambda: x + y, "mul": lambda: x * y, "scale": lambda: x * 2 / 3, "sin": lambda: x.sin(),
    "coalesce": lambda: x.coalesce(), "sum": lambda: wg.sparse.sum(x), "sum_dim": lambda: wg.sparse.sum(x, 1),
    "t": lambda: x.t(), "reshape": lambda: x.reshape(1 << 30, 1 << 31), "unsqueeze": lambda: x.unsqueeze(0),
    "clone": lambda: x.clone(), "mask": lambda: x.sparse_mask(y.coalesce()), "softmax": lambda: wg.sparse.softmax(x, 1),
    "index_select": lambda: x.index_select(0, index), "slice": lambda: x[1000:-1000, ::3],
}}
others = {{
    "sub": lambda: x - y, "select": lambda: x[index[0].item()], "cat": lambda: wg.cat([x[:100], y[:200]]),
    "stack": lambda: wg.stack([x[:100, :100], y[:100, :100]]), "float": lambda: x.float(),
    "zeros_like": lambda: wg.zeros_like(x), "zeros": lambda: wg.zeros(size, layout=wg.sparse_coo),
    "deepcopy": lambda: copy.deepcopy(x), "pickle": lambda: pickle.loads(pickle.dumps(x)),
    "iadd": lambda: x.clone().add_(y), "imul": lambda: x.clone().mul_(y), "zero": lambda: x.clone().zero_(),
}}
for name, function in {{**differentiable, **others}}.items():
    print(name, len(repr(function())))
x = leaf = x.detach().requires_grad_()
for name, function in differentiable.items():
    z = function()
    (wg.sparse.sum(z) if z.layout is not wg.strided else z).backward()
    assert leaf.grad.layout is wg.sparse_coo, name
    print("gradient of", name)
rows = wg.zeros(1_000_000, 8, requires_grad=True)
for _ in range(3):
    wg.nn.functional.embedding(wg.tensor([3, 999_999]), rows, sparse=True).sum().backward()
assert rows.grad.layout is wg.sparse_coo and rows.grad._nnz() == 2
print("done")
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="the system limits no address space")
def test_nothing_allocates_the_dense_size():
    command = [sys.executable, "-c", PROGRAM.format(limit=LIMIT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-3000:]
    assert done.stdout.split()[-1] == "done"
