"""tools/compare/replay: its programs are replayed to the same numbers, and its tables say what was measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest import mock

import pytest
import wengert

ROOT = Path(__file__).resolve().parents[2]
with mock.patch.object(sys, "path", [str(ROOT), str(ROOT / "asv_benchmarks"), *sys.path]), mock.patch.dict(os.environ):
    from benchmarks import replay as asv_replay
    from benchmarks import replay_programs as programs

    from tools.compare.replay import figure, launch, report, sides
    from tools.compare.replay.launch import Plan, Timing

LORENZ, ROSENBROCK, CHAIN = "Lorenz, RK4 x 200", "Rosenbrock, 50 variables", "chain of 10^7, gradient"
QUICK = Plan(1, 1, 1000)
OURS = {"wengert": sys.executable, "captured": sys.executable}


@pytest.mark.parametrize("name", report.PROGRAMS)
def test_each_program_is_replayed_to_the_same_numbers(name, monkeypatch):
    for constant, value in (("SIZE", 1000), ("ROWS", 40), ("COLUMNS", 25)):
        monkeypatch.setattr(programs, constant, value)
    eager, work = programs.PROGRAMS[name](wengert), programs.PROGRAMS[name](wengert)
    captured = wengert.capture(work.run)
    for _ in range(3):
        expected, found = eager.run(*eager.args), captured(*work.args)
        assert [one.tolist() for one in found] == [one.tolist() for one in expected]
    assert wengert.replay.explain(captured).replays == 2


def test_the_groups_have_all_programs():
    assert sorted(report.PROGRAMS) == sorted(programs.PROGRAMS)


@pytest.mark.parametrize(("benchmark", "param"), [(asv_replay.Replay, ROSENBROCK), (asv_replay.Calls, 8)])
def test_the_benchmarks_of_asv_run(benchmark, param):
    one = benchmark()
    one.setup(param)
    for name in [name for name in dir(one) if name.startswith("time_")]:
        getattr(one, name)(param)
    assert wengert.replay.explain(one.captured).replays >= 1


def test_sides_take_turns_in_processes_of_their_own():
    timing = launch.measure([ROSENBROCK], OURS, QUICK, lambda text: None)[ROSENBROCK]
    assert timing.trouble == {}
    assert set(timing.times) == set(timing.first) == set(OURS)
    assert min(timing.times.values()) > 0
    assert timing.facts["replays"] > 0
    assert timing.facts["peak"] > 0
    assert timing.facts["launches"] >= timing.facts["operations"] / 2


class Answers:
    """A side that answers to one command after another."""

    def __init__(self, **answers):
        self.answers, self.asked = answers, []

    def ask(self, name, *arguments):
        self.asked.append(name)
        answer = self.answers.get(name, {})
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_a_side_with_other_numbers_is_named_and_not_timed():
    mine = Answers(load={"values": [[1.0, 2.0]], "first": 5.0, "peak": 1}, sample={"ns": 3.0})
    other = Answers(load={"values": [[1.0, 2.1]], "first": 5.0}, sample={"ns": 1.0})
    dead, absent = Answers(load=RuntimeError("the process ended with -11")), Answers(load={"absent": True})
    found = {"wengert": mine, "JAX": other, "CasADi": dead, "numexpr": absent}
    timing = launch.measure_program("p", found, QUICK)
    assert timing.times == {"wengert": 3.0}
    assert timing.trouble == {"JAX": "its numbers are others than wengert's", "CasADi": "the process ended with -11"}
    assert "CasADi" not in found  # it is not asked again
    assert other.asked == absent.asked == ["load"]


def test_runs_are_combined_by_medians():
    runs = [
        Timing("p", {"wengert": time}, {"wengert": 2 * time}, {"calls": {}}) for time in (3.0, 9.0, 4.0)
    ]
    assert launch.combine(runs) == Timing("p", {"wengert": 4.0}, {"wengert": 8.0}, {"calls": {}})


def timings(**quotients):
    """Timings in which a captured call takes so many times as long as JAX's; JAX's takes a microsecond."""
    return {name: Timing(name, {"captured": 1000.0 * quotient, "JAX": 1000.0, "wengert": 10_000.0})
            for name, quotient in quotients.items()}  # fmt: skip


def test_a_missed_aim_names_the_side():
    found = timings(**{LORENZ: 0.5, ROSENBROCK: 1.25})
    found[LORENZ].times |= {"CasADi": 200.0, "PyTorch": 60_000.0}
    text = report.group_table(report.GROUPS[0], found, {})
    times = "500 ns | 10.0 us | 1.00 us | 200 ns | 60.0 us"
    assert f"| {LORENZ} | {times} | 20.0 | 120 | 0.50 | 2.50 | missed: CasADi |" in text
    assert "| 1.25 |  | missed: JAX |" in text


def test_the_geometric_mean_has_an_aim():
    group = report.GROUPS[1]
    text = report.group_table(group, timings(**dict(zip(group.programs[:2], (0.5, 1.4), strict=True))), {})
    assert "Geometric mean of captured / JAX: 0.84 (reached)." in text
    assert "Geometric mean of captured / JAX: 1.20 (missed)." in report.group_table(
        group, timings(**{group.programs[0]: 1.2}), {}
    )


def test_bandwidth_counts_what_must_be_moved():
    timing = Timing(CHAIN, {"captured": 4e6, "copy": 2e6})
    assert report.part_of_copy(timing, {CHAIN: 4 * 10**7}) == pytest.approx(0.25)
    assert report.missed_limits(report.GROUPS[3], timing, {CHAIN: 4 * 10**7}) == ["copy"]
    assert report.missed_limits(report.GROUPS[3], timing, {CHAIN: 12 * 10**7}) == []


def test_first_calls_and_memory_have_limits():
    timing = Timing(LORENZ, {"wengert": 1e6, "captured": 1.0}, {"captured": 7e6, "JAX": 5e8},
                    {"launches": 2000, "operations": 2000, "arena": 4096, "held": 132_096,
                     "calls": {"mm": 3}})  # fmt: skip
    assert "| 7.00 ms | 1.00 ms | 7.00 | missed | 500 ms |  |" in report.first_table({LORENZ: timing})
    assert "| 2000 | 2000 | mm 3 | 4.0 KiB |  | 64 B |  |" in report.memory_table({LORENZ: timing})
    timing.facts["peak"] = 4096
    assert "| 64 B | reached |" in report.memory_table({LORENZ: timing})
    timing.facts |= {"arena": 8192, "held": 200_000}
    assert "| 96 B | missed: values, launches |" in report.memory_table({LORENZ: timing})


def test_what_runs_as_usual_is_told():
    timing = Timing(LORENZ, facts={"replays": 0, "reasons": ["two results share memory"]}, trouble={"JAX": "no"})
    assert report.troubles({LORENZ: timing}) == [
        f"{LORENZ}: JAX: no", f"{LORENZ}: captured calls run as usual: two results share memory"
    ]  # fmt: skip


def test_operations_that_call_their_drivers_are_counted():
    captured = wengert.capture(lambda x: x.sort()[0])
    captured(wengert.ones(3)), captured(wengert.ones(3))
    program = wengert.replay.explain(captured).programs[0]
    assert sides.DRIVER_CALL.findall(str(program)) == ["sort"] * program.n_calls


def test_the_figure_has_a_bar_for_each_quotient():
    found = timings(**{LORENZ: 0.5, "a < b": 2.0})
    tree = ElementTree.fromstring(figure.speedup_figure(found))
    texts = [one.text for one in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert [texts.count(word) for word in ("20", "5.0", "2.0", "0.50", "a < b")] == [1, 1, 1, 1, 1]


def test_a_page_is_made_from_what_was_measured_before(tmp_path):
    timing = {"program": LORENZ, "times": {"captured": 1e5, "JAX": 2e5}, "first": {}, "facts": {}, "trouble": {}}
    found = {"machine": "m", "versions": {"wengert": "1"}, "commit": "c", "load": 0.0, "busy": True, "runs": 3,
             "rounds": 5, "sample": 15, "timings": {LORENZ: timing}}  # fmt: skip
    (tmp_path / "found.json").write_text(json.dumps(found))
    command = [sys.executable, "-m", "tools.compare.replay", "--from", str(tmp_path / "found.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"| {LORENZ} | 100 us |  | 200 us |" in done.stdout
    assert "fresh processes: 3" in done.stdout
