"""tools/counts.py: instructions of hot paths beside their baseline."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def counts(tool: Callable[[str], ModuleType]) -> ModuleType:
    return tool("counts")


@pytest.fixture
def fake_counts(counts: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The counts that valgrind would give, and a baseline that says so; without valgrind."""
    now = {"x + y": 1000, "x * y": 500}
    monkeypatch.setattr(counts, "BASELINE", tmp_path / "baseline.json")
    monkeypatch.setattr(counts.hot_paths, "can_count", lambda: True)
    monkeypatch.setattr(counts.hot_paths, "names", lambda: list(now))
    monkeypatch.setattr(counts.hot_paths, "counts", lambda some, layout=0: {name: now[name] for name in some})
    assert counts.main(["--update"]) == 0
    return now


def test_the_baseline_has_every_path(counts: ModuleType) -> None:
    baseline = json.loads(counts.BASELINE.read_text(encoding="utf-8"))
    assert list(baseline["counts"]) == counts.hot_paths.names()
    assert set(baseline["facts"]) == set(counts.facts())


def test_every_path_runs(counts: ModuleType) -> None:
    for name in counts.hot_paths.names():
        counts.hot_paths.loop_of(name)(2)


def test_two_hundredths_are_tolerated(
    counts: ModuleType, fake_counts: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    fake_counts["x + y"] = 1019
    assert counts.main([]) == 0
    assert "2 paths, none moved" in capsys.readouterr().out


@pytest.mark.parametrize("now", [1021, 979])
def test_a_path_that_moves_is_named(
    counts: ModuleType, fake_counts: dict[str, int], now: int, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_counts["x + y"] = now
    assert counts.main([]) == counts.MOVED
    shown = capsys.readouterr()
    assert f"{now / 1000 - 1:+.1%}  moved" in shown.out
    assert "1 of 2 paths moved by more than 2%: x + y. If that is meant" in shown.err
    assert counts.main(["--only", "x * y"]) == 0
    assert counts.main(["--update"]) == 0
    assert counts.main([]) == 0


def test_an_unlucky_layout_is_no_movement(
    counts: ModuleType, fake_counts: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = counts.hot_paths.counts
    monkeypatch.setattr(counts.hot_paths, "counts",
                        lambda some, layout=0: {n: c + 100 * (not layout) for n, c in plain(some).items()})  # fmt: skip
    assert counts.main([]) == 0


def test_a_path_that_is_new_or_gone_has_moved(counts: ModuleType, fake_counts: dict[str, int]) -> None:
    fake_counts["x - y"] = fake_counts.pop("x + y")
    assert counts.main([]) == counts.MOVED


def test_a_part_of_the_baseline_is_written_alone(counts: ModuleType, fake_counts: dict[str, int]) -> None:
    fake_counts.update({"x + y": 2000, "x * y": 900})
    assert counts.main(["--only", "+", "--update"]) == 0
    assert json.loads(counts.BASELINE.read_text(encoding="utf-8"))["counts"] == {"x + y": 2000, "x * y": 500}


def test_other_tools_are_not_compared(
    counts: ModuleType, fake_counts: dict[str, int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(counts, "facts", lambda: {"numpy": "0.1"})
    assert counts.main([]) == counts.NOT_COMPARED
    assert "numpy was" in capsys.readouterr().err
    assert counts.main(["--if-comparable"]) == 0


def test_without_valgrind_it_says_so(
    counts: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(counts.hot_paths, "can_count", lambda: False)
    assert counts.main([]) == counts.NOT_COMPARED
    assert "there is no valgrind" in capsys.readouterr().err
    assert counts.main(["--if-comparable"]) == 0
