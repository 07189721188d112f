"""The programs of docs/examples run as a user runs them, and print what they promise."""

import csv
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from wengert_core.devices import device as devices

EXAMPLES = Path(__file__).resolve().parents[1] / "docs" / "examples"
WITH_PICTURES = importlib.util.find_spec("matplotlib") is not None


def run(program: str, out: Path, *options: str) -> str:
    """What the program prints; it has to end well and to write nothing to stderr."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / program), "--out", str(out), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=out)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def number(pattern: str, text: str) -> float:
    match = re.search(pattern, text)
    assert match, f"no {pattern!r} in:\n{text}"
    return float(match[1])


def check_pictures(out: Path, text: str, *names: str) -> None:
    """PNGs where matplotlib is installed, else a sentence that says why there are none."""
    if not WITH_PICTURES:
        assert "matplotlib is not installed" in text
        assert not [*out.glob("*.png")]
    for name in names if WITH_PICTURES else ():
        assert (out / name).read_bytes().startswith(b"\x89PNG")
        assert str(out / name) in text


def test_digits_quick(tmp_path: Path) -> None:
    text = run("digits.py", tmp_path, "--quick", "--seed", "3")
    assert "1442 images to train with, 355 held out, seed 3" in text
    lines = re.findall(r"^epoch +(\d)/3: loss (\d\.\d{4}), accuracy +(\d+\.\d\d)%$", text, re.MULTILINE)
    assert [epoch for epoch, _, _ in lines] == ["1", "2", "3"]  # not a terminal: a line for each epoch, no bar
    assert float(lines[-1][1]) < float(lines[0][1])
    assert number(r"test accuracy: (\S+)%", text) == float(lines[-1][2]) > 70
    assert number(r"max relative error (\S+)", text) < 1e-6
    assert number(r"time per step: (\d+) us", text) > 0
    check_pictures(tmp_path, text, "learning_curve.png", "misread.png")


def test_a_profiled_step(tmp_path: Path) -> None:
    """Its files are those that the page on the profiler shows."""
    text = run("profile_step.py", tmp_path, "--quick")
    for word in ("aten::linear", "AddmmBackward0", "FLOPs", "saved tensors: peak", "profile_step.py("):
        assert word in text
    trace = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))
    names = {event["name"] for event in trace["traceEvents"]}
    assert {"forward", "backward", "update", "fwdbwd", "memory of tensors"} <= names
    assert "step" in (tmp_path / "flame.html").read_text(encoding="utf-8")


def test_digits_reads_97_percent(tmp_path: Path) -> None:
    """The whole job, as `make demo` runs it."""
    text = run("digits.py", tmp_path)
    assert number(r"test accuracy: (\S+)%", text) >= 97


def test_digits_says_by_its_exit_status_that_the_accuracy_is_low(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "digits.py"), "--out", str(tmp_path), "--epochs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stdout + done.stderr
    assert number(r"test accuracy: (\S+)%", done.stdout) < 97


def test_digits_modules_quick(tmp_path: Path) -> None:
    text = run("digits_modules.py", tmp_path, "--quick", "--seed", "3")
    assert "7210 images to train with, 355 held out, seed 3" in text
    assert number(r"epoch +1/1: loss \S+, accuracy +(\S+)%", text) == number(r"test accuracy: (\S+)%", text) > 70
    assert f"weights: {tmp_path / 'digits.pt'}; answers of the network that has loaded them equal: yes" in text
    assert number(r"max relative error (\S+)", text) < 1e-6
    assert (tmp_path / "digits.pt").stat().st_size > 4 * (64 * 128 + 128 + 128 * 10 + 10)
    check_pictures(tmp_path, text, "learning_curve.png", "misread.png")


def test_digits_modules_reads_97_percent(tmp_path: Path) -> None:
    assert number(r"test accuracy: (\S+)%", run("digits_modules.py", tmp_path)) >= 97


def test_lstm_quick(tmp_path: Path) -> None:
    text = run("lstm.py", tmp_path, "--quick")
    assert len(re.findall(r"^step +\d+/10: mean squared error \d\.\d{4}$", text, re.MULTILINE)) == 10
    assert number(r"max relative error (\S+)", text) < 1e-6


def test_lstm_learns_to_add(tmp_path: Path) -> None:
    assert number(r"on 500 new sequences: (\S+)", run("lstm.py", tmp_path)) < 0.01


def test_transformer_quick(tmp_path: Path) -> None:
    text = run("transformer.py", tmp_path, "--quick")
    losses = [float(loss) for loss in re.findall(r"^step +\d+/10: loss (\S+)$", text, re.MULTILINE)]
    assert len(losses) == 10
    assert losses[-1] < losses[0]
    assert "it writes: A tensor" in text


@pytest.mark.skipif(
    importlib.util.find_spec("torchdiffeq") is None,
    reason="torchdiffeq is not installed; it requires PyTorch: pip install --no-deps torchdiffeq",
)
def test_neural_ode_quick(tmp_path: Path) -> None:
    text = run("neural_ode_torchdiffeq.py", tmp_path, "--quick")
    assert len(re.findall(r"^step +\d+/3: mean squared error of pieces \d\.\d{5}$", text, re.MULTILINE)) == 3
    assert number(r"max relative difference (\S+)", text) < 1e-5


def test_lotka_volterra_quick(tmp_path: Path) -> None:
    text = run("lotka_volterra.py", tmp_path, "--quick")
    losses = [float(loss) for loss in re.findall(r"^iteration +\d+/5: loss (\S+)$", text, re.MULTILINE)]
    assert len(losses) == 5
    assert losses[0] == pytest.approx(0.47438, abs=1e-5)  # the same program on PyTorch 2.13, float64
    assert losses[-1] < losses[0]
    for name, published in (("alpha", 0.545), ("beta", 0.028), ("gamma", 0.803), ("delta", 0.024)):
        assert number(rf"{name} +\S+ +(\S+)", text) == published
    assert len(re.findall(r"^19\d\d(?: +\d+\.\d){4}$", text, re.MULTILINE)) == 21
    assert number(r"hare (\S+), lynx", text) < 1
    assert number(r"max relative error (\S+)", text) < 1e-6
    assert number(r"time per step: (\S+) ms", text) > 0
    check_pictures(tmp_path, text, "lotka_volterra.png")


def test_saved_on_disk(tmp_path: Path) -> None:
    text = run("saved_on_disk.py", tmp_path, "--quick")
    assert re.search(r"^loss 0\.\d{6}: 9 files, 0\.\d MiB, for 4 layers$", text, re.MULTILINE)
    assert number(r"backward has read (\S+) MiB", text) > 0
    assert "files left: 0" in text
    assert "gradients equal to those of a run in memory: yes" in text
    assert not [*tmp_path.iterdir()]


def test_word_embeddings(tmp_path: Path) -> None:
    text = run("word_embeddings.py", tmp_path, "--quick")
    losses = [float(loss) for loss in re.findall(r"^epoch \d/2: loss (\S+)$", text, re.MULTILINE)]
    assert len(losses) == 2
    assert losses[1] < losses[0]
    assert number(r"rows changed beside those of a batch: (\d+)", text) == 0
    assert number(r"rows changed in a step: (\d+)", text) > 100
    assert number(r"max difference (\S+)", text) < 1e-6


def test_a_sparse_model(tmp_path: Path) -> None:
    text = run("sparse_model.py", tmp_path)
    assert number(r"test accuracy: (\S+)%", text) >= 80
    assert number(r"max relative error (\S+)", text) < 1e-6


def test_a_captured_controller(tmp_path: Path) -> None:
    text = run("replay_controller.py", tmp_path, "--quick")
    assert "programs: 1, replays: 9" in text
    assert "costs and weights equal to those without capture: yes" in text
    assert number(r"time per step: \S+ ms as usual, (\S+) ms replayed", text) > 0


def test_a_captured_controller_stands(tmp_path: Path) -> None:
    assert number(r"the angles are at most (\S+)", run("replay_controller.py", tmp_path)) < 0.05


# ---- on another device: the simulated one, or the one that WENGERT_TEST_DEVICE names

DEVICE = os.environ.get("WENGERT_TEST_DEVICE", "sim")


@pytest.fixture
def device() -> str:
    """Its name; a device that is not there skips, and says why."""
    if DEVICE == "sim":  # not loaded here: it is for the programs
        if importlib.util.find_spec("wengert_testing") is None:
            pytest.skip("the simulated device is part of wengert-testing")
        return DEVICE
    plugin = devices.plugin_of(DEVICE)
    if plugin is None or not plugin.device_count():
        pytest.skip(f"no plugin of '{DEVICE}' is installed" if plugin is None else plugin.unavailable())
    return DEVICE


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("digits.py", ["test accuracy", "max relative error"]),
        ("digits_modules.py", ["answers of the network that has loaded them equal: yes", "max relative error"]),
        ("lstm.py", ["max relative error"]),
        ("transformer.py", ["it writes: A tensor"]),
        ("saved_on_disk.py", ["files left: 0", "gradients equal to those of a run in memory: yes"]),
        ("profile_step.py", ["aten::linear", "saved tensors: peak"]),
        ("word_embeddings.py", ["rows changed beside those of a batch: 0"]),
        ("sparse_model.py", ["test accuracy", "max relative error"]),
    ],
)
def test_programs_on_another_device(program: str, words: list[str], tmp_path: Path, device: str) -> None:
    text = run(program, tmp_path, "--quick", "--device", device)
    assert [word for word in words if word not in text] == []


def test_lotka_volterra_on_another_device(tmp_path: Path, device: str) -> None:
    """With a step a year: the simulated device takes a thousand times as long for an operation on a number."""
    code = "import sys, lotka_volterra as program; program.STEPS = 1; sys.exit(program.main())"
    command = [sys.executable, "-W", "error", "-c", code, "--iterations", "1", "--device", device,
               "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=EXAMPLES)
    assert done.returncode in (0, 1), done.stderr  # 1: such a fit is bad
    assert done.stderr == ""
    assert number(r"max relative error (\S+)", done.stdout) < 1e-6


def test_the_data_are_whole_and_their_source_is_stated() -> None:
    with np.load(EXAMPLES / "data" / "digits.npz") as data:
        images, labels = data["images"], data["labels"]
    assert images.shape == (1797, 8, 8)
    assert (images.min(), images.max()) == (0, 16)
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    with (EXAMPLES / "data" / "hudson_bay_pelts.csv").open(newline="") as file:
        assert [int(row["year"]) for row in csv.DictReader(file)] == [*range(1900, 1921)]
    source = (EXAMPLES / "data" / "SOURCE.md").read_text()
    for file in (EXAMPLES / "data").glob("[!S]*"):
        assert f"## {file.name}" in source
