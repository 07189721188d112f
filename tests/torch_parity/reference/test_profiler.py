"""The profiler as the five references describe it: their examples, arguments and defaults."""

import inspect
import sys
import types

import pytest
import wengert as torch


def test_the_first_references_example(capsys):
    x = torch.randn((1, 1), requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        y = x**2
        y.backward()
    print(prof)
    text = capsys.readouterr().out
    for name in (
        "aten::pow",
        "PowBackward0",
        "torch::autograd::GraphRoot",
        "torch::autograd::AccumulateGrad",
        "aten::mul",
    ):
        assert name in text
    for head in ("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"):
        assert head in text


def test_the_example_of_key_averages():
    x = torch.randn((1, 1), requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        for _ in range(100):  # any normal python code, really!
            y = x**2
            y.backward()
    counts = {row.key: row.count for row in prof.key_averages()}
    assert (
        counts["PowBackward0"],
        counts["torch::autograd::AccumulateGrad"],
        counts["torch::autograd::GraphRoot"],
    ) == (100,) * 3
    assert counts["aten::pow"] == 100
    assert counts["aten::mul"] >= 100
    text = prof.key_averages().table(sort_by="self_cpu_time_total")
    own = [row.self_cpu_time_total for row in sorted(prof.key_averages(), key=lambda row: text.index(f" {row.key} "))]
    assert own == sorted(own, reverse=True)


def test_the_example_of_record_function():
    x = torch.randn((1, 1), requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        y = x**2
        with torch.autograd.profiler.record_function("label-z"):  # label the block
            z = y**3
        y.backward()
    rows = {row.key: row for row in prof.key_averages()}
    assert rows["label-z"].count == 1
    assert rows["aten::pow"].count == 2
    assert rows["PowBackward0"].count == 1
    assert "label-z" in prof.key_averages().table(sort_by="self_cpu_time_total")
    assert z.shape == (1, 1)


def test_arguments_and_defaults_of_profile():
    parameters = inspect.signature(torch.autograd.profiler.profile).parameters
    defaults = {name: one.default for name, one in parameters.items()}
    assert defaults == defaults | {
        "enabled": True,
        "use_cuda": False,
        "record_shapes": False,
        "with_flops": False,
        "profile_memory": False,
        "with_stack": False,
        "with_modules": False,
        "use_kineto": False,
        "use_cpu": True,
        "experimental_config": None,
    }
    assert {name for name, one in parameters.items() if one.kind is not one.KEYWORD_ONLY} == {"enabled"}


def test_arguments_and_defaults_of_the_methods():
    profile = torch.autograd.profiler.profile
    table = {name: one.default for name, one in inspect.signature(profile.table).parameters.items()}
    assert table == table | {
        "sort_by": None,
        "row_limit": 100,
        "max_src_column_width": 75,
        "header": None,
        "top_level_events_only": False,
    }
    averages = {name: one.default for name, one in inspect.signature(profile.key_averages).parameters.items()}
    assert averages == averages | {"group_by_input_shape": False, "group_by_stack_n": 0}
    assert list(inspect.signature(profile.export_chrome_trace).parameters)[:2] == ["self", "path"]
    for name in ("emit_nvtx", "emit_itt"):
        found = inspect.signature(getattr(torch.autograd.profiler, name)).parameters
        assert [(one.name, one.default) for one in found.values()] == [("enabled", True), ("record_shapes", False)]
    label = inspect.signature(torch.autograd.profiler.record_function).parameters
    assert [(one.name, one.default) for one in label.values()] == [("name", inspect.Parameter.empty), ("args", None)]
    assert list(inspect.signature(torch.autograd.profiler.load_nvprof).parameters) == ["path"]


@pytest.mark.parametrize(
    "key",
    [
        "cpu_time",
        "cuda_time",
        "cpu_time_total",
        "cuda_time_total",
        "cpu_memory_usage",
        "cuda_memory_usage",
        "self_cpu_memory_usage",
        "self_cuda_memory_usage",
        "count",
        "self_cpu_time_total",
        "self_cuda_time_total",
    ],
)
def test_valid_keys(key):
    with torch.autograd.profiler.profile(profile_memory=True) as prof:
        torch.ones(5).exp()
        torch.ones(50)
    rows = prof.key_averages()
    text = rows.table(sort_by=key)
    order = [line.split()[0] for line in text.splitlines() if "aten::" in line]
    values = {row.key: getattr(row, key.replace("cuda", "device")) for row in rows}
    assert [values[name] for name in order] == sorted((values[name] for name in order), reverse=True)


def test_top_level_events_only():
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        with torch.autograd.profiler.record_function("outer"):
            x.exp()
        x.sin()
    text = prof.table(top_level_events_only=True)
    assert "outer" in text
    assert "aten::sin" in text
    assert "aten::exp" not in text


def test_the_examples_of_emit_nvtx_and_emit_itt(monkeypatch):
    def model(x):
        return (x * 2).sum()

    pushed = []
    nvtx = types.ModuleType("nvtx")
    nvtx.push_range, nvtx.pop_range = pushed.append, lambda: pushed.append(None)
    monkeypatch.setitem(sys.modules, "nvtx", nvtx)
    with torch.autograd.profiler.emit_nvtx():
        model(torch.ones(2))
    assert [text.partition(",")[0] for text in pushed if text] == ["aten::ones", "aten::mul", "aten::sum"]
    assert pushed.count(None) == 3


def test_total_average_and_self_cpu_time_total():
    with torch.autograd.profiler.profile() as prof:
        torch.ones(5).exp()
    total = prof.total_average()
    assert (total.key, total.count) == ("Total", 2)
    assert prof.self_cpu_time_total == pytest.approx(total.self_cpu_time_total)
    assert prof.self_cpu_time_total == pytest.approx(sum(event.self_cpu_time_total for event in prof.function_events))
