"""What is loaded when: the table by the first use of a name, SciPy by the first function that is computed."""

import subprocess
import sys

import pytest

LOADED = "print([name in sys.modules for name in ('wengert_special', 'scipy', 'scipy.special')])"


def run(program):
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_importing_wengert_loads_nothing_of_it():
    assert run(f"import sys, wengert, wengert.special, wengert.fft; {LOADED}") == ["[False, False, False]"]


def test_names_that_core_has_do_not_load_it():
    program = f"import sys, wengert as wg; wg.special.expit(wg.lgamma(wg.ones(2))); {LOADED}"
    assert run(program) == ["[False, False, False]"]


def test_its_names_are_listed_before_it_is_loaded():
    program = f"import sys, wengert as wg; print('i1e' in dir(wg.special), 'igamma' in dir(wg)); {LOADED}"
    assert run(program) == ["True True", "[False, False, False]"]


@pytest.mark.parametrize("use", ["wg.polygamma", "wg.special.i1e", "hasattr(wg, 'no_such_name')"])
def test_a_name_loads_the_table_but_not_scipy(use):
    assert run(f"import sys, wengert as wg; {use}; {LOADED}") == ["[True, False, False]"]


@pytest.mark.parametrize("use", ["x.i0()", "x.igamma(x)", "x.polygamma(1)", "x.clone().i0_()", "wg.special.ndtri(x)"])
def test_a_call_loads_scipy_whether_it_is_a_method_or_a_function(use):
    assert run(f"import sys, wengert as wg; x = wg.ones(2); {use}; {LOADED}") == ["[True, True, True]"]


def test_the_second_derivative_of_lgamma_loads_it():
    program = """
import sys, wengert as wg
x = wg.tensor([1.0], dtype=wg.float64, requires_grad=True)
(g,) = wg.autograd.grad(x.lgamma(), x, create_graph=True)
print('scipy' in sys.modules, round(wg.autograd.grad(g, x)[0].item(), 6))
"""
    assert run(program) == ["False 1.644934"]


def test_the_first_look_at_a_method_gives_the_op_itself():
    program = f"""
import sys, wengert as wg
print(wg.Tensor.igamma is wg.igamma, wg.Tensor.polygamma is wg.polygamma)
{LOADED}
"""
    assert run(program) == ["True False", "[True, False, False]"]


def test_the_table_may_be_loaded_before_wengert():
    program = """
import wengert_core as wc
from wengert_registry import registry
registry.group("ops").load_all()
import wengert as wg
x = wg.tensor([1.0])
print(wg.Tensor.igamma is wg.igamma, x.polygamma(1).item() == wg.polygamma(1, x).item())
"""
    assert run(program) == ["True True"]


def test_it_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("WENGERT_DISABLE_PLUGINS", "wengert-special")
    program = """
import wengert as wg
for call in (lambda: wg.ones(2).igamma(wg.ones(2)), lambda: wg.polygamma, lambda: wg.special.i1):
    try:
        call()
    except ImportError as error:
        print(str(error).partition('pip')[2].partition(' (see')[0])
print(wg.special.expit(wg.zeros(1)).item())
"""
    assert run(program) == [" install 'wengert[special]'"] * 3 + ["0.5"]
