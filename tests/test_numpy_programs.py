"""The programs of docs/examples/numpy_programs run as a user runs them, and find what they promise."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "examples" / "numpy_programs"
LOSSES = r"loss (\S+) at first, (\S+) at last"
NUMBER = r"(-?\d[-+.e\d]*)"
LIMITS: dict[str, list[tuple[str, float]]] = {
    "bayesian_neural_net": [],
    "bayesian_optimization": [(f"{NUMBER} at last", -0.933)],
    "black_box_svi": [(f"{NUMBER} at last", 1.0)],
    "convnet": [],
    "deep_gaussian_process": [(f"residual {NUMBER}", 0.1)],
    "define_gradient": [],
    "dot_graph": [],
    "fixed_points": [(f"error of the derivative {NUMBER}", 1e-9), (f"of the second one {NUMBER}", 1e-9)],
    "fluidsim": [],
    "gaussian_process": [(f"error on a grid {NUMBER}", 0.15)],
    "generative_adversarial_net": [(f"{NUMBER} at last", 0.5)],
    "gmm": [(f"{NUMBER} at last", 2.0)],
    "gplvm": [(f"{NUMBER} of the mean radius", 0.4)],
    "hmm_em": [(f"in an iteration: {NUMBER}", 1e-9)],
    "ica": [(f"cross-talk \\S+ at first, {NUMBER}", 0.2)],
    "logistic_regression": [(f"{NUMBER} at last", 0.3)],
    "lstm": [(f"{NUMBER} at last", 0.5)],
    "mixture_variational_inference": [(f"{NUMBER} at last", 0.1)],
    "natural_gradient_black_box_svi": [(f"natural gradient: .* {NUMBER} at last", 1.5)],
    "negative_binomial_maxlike": [(f"standard errors of the parameters {NUMBER}", 0.1)],
    "neural_net": [(f"{NUMBER} at last", 0.4)],
    "neural_net_regression": [(f"residual {NUMBER}", 0.1)],
    "ode_net": [(f"{NUMBER} at last", 0.3)],
    "print_trace": [],
    "rkhs": [(f"error on a grid {NUMBER}", 0.3)],
    "rnn": [(f"{NUMBER} at last", 0.5)],
    "rosenbrock": [(f"{NUMBER} at last", 1e-3)],
    "sinusoid": [(f"x \\S+ derivative \\S+ error {NUMBER}", 1e-9), (f"of the second derivative {NUMBER}", 1e-9)],
    "tanh": [(f"max relative error {NUMBER}", 1e-9)],
    "variational_autoencoder": [(f"{NUMBER} at last", 35.0)],
    "wing": [],
}
"""Numbers that a program prints, each by a pattern, and the largest that they may be."""
WORDS = {
    "convnet": ["of held-out digits"],
    "define_gradient": ["1000. ]: [0. 0. 1.]", "agree with differences"],
    "dot_graph": ["digraph {", 'label="Mv"', "node0 -> node1;", "shape=box"],
    "mixture_variational_inference": ["centers found: 3 of 3"],
    "print_trace": ["= SinBackward0(", "= MeanBackward0(", "value 0.824988"],
}
WITHOUT_LOSS = {"define_gradient", "dot_graph", "fixed_points", "print_trace", "sinusoid", "tanh"}


def run(program: str, *arguments: str) -> str:
    """Return what a program prints; it has to end well and to write nothing to stderr."""
    command = [sys.executable, "-W", "error", f"{program}.py", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=FOLDER)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def needs_scipy(program: str) -> bool:
    """Return whether a program, or one that it imports, imports SciPy."""
    source = (FOLDER / f"{program}.py").read_text(encoding="utf-8")
    imported = [name for name in LIMITS if f"\nfrom {name} import" in source]
    return "\nfrom scipy" in source or any(map(needs_scipy, imported))


@pytest.mark.parametrize("program", LIMITS)
def test_a_program_finds_what_it_promises(program: str) -> None:
    if needs_scipy(program) and importlib.util.find_spec("scipy") is None:
        pytest.skip("the program uses SciPy, which is not installed")
    text = run(program)
    losses = [(float(first), float(last)) for first, last in re.findall(LOSSES, text)]
    assert bool(losses) == (program not in WITHOUT_LOSS), text
    assert [pair for pair in losses if not pair[1] < pair[0]] == [], text
    assert [word for word in WORDS.get(program, []) if word not in text] == [], text
    for pattern, limit in LIMITS[program]:
        numbers = [float(number) for number in re.findall(pattern, text)]
        assert numbers, f"no {pattern!r} in:\n{text}"
        assert max(numbers) <= limit, text


def test_every_program_is_run_and_listed() -> None:
    programs = {path.stem for path in FOLDER.glob("*.py")}
    assert programs == set(LIMITS)
    page = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert [name for name in sorted(programs) if f"[{name}.py](numpy_programs/{name}.py)" not in page] == []


def test_the_number_of_steps_is_an_argument() -> None:
    assert run("logistic_regression", "1") != run("logistic_regression", "2")
