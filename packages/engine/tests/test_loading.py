"""What works in a backward or a Function only is loaded when one is asked for."""

import subprocess
import sys

import pytest

PREAMBLE = """
import sys, wengert as wg
def there():
    names = "reverse.api", "function.function_class", "reverse.graph_task"
    return [name for name in names if "wengert_engine." + name in sys.modules]
print(there())
"""


def output_of(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", PREAMBLE + code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_recording_needs_no_backward():
    code = "x = wg.ones(2, requires_grad=True); y = (x * x).sum(); print(y.grad_fn.name(), there())"
    assert output_of(code) == ["[]", "SumBackward0 []"]


def test_the_first_backward_loads_what_it_needs():
    code = "x = wg.ones(2, requires_grad=True); (x * x).sum().backward(); print(x.grad.tolist(), there())"
    assert output_of(code) == ["[]", "[2.0, 2.0] ['reverse.api', 'reverse.graph_task']"]


@pytest.mark.parametrize("name", ["Function", "InplaceFunction", "backward", "grad", "once_differentiable"])
def test_each_name_is_there_when_it_is_asked_for(name):
    code = f"import wengert_engine; print('{name}' in dir(wengert_engine), wengert_engine.{name}.__name__)"
    assert output_of(code) == ["[]", f"True {name}"]


def test_a_name_that_nobody_has_is_an_error():
    code = "import wengert_engine\ntry:\n    wengert_engine.gradd\nexcept AttributeError as e:\n    print(e)"
    assert output_of(code) == ["[]", "module 'wengert_engine' has no attribute 'gradd'"]


def test_threads_may_start_with_their_first_backward():
    code = """
from threading import Barrier, Thread
gate, found = Barrier(8), []
def work():
    x = wg.ones(2, requires_grad=True)
    y = (x * x).sum()
    gate.wait()
    y.backward()
    found.append(x.grad.tolist())
threads = [Thread(target=work) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(found == [[2.0, 2.0]] * 8)
"""
    assert output_of(code) == ["[]", "True"]


def test_everyday_calls_read_no_documentation():
    code = """
x = wg.ones(2, 2, requires_grad=True)
(x.T @ x.mT + x[0] - x.real.exp()).softmax(0).sum().backward()
print([name for name in ("wengert_core.dispatch.op_docs", "importlib.resources") if name in sys.modules])
print(type(x).mT.__doc__)
"""
    assert output_of(code) == ["[]", "[]", "The tensor with its last two dims swapped."]
