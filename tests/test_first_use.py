"""First uses that load or make something, by many threads at once: each in a fresh process, several times."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import NamedTuple

import pytest

THREADS = """
import sys, threading, traceback
sys.setswitchinterval(1e-6)
{setup}
barrier, errors, results = threading.Barrier(16), [], []

def use(i):
    barrier.wait()
    try:
        results.append(first_use(i))
    except BaseException:
        errors.append(traceback.format_exc())

def first_use(i):
{call}

threads = [threading.Thread(target=use, args=(i,)) for i in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if errors:
    sys.exit(errors[0])
{check}
"""
SIM = """
import wengert as wg
from wengert_registry import registry
from wengert_testing.sim import SimDevice
made = []

class Counted(SimDevice):
    def __init__(self):
        made.append(self)
        super().__init__()

registry.group("devices").register("sim", Counted, owner="test_first_use")
"""


class Use(NamedTuple):
    call: str
    check: str = ""
    setup: str = "import wengert as wg"
    repeats: int = 2


USES = {
    "import": Use("import wengert as wg\nreturn (wg.ones(2) + 1).tolist()", "assert results == [[2, 2]] * 16", "", 3),
    "registry": Use(
        "from wengert_registry import registry\n"
        "return [sorted(registry.group(name)) for name in ('ops', 'formulas', 'devices', 'namespace')]",
        "assert results == [results[0]] * 16", ""),
    "device": Use(
        "t = wg.ones(2, device=f'sim:{i % 2}')\nreturn str(t.device), (t + t).cpu().tolist()",
        "from wengert_core.devices import device\n"
        "assert len(made) == 1 and len(device.DEVICES) == 3\n"
        "assert len(device.PLUGIN_DEVICES) == len(device.DEVICE_NUMBERS) == 3\n"
        "assert sorted(results) == [('sim:0', [2, 2])] * 8 + [('sim:1', [2, 2])] * 8", SIM, 8),
    "backward_on_a_device": Use(
        "x = wg.ones(2, device='sim', requires_grad=True)\n(x * x).sum().backward()\nreturn x.grad.cpu().tolist()",
        "assert results == [[2, 2]] * 16", SIM, 3),
    "generator_of_a_device": Use(
        "return tuple(wg.rand(4, device='sim').cpu().tolist())", "assert len(set(results)) == 16", SIM, 3),
    "generator": Use("return tuple(wg.rand(4).tolist())", "assert len(set(results)) == 16", repeats=3),
    "seeded_generator": Use(
        "return tuple(wg.rand(4, generator=g).tolist())", "assert len(set(results)) == 16",
        "import wengert as wg\nwg.rand(1)\ng = wg.Generator().manual_seed(3)", 3),
    "families_of_ops": Use(
        "names = 'sinh cholesky conv2d sort std cat searchsorted gather einsum rand histc unique tril kron'.split()\n"
        "return [callable(getattr(wg, names[(i + k) % len(names)])) for k in range(len(names))]",
        "assert all(all(found) for found in results)"),
    "methods": Use(
        "names = 'sinh cholesky sort std gather flip roll digamma tril diag nonzero softmax unfold cov'.split()\n"
        "return [callable(getattr(x, names[(i + k) % len(names)])) for k in range(len(names))]",
        "assert all(all(found) for found in results)", "import wengert as wg\nx = wg.ones(3, 3)"),
    "loops": Use(
        "kinds = (wg.float16, wg.bfloat16, wg.float32, wg.float64, wg.int64, wg.uint8, wg.complex64)\n"
        "found = {}\n"
        "for k in range(7):\n"
        "    x = wg.ones(3, dtype=kinds[(i + k) % 7])\n"
        "    assert [y.dtype for y in (x + x, x * x, x.square(), x.neg(), x == x)] == [x.dtype] * 4 + [wg.bool]\n"
        "    found[x.dtype] = (x + x).tolist(), (x / 2).tolist(), (x == x).tolist()\n"
        "return [found[kind] for kind in kinds]",
        "assert results == [results[0]] * 16", repeats=4),
    "lapack": Use(
        "a = wg.eye(4) + 1\n"
        "l = wg.linalg\nfs = [l.inv, l.cholesky, l.qr, l.svd, l.eigh, l.det, a.matmul]\n"
        "for k in range(7):\n    fs[(i + k) % 7](a)\n"
        "return round(float(wg.linalg.det(a)), 3)",
        "assert results == [5.0] * 16"),
    "workers": Use(
        "x = wg.ones(1 << 18)\ny = x.view(512, 512)\nreturn float(x.sum()), float((x + x)[7]), float((y @ y)[3, 4])",
        "assert results == [(1 << 18, 2.0, 512.0)] * 16"),
    "backward": Use(
        "x = wg.ones(3, requires_grad=True)\n(x * x).sum().backward()\nreturn x.grad.tolist()",
        "assert results == [[2, 2, 2]] * 16", repeats=3),
    "formulas": Use(
        "x = wg.ones(3, 3, requires_grad=True)\n"
        "fs = [wg.sin, wg.exp, wg.sigmoid, lambda a: a.cumsum(0), lambda a: a.sort(0)[0], lambda a: a @ a,\n"
        "      lambda a: wg.cat([a, a]), lambda a: a.softmax(0), lambda a: wg.linalg.inv(wg.eye(3) + a), wg.std]\n"
        "return sum(bool(wg.autograd.grad(fs[(i + k) % 10](x).sum(), x)) for k in range(10))",
        "assert results == [10] * 16"),
    "vmap": Use(
        "return wg.func.vmap(lambda a: a.square().sum())(wg.ones(3, 4)).tolist()",
        "assert results == [[4, 4, 4]] * 16"),
    "transforms": Use(
        "x = wg.ones(3)\n"
        "fs = [lambda: wg.func.jvp(wg.sin, (x,), (x,)), lambda: wg.func.jacrev(wg.sin)(x),\n"
        "      lambda: wg.func.hessian(wg.sum)(x)]\n"
        "return sum(bool(fs[(i + k) % 3]() is not None) for k in range(3))",
        "assert results == [3] * 16"),
    "functional": Use(
        "return wg.autograd.functional.jacobian(lambda a: a * a, wg.ones(2)).tolist()",
        "assert results == [[[2, 0], [0, 2]]] * 16"),
    "profiler": Use(
        "with wg.autograd.profiler.profile() as p:\n    wg.ones(3) + 1\nreturn len(p.function_events) > 0",
        "assert results == [True] * 16"),
    "record_function": Use("with wg.autograd.profiler.record_function('a'):\n    return (wg.ones(2) + 1).tolist()"),
    "function": Use(
        "class Double(wg.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g * 2\n"
        "x = wg.ones(2, requires_grad=True)\nDouble.apply(x).sum().backward()\nreturn x.grad.tolist()",
        "assert results == [[2, 2]] * 16"),
    "hooks": Use(
        "x = wg.ones(2, requires_grad=True)\n"
        "with wg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):\n    y = (x * x).sum()\n"
        "y.backward()\nreturn x.grad.tolist()",
        "assert results == [[2, 2]] * 16"),
    "anomaly_mode": Use(
        "with wg.autograd.detect_anomaly():\n"
        "    x = wg.ones(2, requires_grad=True)\n    (x * 2).sum().backward()\nreturn x.grad.tolist()",
        "assert results == [[2, 2]] * 16"),
    "checkpoint": Use(
        "from wengert.utils.checkpoint import checkpoint\n"
        "x = wg.ones(2, requires_grad=True)\ncheckpoint(wg.square, x, use_reentrant=False).sum().backward()\n"
        "return x.grad.tolist()",
        "assert results == [[2, 2]] * 16"),
    "gradcheck": Use(
        "return wg.autograd.gradcheck(wg.sin, (wg.ones(2, dtype=wg.float64, requires_grad=True),))",
        "assert results == [True] * 16"),
    "printing": Use("return repr(wg.ones(3))", "assert results == [results[0]] * 16"),
    "pickling": Use(
        "import copy, pickle\nreturn copy.deepcopy(pickle.loads(pickle.dumps(wg.ones(3)))).tolist()",
        "assert results == [[1, 1, 1]] * 16"),
    "arrays": Use(
        "import numpy as np\n"
        "t = wg.from_numpy(np.ones(1)).numpy()\n"
        "return wg.from_dlpack(wg.tensor(np.ones(2))).tolist(), np.sqrt(wg.ones(2)).tolist(), t.tolist()",
        "assert results == [([1, 1], [1, 1], [1])] * 16"),
    "names": Use("return len(dir(wg)), len(dir(wg.Tensor))", "assert results == [results[0]] * 16"),
}


@pytest.mark.parametrize("name", USES)
def test_first_use_by_many_threads(name: str) -> None:
    use = USES[name]
    code = THREADS.format(setup=use.setup, call=textwrap.indent(use.call, "    "), check=use.check)
    command = [sys.executable, "-W", "ignore", "-X", "faulthandler", "-c", code]
    for _ in range(use.repeats):
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, f"{name}: {run.returncode}\n{run.stdout[-1000:]}\n{run.stderr[-3000:]}"
