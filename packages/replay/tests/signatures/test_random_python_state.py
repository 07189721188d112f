"""Random functions that change state of Python and read it: captured, they give the numbers of eager calls."""

import itertools
import random
import textwrap

import pytest
import wengert as wg

STATES = {  # code that makes the state, how it is named, how it is declared
    "variable": ("n = 0", "n", "nonlocal n"),
    "attribute": ("s = Object(n=0)", "s.n", ""),
    "list": ("c = [0, 5]", "c[0]", ""),
    "dict": ("c = {'n': 0}", "c['n']", ""),
    "nested": ("s = Object(a=Object(b=[{'n': 0}]))", "s.a.b[0]['n']", ""),
    "class": ("class K: n = 0", "K.n", ""),
    "slot": ("s = Slot(); s.n = 0", "s.n", ""),
    "namespace": ("s = types.SimpleNamespace(n=0)", "s.n", ""),
    "dict of an object": ("s = Object(d={'x': {'n': 0}})", "s.d['x']['n']", ""),
    "numbers as keys": ("c = {1: {2: 0}}", "c[1][2]", ""),
    "deque": ("c = collections.deque([0, 1], maxlen=2)", "c[0]", ""),
    "defaultdict": ("c = collections.defaultdict(int)", "c['n']", ""),
    "module": ("m = wg.nn.Linear(2, 2); m.n = 0", "m.n", ""),
    "function": ("def h(): pass\nh.n = 0", "h.n", ""),
    "property": ("s = Property()", "s.n", ""),
}
UPDATES = (
    "N += 1", "N = N + 1", "N = (N + 1) % 3", "N = 1 - N", "N = N + 1 if N < 4 else 0", "N += len(x)",
    "new = N + 1; N = new",
)  # fmt: skip
READS = (
    "y = x * (N + 1)",
    "y = x * 2 if N % 4 == 0 else x + 1",
    "y = x[: N % 2 + 1].sum()",
    "y = x\nfor _ in range(N % 3): y = y + 1",
    "y = x * [1, 2, 3][N % 3]",
    "k = N\nif k > 6: x = x * 3\ny = x + 0",
    "y = x + helper(N)",
    "y = x + wg.tensor(float(N))",
    "y = x * 2 if N in (3, 5) else x",
    "y = (x if N < 7 else -x) * 1",
    "t = (N, 1)\ny = x * t[0]",
    "y = x * max(N, 4)",
    "y = wg.full((2,), N, device=x.device) + x",
    "while N > 8:\n    x = x + 1\n    break\ny = x * 1",
    "y = x + sum(1 for _ in range(N))",
    "y = x * (lambda: N + 1)()",
    "match N % 5:\n    case 4: y = x * 9\n    case _: y = x * 1",
    "try:\n    y = x * [1, 2, 3, 4, 5, 6, 7][N]\nexcept IndexError:\n    y = -x",
)
HEAD = """
import collections, types
import wengert as wg

class Object:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)

class Slot:
    __slots__ = ("n",)

class Property:
    _n = 0

    @property
    def n(self):
        return self._n

    @n.setter
    def n(self, n):
        self._n = n

def helper(k):
    return k * 2

def make():
"""
PLACES = {
    "itself": "def function(x):\nBODY",
    "inner function": "def inner(x):\nBODY\ndef function(x):\n    return inner(x) + 0",
    "method": "class Owner:\n    def go(self, x):\n    BODY\n    def call(self, x):\n"
    "        return self.go(x) * 1\nfunction = Owner().call",
}
PROGRAMS = [*itertools.product(STATES, UPDATES, READS, (False, True), PLACES)]


def maker_of(state, update, read, reads_first, place, in_module):
    """Return a function that makes the program, and its code. in_module: whether it knows the name of its module."""
    setup, name, declaration = STATES[state]
    parts = [declaration, *(update, read)[:: -1 if reads_first else 1], "return y"]
    body = textwrap.indent("\n".join(parts).replace("N", name), "    ")
    if place == "method":
        body = textwrap.indent(body, "    ").removeprefix("    ")
    whole = f"{setup}\n{PLACES[place].replace('BODY', body)}\nreturn function"
    code = HEAD + textwrap.indent(whole, "    ")
    names = {"__name__": "__main__"} if in_module else {}
    exec(code, names)
    return names["make"], code


def results_of(function, device, requires_grad):
    """Return numbers and gradients of 14 calls, or the kind of error."""
    for _ in range(14):
        x = wg.tensor([1.0, 0.5], device=device, requires_grad=requires_grad)
        try:
            y = function(x)
            if y.requires_grad:
                y.sum().backward()
            yield y.tolist(), None if x.grad is None else x.grad.tolist()
        except (TypeError, ValueError, RuntimeError) as error:
            yield type(error)


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("seed", range(12))
def test_random_functions_that_change_what_they_read(seed, device):
    numbers = random.Random(f"{seed} {device}")
    for _ in range(12):
        make, code = maker_of(*numbers.choice(PROGRAMS), in_module=numbers.random() < 0.7)
        requires_grad = numbers.random() < 0.5
        captured = wg.capture(make(), quiet=True)
        expected = [*results_of(make(), device, requires_grad)]
        assert [*results_of(captured, device, requires_grad)] == expected, code
        assert wg.replay.explain(captured).replays == 0, code


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("update", ["N += 1", "N = N + 1", "N += len(x)", "N = 3"])
def test_functions_that_only_count_are_replayed(state, update, place):
    if STATES[state][1].endswith("]"):
        update = update.replace("N = N + 1", "N += 1")  # c[0] = c[0] + 1 reads an item
    make, code = maker_of(state, update, "y = x * 2", False, place, in_module=True)
    captured = wg.capture(make(), quiet=True)
    results = [*results_of(captured, "cpu", requires_grad=False)]
    assert results == [([2.0, 1.0], None)] * 14
    if state != "property":  # whose method reads its attribute
        assert wg.replay.explain(captured).replays >= 12, code
