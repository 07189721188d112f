"""A kernel that runs without the GIL on a tensor that another thread gives other memory and another shape meanwhile.

Each family of kernels runs in a process of its own, again and again, on tensors of 2**16 elements and more, while other
threads change their data, sizes and strides: what the kernel gives may be of any state, or an error, but it never
reads or writes memory that was freed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.native("about native loops that run without the GIL")
PRELUDE = """
import random, sys, threading, time, warnings
warnings.simplefilter("ignore")
sys.setswitchinterval(1e-5)
import wengert_core as wg
from wengert_core import memory
from wengert_core.optable.core_table import TABLE
ops = TABLE.ops
memory.set_cache_limit(0)  # what is freed goes to the C library, which unmaps it: reading it is a fault

N = 1 << 9
GEOMETRIES = (lambda: wg.ones(N, N), lambda: wg.ones(N, N).t(), lambda: wg.ones(4, 8, 8, 4, N // 2), lambda: wg.ones(2))
x, y, z = wg.ones(N, N), wg.ones(N, N), wg.ones(N, N)
rows = wg.arange(N - 1, -1, -1)
places = wg.zeros(N, N, dtype=wg.int64)
mask = wg.ones(N, N) > 0
images, kernel = wg.ones(8, 16, 32, 32), wg.ones(16, 16, 3, 3)
END = time.monotonic() + float(sys.argv[1])
TAKEN = [x, y, z, images, kernel]


def take_away(seed):
    rng = random.Random(seed)
    while time.monotonic() < END:
        t = rng.choice(TAKEN)
        way = rng.randrange(5)
        try:
            if way == 0:
                t.set_(rng.choice(GEOMETRIES)())
            elif way == 1:
                t.resize_(rng.choice([(3,), (N, N), (N * N,), (2, 2, 2, 2, 2)]))
            elif way == 2:
                t.t_()
            elif way == 3:
                t.untyped_storage().resize_(rng.choice([N * N * 4, N * N * 8, 1 << 22]))
            else:
                t.set_({again}(t))
        except (RuntimeError, IndexError):
            pass


def again(t):
    if t is images:
        return wg.ones(8, 16, 32, 32)
    if t is kernel:
        return wg.ones(16, 16, 3, 3)
    return wg.ones(N, N)


def restore():
    for t in TAKEN:
        t.set_(again(t))


{call}
threads = [threading.Thread(target=take_away, args=(seed,)) for seed in range(2)]
for thread in threads:
    thread.start()
while time.monotonic() < END:
    restore()
    try:
        {call}
    except (RuntimeError, IndexError, ValueError, NotImplementedError):
        pass
for thread in threads:
    thread.join()
print("done")
"""

CALLS = {
    "pointwise": "wg.add(x, y)",
    "pointwise_in_place": "x.mul_(y)",
    "pointwise_mixed": "wg.where(mask, x, y.double())",
    "pointwise_out": "wg.exp(x, out=z)",
    "copy_": "x.copy_(y)",
    "copy_converted": "x.copy_(y.t().double())",
    "clone": "x.clone()",
    "contiguous": "x.t().contiguous()",
    "convert": "x.to(wg.float64)",
    "sum": "x.sum()",
    "sum_dim": "wg.sum(x, 0)",
    "mean_out": "wg.mean(x, 1, out=z)",
    "amax": "x.amax(1)",
    "max_dim": "wg.max(x, 1)",
    "argmax": "x.argmax(0)",
    "var": "x.var(1)",
    "logsumexp": "x.logsumexp(1)",
    "cumsum": "wg.cumsum(x, 0)",
    "cumsum_last": "wg.cumsum(x, 1)",
    "cummax": "wg.cummax(x, 1)",
    "sort": "wg.sort(x, 1)",
    "topk": "wg.topk(x, 2, 1)",
    "softmax": "wg.softmax(x, 1)",
    "softmax_dim": "wg.softmax(x, 0)",
    "mm": "wg.mm(x, y)",
    "bmm": "wg.bmm(x.view(4, 128, N), y.view(4, N, 128))",
    "mv": "wg.mv(x, y[0])",
    "dot": "wg.dot(x.view(-1), y.view(-1))",
    "outer": "wg.mm(x[:, :1], y[:1])",
    "addmm": "wg.addmm(z, x, y)",
    "addmm_": "z.addmm_(x, y)",
    "cat": "wg.cat([x, y, z], 0)",
    "cat_out": "wg.cat([x[:128], y.t()[:384]], 0, out=z)",
    "stack": "wg.stack([x, y.t(), z], 1)",
    "repeat": "x.repeat(2, 2)",
    "flip": "x.flip(0)",
    "roll": "wg.roll(x, 3, 1)",
    "tril": "x.tril()",
    "tril_": "x.tril_()",
    "gather": "wg.gather(x, 0, places)",
    "index_select": "wg.index_select(x, 0, rows)",
    "index": "x[rows]",
    "index_of_all": "x[rows, rows]",
    "index_put_": "x.index_put_((rows,), y)",
    "index_add_": "x.index_add_(0, rows, y)",
    "index_copy_": "x.index_copy_(0, rows, y)",
    "scatter_": "x.scatter_(0, places, y)",
    "scatter_add": "wg.scatter_add(x, 1, places, y)",
    "masked_fill_": "x.masked_fill_(mask, 2.0)",
    "masked_select": "wg.masked_select(x, mask)",
    "nonzero": "wg.nonzero(x)",
    "convolution": "wg.conv2d(images, kernel, padding=1)",
    "max_pool": "wg.max_pool2d(images, 2)",
    "avg_pool": "wg.avg_pool1d(images[0], 2)",
    "batch_norm": "wg.batch_norm(images, None, None, None, None, True, 0.1, 1e-5, False)",
    "layer_norm": "wg.layer_norm(x, (N,))",
    "solve": "ops['linalg.solve'](x.view(64, 64, 64) + wg.eye(64), y.view(64, 64, 64))",
    "det": "ops['linalg.det'](x)",
    "qr": "ops['linalg.qr'](x[:128])",
    "array_op": "wg.cumprod(x, 0)",
    "reference": "wg.fmod(x, y)",
    "fft": "ops['fft.fft'](x)",
}


@pytest.mark.parametrize("name", CALLS)
def test_a_kernel_keeps_what_it_reads_and_writes(name: str) -> None:
    code = textwrap.dedent(PRELUDE).replace("{again}", "again").replace("{call}", CALLS[name])
    command = [sys.executable, "-X", "faulthandler", "-c", code, "0.3"]
    unmapping = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "4096"}
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, env=unmapping)
    assert run.returncode == 0, f"{name}: {run.returncode}\n{run.stderr[-3000:]}"
    assert run.stdout == "done\n"
