"""python -m wengert.profile: any program, with its arguments, exit status and failures."""

import json
import subprocess
import sys

import pytest
import wengert as wg

SCRIPT = """
import sys
import wengert as wg
x = wg.ones(3, requires_grad=True)
(x * x).sum().backward()
print(__name__, sys.argv[1:])
"""


def run(folder, *arguments):
    command = [sys.executable, "-m", "wengert.profile", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder)


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def test_a_script_runs_as_without_it_and_its_table_is_printed(script, tmp_path):
    done = run(tmp_path, "--shapes", "--memory", "--flops", "--sink", "chrome:trace.json", script, "--shapes", "b")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "__main__ ['--shapes', 'b']\n"
    for word in ("aten::mul", "MulBackward0", "Input Shapes", "CPU Mem", "FLOPs", "Self CPU time total"):
        assert word in done.stderr
    assert json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))["traceEvents"]


def test_a_module(script, tmp_path):
    done = run(tmp_path, "--rows", 1, "-m", "script", "a")
    assert done.stdout == "__main__ ['a']\n"
    assert len([line for line in done.stderr.splitlines() if "::" in line or "Backward0" in line]) == 1


def test_lines_of_the_program(script, tmp_path):
    done = run(tmp_path, "--stack", 1, script)
    assert "script.py(5): <module>" in done.stderr


@pytest.mark.parametrize(
    ("ending", "code"), [("sys.exit(3)", 3), ("sys.exit()", 0), ("sys.exit('bad')", 1), ("raise ValueError('bad')", 1)]
)
def test_the_exit_status_is_the_programs(script, tmp_path, ending, code):
    script.write_text(f"{SCRIPT}{ending}\n", encoding="utf-8")
    done = run(tmp_path, script)
    assert done.returncode == code
    assert "aten::mul" in done.stderr
    assert ("bad" in done.stderr) == ("bad" in ending)


def test_a_device(script, tmp_path):
    done = run(tmp_path, "--device", "cuda", "--sort-by", "self_cuda_time_total", script)
    assert done.returncode == 0
    assert "Self CUDA" in done.stderr
    assert ("CUDA is not available" in done.stderr) != wg.cuda.is_available()
    assert "The nope is not a valid device option" in run(tmp_path, "--device", "nope", script).stderr


def test_a_program_without_operations(tmp_path):
    (tmp_path / "empty.py").write_text("", encoding="utf-8")
    done = run(tmp_path, "empty.py")
    assert (done.returncode, done.stderr.strip()) == (0, "no operation of wengert was run")


def test_what_cannot_be_done_is_said(script, tmp_path):
    done = run(tmp_path, "no_such_file.py")
    assert (done.returncode, done.stderr.strip()) == (2, "python -m wengert.profile: there is no file no_such_file.py")
    done = run(tmp_path, "--sink", "nowhere", script)
    assert done.returncode == 2
    assert "there is no sink 'nowhere'" in done.stderr
    assert run(tmp_path, "--sort-by", "nope", script).returncode == 2
