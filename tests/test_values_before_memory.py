"""Arguments that run code of their own while they are read: Note [Values first, memory after],
core/dispatch/exact_values.pxd.

Each snippet runs in a process of its own with freed memory overwritten; it must not read or write what is not the
tensor's.
"""

import os
import subprocess
import sys

import pytest

SETTING = """
import pickle
import wengert as torch
T = torch.ones

class Number:
    "A number whose conversion does something to the tensor under the call."
    def __init__(self, act, value=0):
        self.act, self.value = act, value
    def __index__(self):
        self.act()
        return self.value
    def __float__(self):
        self.act()
        return float(self.value)
    __int__ = __trunc__ = __index__
    def __complex__(self):
        self.act()
        return complex(self.value)
    def __bool__(self):
        self.act()
        return bool(self.value)

class Float(float):
    def __float__(self):
        raise SystemExit("a float subclass has its own value")
    __index__ = __int__ = __float__

class Int(int):
    def __index__(self):
        raise SystemExit("an int subclass has its own value")
    __int__ = __float__ = __index__

class Liar(list):
    "A list whose length is another one."
    def __len__(self):
        return 2
    def __getitem__(self, i):
        return 1

class Endless:
    def __init__(self, n):
        self.n = n
    def __len__(self):
        return self.n
    def __getitem__(self, i):
        return 1

def shrink(x):
    return lambda: x.resize_(0)

def swap(x):
    return lambda: x.set_(torch.zeros(1))

def grow(items):
    return lambda: items.extend([1] * 200)

def refused(call, *kinds):
    try:
        call()
    except kinds or Exception as error:
        assert str(error), error
        return str(error)
    raise AssertionError("nothing was refused")
"""

