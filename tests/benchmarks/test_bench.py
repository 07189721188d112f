"""tools/bench.py: what it shows of asv's report, and that results are kept apart from those of every day."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
REPORT = """· Discovering benchmarks
· Running 3 total benchmarks (1 commits * 1 environments * 3 benchmarks)
[ 0.00%] ·· Benchmarking existing-py
[12.50%] ··· Setting up instructions:14                                      ok
[25.00%] ··· every_op.Gradient.time_gradient                         2/900 failed
[25.00%] ··· ============ ==========
                  op
             ------------ ----------
                 relu        n/a
              linalg.eig    failed
             ============ ==========

[25.00%] ···· For parameters: 'relu'
              asv: skipped: NotImplementedError('no gradient of a leaf')

              For parameters: 'linalg.eig'
              Traceback (most recent call last):
                File "run.py", line 66, in _run
              RuntimeError: it depends on the phase
              For parameters: 'linalg.eig'
              Traceback (most recent call last):
                File "run.py", line 66, in _run
              RuntimeError: it depends on the phase
              asv: benchmark failed (exit status 1)
[50.00%] ··· small_ops.Inplace.time_no_grad                          3.03±0ms
[75.00%] ··· memory.track_node_bytes                                      203
[75.00%] ···· asv: skipped: NotImplementedError('not here')
"""


@pytest.fixture(scope="module")
def bench(tool: Callable[[str], ModuleType]) -> ModuleType:
    return tool("bench")


def test_a_line_for_each_benchmark_and_each_failure_once(bench: ModuleType) -> None:
    lines = "\n".join(bench.shorten_report(REPORT.splitlines(keepends=True))).splitlines()
    assert [" ".join(line.split()) for line in lines] == [
        "every_op.Gradient.time_gradient 2/900 failed",
        "For parameters: 'linalg.eig'",
        "Traceback (most recent call last):",
        'File "run.py", line 66, in _run',
        "RuntimeError: it depends on the phase",
        "asv: benchmark failed (exit status 1)",
        "small_ops.Inplace.time_no_grad 3.03±0ms",
        "memory.track_node_bytes 203",
    ]


def test_kept_results_have_a_folder_of_their_own(
    bench: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "KEPT", tmp_path / "kept.conf.json")
    text = bench.with_kept_results().read_text(encoding="utf-8")
    assert '"results_dir": "results"' in text
    for own, kept in bench.ELSEWHERE.items():
        text = text.replace(kept, own)
    assert text == bench.CONFIG.read_text(encoding="utf-8")


def test_a_comparison_names_a_commit(bench: ModuleType) -> None:
    with pytest.raises(SystemExit):
        bench.main(["compare"])


@pytest.mark.parametrize(("arguments", "end"), [
    (["compare", "main", "--factor", "1.1", "-b", "x", "-b", "y"],
     ["continuous", "--factor", "1.1", "--interleave-rounds", "-b", "x", "-b", "y", "main", "HEAD"]),
    (["keep", "HEAD", "-b", "x"], ["run", "-b", "x", "HEAD^!"]),
])  # fmt: skip
def test_asv_gets_the_rest(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch, arguments: list[str], end: list[str]
) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **settings: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(bench.subprocess, "run", run)
    assert bench.main(arguments) == 1
    assert [word for word in commands[-1][1:] if word != "--config" and not word.endswith(".conf.json")] == end


def test_without_results_there_is_no_site(
    bench: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "FOLDER", tmp_path)
    assert bench.publish([]) == 0
    assert "there is nothing to publish" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
