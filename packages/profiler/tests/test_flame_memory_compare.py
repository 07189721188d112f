"""Flame graphs, the memory of saved tensors, comparison of profiles."""

import gc
import json
import re
import threading

import pytest
import wengert as wg
from wengert.autograd.profiler import emit_nvtx, profile, record_function
from wengert.profiler import carried, compare, export_flame_graph, export_speedscope, saved_tensors
from wengert_profiler.views.compare import Change
from wengert_profiler.views.formats import UNITS


def work(n=3):
    x = wg.ones(5, 4, requires_grad=True)
    for _ in range(n):
        with record_function("step"):
            loss = wg.nn.functional.cross_entropy(x.sin(), wg.zeros(5, dtype=wg.int64))
        loss.backward()


def test_speedscope_events_open_and_close(tmp_path):
    with profile() as prof:
        work()
    export_speedscope(prof, tmp_path / "file.json")
    whole = json.loads((tmp_path / "file.json").read_text(encoding="utf-8"))
    assert whole["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    names = [frame["name"] for frame in whole["shared"]["frames"]]
    (one,) = whole["profiles"]
    running, last, opened = [], one["startValue"], 0
    for event in one["events"]:
        assert event["at"] >= last
        last = event["at"]
        if event["type"] == "O":
            running.append(event["frame"])
            opened += 1
        else:
            assert running.pop() == event["frame"]
    assert running == []
    assert last <= one["endValue"]
    assert opened == len(prof.function_events)
    assert "aten::cross_entropy_loss" in names


def tree_in(path):
    """The tree that a page draws."""
    return json.loads(re.search(r"const DATA = (.*);\n", path.read_text(encoding="utf-8"))[1])


def test_a_flame_graph_adds_up(tmp_path):
    with profile() as prof:
        work()
    path = tmp_path / "flame.html"
    export_flame_graph(prof, path, "three steps")
    tree = tree_in(path)

    def check(node):
        assert node["t"] == pytest.approx(node["s"] + sum(child["t"] for child in node["k"]), abs=1e-2)
        for child in node["k"]:
            check(child)

    check(tree)
    assert tree["t"] == pytest.approx(prof.self_cpu_time_total, abs=1e-2)
    step = next(child for child in tree["k"] if child["n"] == "step")
    assert step["c"] == 3
    assert "aten::cross_entropy_loss" in [child["n"] for child in step["k"]]
    text = path.read_text(encoding="utf-8")
    assert "<title>three steps</title>" in text
    assert "http" not in text  # it needs nothing from elsewhere


def microseconds(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * UNITS[unit]


def test_a_flame_graph_says_its_total_and_the_share_of_each_box(tmp_path):
    with profile() as prof:
        work()
    path = tmp_path / "flame.html"
    export_flame_graph(prof, path)
    tree, page = tree_in(path), path.read_text(encoding="utf-8")
    outermost = sum(child["c"] for child in tree["k"])
    sentence = r'"total">Total: (\S+) in (\d+) outermost of (\d+) events; the block took \S+\.</div>'
    total = re.search(sentence, page)
    assert microseconds(total[1]) == pytest.approx(tree["t"], rel=1e-3)
    assert total.groups()[1:] == (str(outermost), str(len(prof.function_events)))
    assert tree["d"].endswith(f"in {outermost} calls, 100.00% of all; 0.000us of it itself")

    def check(node):
        calls = "1 call" if node["c"] == 1 else f"{node['c']} calls"
        text = re.fullmatch(rf"{re.escape(node['n'])}: (\S+) in {calls}, (\S+)% of all; (\S+) of it itself", node["d"])
        assert microseconds(text[1]) == pytest.approx(node["t"], rel=1e-3)
        assert float(text[2]) == pytest.approx(100 * node["t"] / tree["t"], abs=0.01)
        assert microseconds(text[3]) == pytest.approx(node["s"], rel=1e-3)
        for child in node["k"]:
            check(child)

    check(tree)


def test_a_flame_graph_tells_of_the_threads(tmp_path):
    with profile() as prof:
        thread = threading.Thread(target=carried(lambda: wg.ones(2).exp()))
        thread.start()
        thread.join()
        wg.ones(2).exp()
    export_flame_graph(prof, tmp_path / "flame.html")
    assert "events of 2 threads; the block took" in (tmp_path / "flame.html").read_text(encoding="utf-8")


def test_a_flame_graph_with_stacks_shows_the_program(tmp_path):
    with profile(with_stack=True) as prof:
        work()
    export_flame_graph(prof, tmp_path / "flame.html")
    tree = tree_in(tmp_path / "flame.html")
    lines = []

    def walk(node):
        lines.append(node["n"])
        for child in node["k"]:
            walk(child)

    walk(tree)
    assert any(line.endswith(": work") for line in lines)
    assert "aten::sin" in lines


def test_nothing_in_a_name_can_end_the_script(tmp_path):
    with profile() as prof, record_function("</script><script>alert(1)</script>"):
        wg.ones(2)
    path = tmp_path / "flame.html"
    export_flame_graph(prof, path, "<b>title</b>")
    text = path.read_text(encoding="utf-8")
    assert text.count("</script>") == 1
    assert "<b>" not in text
    assert tree_in(path)["k"][0]["n"] == "</script><script>alert(1)</script>"


def test_saved_memory_its_peak_and_who_held_it():
    x = wg.ones(1000, requires_grad=True)
    with saved_tensors() as saved:
        y = x.exp()
        z = y.sin().sum()
        at = saved.held
        z.backward()
    assert at == saved.peak
    assert saved.held == 0
    assert sum(one.nbytes for one in saved.at_peak) == saved.peak
    assert {one.op for one in saved.at_peak} <= {"aten::exp", "aten::sin"}
    assert all(one.line.endswith("test_saved_memory_its_peak_and_who_held_it") for one in saved.at_peak)
    assert [step.held for step in saved.steps][-1] == 0
    assert sum(step.change for step in saved.steps) == 0
    assert [step.time for step in saved.steps] == sorted(step.time for step in saved.steps)
    assert "peak" in str(saved)
    assert saved._repr_html_().count("<tr>") == 1 + len(saved.at_peak)
    assert x.grad is not None


def test_memory_that_several_have_saved_is_counted_once():
    x = wg.ones(1000, requires_grad=True) * 1
    with saved_tensors() as saved:
        a, b = x.sin(), x.cos()
        one = saved.held
        c = x.view(10, 100).exp() * 1
    assert one == 4000
    del a, b, c
    gc.collect()
    assert saved.peak >= 4000


def test_gradients_are_the_same_while_memory_is_followed():
    def gradient():
        x = wg.linspace(0, 1, 12, requires_grad=True)
        y = (x.view(3, 4) @ wg.ones(4, 2)).tanh().softmax(1)
        (g,) = wg.autograd.grad((y * y).sum(), x, create_graph=True)
        (h,) = wg.autograd.grad((g * g).sum(), x)
        return g.tolist(), h.tolist()

    expected = gradient()
    with saved_tensors():
        assert gradient() == expected


def test_saved_memory_inside_of_a_profile():
    with profile() as prof, saved_tensors() as saved:
        work(1)
    assert saved.peak > 0
    assert "aten::cross_entropy_loss" in [event.name for event in prof.function_events]
    with saved_tensors(), pytest.raises(RuntimeError, match="already enabled"):
        saved_tensors().__enter__()
    with emit_nvtx(enabled=False), saved_tensors():
        pass


def test_comparison_of_two_profiles(tmp_path):
    profiles = []
    for n in (1, 4):
        with profile(record_shapes=True) as prof:
            for _ in range(n):
                wg.ones(2).sin()
            if n == 1:
                wg.ones(2).cos()
            else:
                wg.ones(2).tan()
        profiles.append(prof)
    found = {change.key: change for change in compare(*profiles)}
    assert (found["aten::sin"].count_before, found["aten::sin"].count_after) == (1, 4)
    assert (found["aten::cos"].count_after, found["aten::cos"].ratio) == (0, 0.0)
    assert found["aten::tan"].ratio == float("inf")
    sums = {row.key: row.self_cpu_time_total for row in profiles[0].key_averages()}
    assert found["aten::sin"].time_before == pytest.approx(sums["aten::sin"])
    comparison = compare(*profiles)
    assert [one.difference for one in comparison] == sorted((one.difference for one in comparison), reverse=True)
    text = comparison.table()
    assert "new" in text
    assert "gone" in text
    assert text.splitlines()[-1].split()[0] == "Total"
    assert "aten::sin" in comparison._repr_html_()
    assert "aten::sin [[2]]" in {change.key for change in compare(*profiles, group_by_input_shape=True)}
    for number, prof in enumerate(profiles):
        prof.export_chrome_trace(tmp_path / f"{number}.json")
    again = {change.key: change.count_after for change in compare(tmp_path / "0.json", tmp_path / "1.json")}
    assert again == {change.key: change.count_after for change in comparison}


def test_slower_names_what_takes_longer_for_a_call():
    from wengert_profiler.views.compare import Change, Comparison

    comparison = Comparison(
        [Change("a", 10, 10, 100.0, 200.0), Change("b", 10, 20, 100.0, 150.0), Change("c", 10, 10, 100.0, 101.0)]
    )
    assert [change.key for change in comparison.slower()] == ["a"]
    assert [change.key for change in comparison] == ["a", "b", "c"]
    assert len(comparison.table(row_limit=1).splitlines()) == 6


@pytest.mark.parametrize(("before", "after", "ratio"), [
    ((2, 4.0), (3, 12.0), 2.0), ((0, 0.0), (3, 1.0), float("inf")), ((2, 4.0), (0, 0.0), 0.0),
    ((2, 0.0), (3, 0.0), 1.0), ((2, 0.0), (3, 1.0), float("inf")),
])
def test_how_much_slower_a_call_became(before, after, ratio):
    assert Change("name", before[0], after[0], before[1], after[1]).ratio == ratio



def test_a_million_events_stay_small():
    import subprocess
    import sys

    program = """
import resource, sys, wengert as wg
from wengert.autograd.profiler import profile
x = wg.ones(4)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with profile() as prof:
    for _ in range(250_000):
        y = ((x + x) * x) - x
prof.key_averages()
prof.export_chrome_trace("/dev/null")
rows = {row.key: row.count for row in prof.key_averages()}
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, rows)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True)
    more, _, rows = done.stdout.partition(" ")
    assert rows.strip() == "{'aten::add': 250000, 'aten::mul': 250000, 'aten::sub': 250000}"
    assert int(more) < 225  # megabytes, for three quarters of a million