SNIPPETS = {
    "transposed_by_a_number_that_resizes": """
for act in (shrink, swap):
    x = T(2, 3, 4)
    refused(lambda: x.transpose(0, Number(act(x), 2)), IndexError)
    x = T(2, 3, 4)
    refused(lambda: x.permute(0, 1, Number(act(x), 2)))
    x = T(2, 3, 4)
    refused(lambda: x.select(2, Number(act(x), 1)), IndexError)
    x = T(2, 3, 4)
    refused(lambda: x.sum(Number(act(x), 2)), IndexError)
    x = T(2, 3, 4)
    refused(lambda: torch.softmax(x, Number(act(x), 2)), IndexError)
    x = T(2, 3, 4)
    refused(lambda: x.size(Number(act(x), 2)), IndexError)
    x = T(2, 3, 4)
    refused(lambda: x.stride(Number(act(x), 2)), IndexError)
""",
    "indexed_by_a_number_that_resizes": """
for act in (shrink, swap):
    for key in (lambda x: Number(act(x), 2), lambda x: slice(Number(act(x), 1), 3),
                lambda x: slice(0, Number(act(x), 3)), lambda x: (1, slice(None, None, Number(act(x), 1))),
                lambda x: (Ellipsis, Number(act(x), 1)), lambda x: [Number(act(x), 1)]):
        x = T(4, 5)
        try:
            x[key(x)].tolist()
        except (IndexError, ValueError):
            pass
        x = T(4, 5)
        try:
            x[key(x)] = 7.0
        except (IndexError, ValueError, RuntimeError):
            pass
""",
    "assigned_a_number_that_resizes": """
for act in (shrink, swap):
    x = T(1000)
    x[10:500] = Number(act(x), 5)
    x = T(1000)
    for name in ("add", "eq", "mul", "lt", "__eq__", "__add__"):
        x = T(1000)
        try:
            getattr(x, name)(Number(act(x), 5)).sum().item()
        except TypeError:
            pass
    x = T(1000)
    x += Number(act(x), 5)
    x = T(1000)
    try:
        torch.clamp(x, Number(act(x), 0), 2)
    except TypeError:
        pass
""",
    "subclasses_of_numbers": """
assert (T(2) * Float(2)).tolist() == [2.0, 2.0] and (T(2) + Int(2)).tolist() == [3.0, 3.0]
assert T(4).view(Int(2), 2).shape == (2, 2) and T(2, 3).sum(Int(1)).tolist() == [3.0, 3.0]
x = T(3)
x[1] = Float(5)
assert x.tolist() == [1.0, 5.0, 1.0]
""",
    "lists_that_lie": """
assert T(6).view(Liar([2, 3])).shape == (2, 3)
assert torch.zeros(Liar([2, 3, 4])).shape == (2, 3, 4)
assert torch.cat(Liar([T(2), T(3)])).shape == (5,)
assert torch.stack(Liar([T(2)])).shape == (1, 2)
refused(lambda: T(1).expand(Endless(2**62)), RuntimeError)
refused(lambda: T(1).view(Endless(2**62)), RuntimeError)
refused(lambda: torch.zeros(Endless(100)), RuntimeError)
refused(lambda: T(1)[Endless(65)], IndexError, RuntimeError)
""",
    "lists_that_grow": """
for call in (lambda s: T(4).view(s), lambda s: T(4).expand(s), lambda s: torch.zeros(s), lambda s: T(4).repeat(s),
             lambda s: T(4).permute(s), lambda s: T(4).flip(s), lambda s: T(4).sum(s), lambda s: T(4).as_strided(s, s)):
    sizes = [4, 1]
    sizes.insert(0, Number(grow(sizes), 1))
    try:
        call(sizes)
    except (RuntimeError, IndexError):
        pass
    sizes = [4, 1, 1, 1]
    sizes.insert(0, Number(sizes.clear, 1))
    try:
        call(sizes)
    except (RuntimeError, IndexError):
        pass
data = [[1.0, 2.0], [3.0, 4.0]]
data[0][0] = Number(data.clear, 1)
refused(lambda: torch.tensor(data))
""",
    "lists_that_hold_themselves": """
z = [0]
z += [z]
for call in (torch.tensor, torch.as_tensor, torch.asarray, lambda z: T(2).new_tensor(z)):
    refused(lambda: call(z), TypeError, ValueError)
y = []
y.append([y])
refused(lambda: torch.tensor(y), ValueError)
a, b = [1], [2]
a.append(b)
b.append(a)
refused(lambda: torch.tensor(a), ValueError)
refused(lambda: T(3)[y])
refused(lambda: T(3).new(y)) if hasattr(T(3), "new") else None
""",
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_values_are_read_before_memory_is_looked_at(name):
    command = [sys.executable, "-X", "faulthandler", "-c", SETTING + SNIPPETS[name]]
    environment = {**os.environ, "MALLOC_PERTURB_": "165"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]


WHILE_WARNED = """
import warnings
import wengert as wg
from wengert_core import TABLE
from wengert_testing.calls import as_tensors, contiguous
from wengert_testing.samples import CASES

def call(op, case, sample, out):
    args, words = as_tensors(sample, contiguous)
    args = case.arguments(args)
    def show(*args_of_warning, **keywords):
        shown.append(1)
        for t in args:
            if isinstance(t, wg.Tensor):
                t.set_(wg.ones(3, 2, 2, 3, 5).to(t.dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        try:
            op(*args, **words, out=out)
        except (RuntimeError, TypeError, IndexError, ValueError):
            pass

shown = []
for case in CASES:
    op = TABLE.ops.get(case.op)
    for sample in list(case.samples("float64"))[:2] if op is not None else ():
        for dtype in (wg.float64, wg.float32, wg.int64):
            call(op, case, sample, wg.zeros(7, dtype=dtype))
print(len(shown))
"""


def test_code_that_runs_while_a_warning_is_shown_finds_no_driver_with_pointers():
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", WHILE_WARNED], capture_output=True, text=True,
                          check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 200


WRITES_TO_EXPANDED = {
    "index_fill_": "x.index_fill_(0, index, 2.0)", "masked_fill_": "x.masked_fill_(mask, 2.0)",
    "masked_fill_ by a tensor": "x.masked_fill_(mask, value[0])", "index_put_": "x.index_put_((index,), value)",
    "x[index] = value": "x[index] = value",
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES_TO_EXPANDED)
def test_a_write_to_an_expanded_tensor_refuses_what_changes_while_it_warns(name):
    code = f"""
import warnings
import wengert as wg

def show(*args, **keywords):
    for t in (x, index, mask, value):
        t.set_(wg.ones(3, 2, 2, 3, 5).to(t.dtype))

warnings.simplefilter("always")
warnings.showwarning = show
for _ in range(50):
    x, index = wg.ones(1).expand(3), wg.tensor([0, 1])
    mask, value = wg.ones(3, dtype=wg.bool), wg.ones(2)
    try:
        {WRITES_TO_EXPANDED[name]}
    except RuntimeError as error:
        assert "an argument has got other memory or another shape" in str(error), error
    else:
        raise AssertionError("accepted")
"""
    command = [sys.executable, "-X", "faulthandler", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
