"""What is recorded besides times: shapes, memory, floating point operations, lines."""

import pytest
import wengert as wg
from wengert.autograd.profiler import profile


def rows(prof, *arguments):
    return {row.key: row for row in prof.key_averages(*arguments)}


def test_shapes_of_tensors_lists_and_other_arguments():
    with profile(record_shapes=True) as prof:
        wg.mm(wg.ones(2, 3), wg.ones(3, 4))
        wg.cat([wg.ones(2), wg.ones(3)])
        wg.ones(2, 1) * 3
        wg.nn.functional.linear(wg.ones(2, 3), wg.ones(4, 3), None)
    shapes = {event.name: event.input_shapes for event in prof.function_events}
    assert shapes["aten::mm"] == [[2, 3], [3, 4]]
    assert shapes["aten::cat"] == [[[2], [3]], []]
    assert shapes["aten::mul"] == [[2, 1], []]
    assert shapes["aten::linear"] == [[2, 3], [4, 3], []]


def test_without_record_shapes_there_are_none():
    with profile() as prof:
        wg.ones(2) * 2
    assert [event.input_shapes for event in prof.function_events] == [[], []]


def test_shapes_are_those_before_an_in_place_operation():
    x = wg.ones(2, 3)
    with profile(record_shapes=True) as prof:
        x.t_()
    assert prof.function_events[0].input_shapes[0] == [2, 3]


def test_grouping_by_shape():
    with profile(record_shapes=True) as prof:
        for n in (2, 3, 2):
            wg.ones(n).exp()
    found = [
        (row.input_shapes, row.count) for row in prof.key_averages(group_by_input_shape=True) if row.key == "aten::exp"
    ]
    assert found == [([[2]], 2), ([[3]], 1)]


def test_shapes_that_read_the_same_are_one_group():
    x, three = wg.ones(4), wg.tensor(3.0)
    with profile(record_shapes=True) as prof:
        x * 3
        x * three
        wg.mm(wg.ones(2, 3), wg.ones(3, 4))
        wg.nn.functional.linear(wg.ones(2, 3), wg.ones(4, 3))
    found = {row.key: row.count for row in prof.key_averages(group_by_input_shape=True)}
    assert (found["aten::mul"], found["aten::mm"]) == (2, 2)


def test_hundreds_of_tensors_are_cut_and_do_no_harm():
    with profile(record_shapes=True) as prof:
        wg.cat([wg.ones(2, 3) for _ in range(300)])
    assert prof.function_events[-1].input_shapes[0][:2] == [[2, 3], [2, 3]]


def test_memory_of_operations_and_between_them():
    with profile(profile_memory=True) as prof:
        x = wg.ones(1000)
        y = x + 1
        del x
        y.mul_(2)
        del y
    found = [(event.name, event.cpu_memory_usage) for event in prof.function_events]
    size = found[0][1]
    assert 4000 <= size <= 5120  # its size class
    assert found == [
        ("aten::ones", size),
        ("aten::add", size),
        ("[memory]", -size),
        ("aten::mul_", 0),
        ("[memory]", -size),
    ]
    assert prof.total_average().cpu_memory_usage == 0


def test_memory_of_what_is_inside_is_not_counted_twice():
    with profile(profile_memory=True) as prof:
        x = wg.nn.functional.cross_entropy(wg.ones(50, 30), wg.zeros(50, dtype=wg.int64))
    outer = rows(prof)["aten::cross_entropy_loss"]
    inner = [row for row in prof.key_averages() if row.cpu_parent is not None]
    assert outer.cpu_memory_usage == outer.self_cpu_memory_usage + sum(row.cpu_memory_usage for row in inner)
    assert x.numel() == 1


def test_the_memory_of_a_training_step_is_balanced():
    w = wg.ones(100, 100, requires_grad=True)

    def step():
        (wg.ones(10, 100) @ w).relu().sum().backward()
        w.grad = None

    step()  # what is made for good at its first use is not of the step
    with profile(profile_memory=True) as prof:
        step()
    assert prof.total_average().self_cpu_memory_usage == 0


CASES = [
    (lambda: wg.mm(wg.ones(2, 3), wg.ones(3, 4)), "aten::mm", 48),
    (lambda: wg.bmm(wg.ones(5, 2, 3), wg.ones(5, 3, 4)), "aten::bmm", 240),
    (lambda: wg.addmm(wg.ones(4), wg.ones(2, 3), wg.ones(3, 4)), "aten::addmm", 48),
    (lambda: wg.ones(5, 2, 3) @ wg.ones(3, 4), "aten::mm", 240),
    (lambda: wg.nn.functional.linear(wg.ones(2, 3), wg.ones(4, 3)), "aten::mm", 48),
    (lambda: wg.nn.functional.linear(wg.ones(2, 3), wg.ones(4, 3), wg.ones(4)), "aten::addmm", 48),
    (lambda: wg.ones(2, 1) * wg.ones(1, 6), "aten::mul", 2),
    (lambda: 2 * wg.ones(7), "aten::mul", 7),
    (lambda: wg.baddbmm(wg.ones(5, 2, 4), wg.ones(5, 2, 3), wg.ones(5, 3, 4)), "aten::baddbmm", 240),
    (lambda: wg.mv(wg.ones(2, 3), wg.ones(3)), "aten::mv", 12),
    (lambda: wg.nn.functional.conv1d(wg.ones(2, 4, 5), wg.ones(6, 4, 3)), "aten::conv1d", 864),
    (lambda: wg.nn.functional.conv3d(wg.ones(2, 4, 5, 5, 5), wg.ones(6, 4, 3, 3, 3)), "aten::conv3d", 69984),
    (lambda: wg.ones(2, 6) * wg.ones(6), "aten::mul", 12),
    (lambda: wg.ones(7) + 1, "aten::add", 7),
    (
        lambda: wg.nn.functional.conv2d(wg.ones(2, 4, 5, 5), wg.ones(6, 2, 3, 3), groups=2, padding=1),
        "aten::conv2d",
        10800,
    ),
    (
        lambda: wg.nn.functional.conv_transpose2d(wg.ones(1, 2, 4, 4), wg.ones(2, 3, 3, 3)),
        "aten::conv_transpose2d",
        1728,
    ),
    (lambda: wg.einsum("ij,jk->ik", wg.ones(2, 3), wg.ones(3, 4)), "aten::bmm", 48),
]


@pytest.mark.parametrize(("call", "name", "expected"), CASES, ids=[name for _, name, _ in CASES])
def test_floating_point_operations(call, name, expected):
    with profile(with_flops=True) as prof:
        call()
    assert rows(prof)[name].flops == expected
    assert sum(event.flops for event in prof.function_events if event.name == name) == expected
    assert "FLOPs" in prof.key_averages().table()


def inner_line():
    return wg.ones(2).exp()


def test_lines_are_those_of_the_program():
    with profile(with_stack=True) as prof:
        inner_line()
    event = next(event for event in prof.function_events if event.name == "aten::exp")
    first = inner_line.__code__.co_firstlineno + 1
    assert event.stack[0] == f"{__file__}({first}): inner_line"
    assert event.stack[1].endswith(": test_lines_are_those_of_the_program")
    assert "Source Location" in prof.key_averages(group_by_stack_n=1).table()


def test_grouping_by_lines():
    with profile(with_stack=True) as prof:
        for _ in range(3):
            inner_line()
        wg.ones(2).exp()
    found = [
        (row.stack[0].rpartition(" ")[2], row.count)
        for row in prof.key_averages(group_by_stack_n=1)
        if row.key == "aten::exp"
    ]
    assert found == [("inner_line", 3), ("test_grouping_by_lines", 1)]


def test_stacks_for_flame_graph_tools(tmp_path):
    with profile(with_stack=True) as prof:
        for _ in range(200):
            inner_line()
    prof.export_stacks(tmp_path / "stacks", "self_cpu_time_total")
    lines = (tmp_path / "stacks").read_text(encoding="utf-8").splitlines()
    assert lines
    for line in lines:
        calls, _, value = line.rpartition(" ")
        assert int(value) > 0
        assert " " not in calls


def test_stacks_that_are_deep_are_cut_and_do_no_harm():
    def down(n):
        return down(n - 1) if n else wg.ones(2)

    with profile(with_stack=True) as prof:
        down(400)
    assert 100 < len(prof.function_events[0].stack) <= 128
    assert prof.function_events[0].stack[0].endswith("down")


def tree(events):
    """Names with those of what ran inside."""

    def branch(event):
        inside = [branch(child) for child in event.cpu_children]
        return (event.name.removeprefix("aten::"), *inside) if inside else event.name.removeprefix("aten::")

    return [branch(event) for event in events if event.cpu_parent is None]


def test_a_function_of_one_operation_of_its_name_is_one_event():
    x = wg.ones(2, 3, requires_grad=True)
    functional = wg.nn.functional
    with profile(record_shapes=True) as prof:
        functional.relu(x)
        functional.gelu(x).std()
    assert tree(prof.function_events) == ["relu", "gelu", "std"]
    assert [event.input_shapes[0] for event in prof.function_events] == [[2, 3]] * 3
    assert all(event.sequence_nr >= 0 for event in prof.function_events)
    assert {row.key: row.count for row in prof.key_averages()} == {"aten::relu": 1, "aten::gelu": 1, "aten::std": 1}


def test_arrows_begin_at_functions_of_one_operation_too():
    x = wg.ones(2, 3, requires_grad=True)
    with profile() as prof:
        wg.nn.functional.relu(x).sum().backward()
    records = prof.records()
    origins = {event.name: records.forward_of[event.id] for event in prof.function_events}
    names = [event.name for event in prof.function_events]
    assert names[origins["ReluBackward0"]] == "aten::relu"


def test_linear_shows_the_product_that_it_is():
    x, w, b = wg.ones(2, 3, requires_grad=True), wg.ones(4, 3), wg.ones(4)
    with profile(record_shapes=True) as prof, wg.autograd.profiler.record_function("label"):
        wg.nn.functional.linear(x, w, b).sum().backward()
        wg.nn.functional.linear(x.detach(), w)
    assert tree(prof.function_events)[0][:3] == ("label", ("linear", "addmm"), "sum")
    assert tree(prof.function_events)[0][-1] == ("linear", "mm")
    events = {event.name: event for event in prof.function_events}
    assert events["aten::addmm"].input_shapes == [[4], [2, 3], [3, 4], [], []]
    assert events["aten::addmm"].sequence_nr == events["AddmmBackward0"].sequence_nr
    assert events["aten::linear"].self_cpu_time_total == 0
    for fast, slow in zip(prof.key_averages(True), prof.function_events.key_averages(True), strict=True):
        assert (fast.key, fast.count, fast.input_shapes) == (slow.key, slow.count, slow.input_shapes)
        assert fast.self_cpu_time_total == pytest.approx(slow.self_cpu_time_total, abs=1e-6)


def test_without_shapes_the_product_of_linear_is_known_too():
    with profile() as prof:
        wg.nn.functional.linear(wg.ones(2, 3), wg.ones(4, 3), wg.ones(4))
        wg.nn.functional.linear(wg.ones(2, 3), wg.ones(4, 3))
    assert [one for one in tree(prof.function_events) if one != "ones"] == [("linear", "addmm"), ("linear", "mm")]


def test_an_operation_with_alpha_is_one_event_and_one_node():
    x = wg.ones(3, requires_grad=True)
    with profile(with_flops=True) as prof:
        wg.add(x, wg.ones(3, requires_grad=True), alpha=2).sum().backward()
    names = [event.name for event in prof.function_events]
    assert names.count("AddBackward0") == 1
    assert "MulBackward0" not in names
    assert tree(prof.function_events)[:3] == ["ones", "add", "sum"]


def test_what_runs_backward_has_the_lines_of_what_recorded_it():
    x = wg.ones(3, requires_grad=True)
    with profile(with_stack=True) as prof:
        y = x.exp()
        y.sum().backward()
    events = {event.name: event for event in prof.function_events}
    assert events["ExpBackward0"].stack == events["aten::exp"].stack
    assert events["ExpBackward0"].cpu_children[0].stack == events["aten::exp"].stack
    assert events["aten::exp"].stack[0] != events["aten::sum"].stack[0]


def test_a_profile_pauses():
    cpu = wg.autograd.profiler.ProfilerActivity.CPU
    x = wg.ones(2)
    with profile() as prof:
        x.exp()
        prof.toggle_collection_dynamic(False, [cpu])
        prof.toggle_collection_dynamic(False, [cpu])
        x.sin()
        prof.toggle_collection_dynamic(True, [cpu])
        x.cos()
        with pytest.raises(TypeError, match="must be ProfilerActivity"):
            prof.toggle_collection_dynamic(False, ["CPU"])
    assert [(event.name, event.thread) for event in prof.function_events] == [("aten::exp", 1), ("aten::cos", 1)]
    prof.toggle_collection_dynamic(True, [cpu])
    x.exp()
    assert len(prof.function_events) == 2
    with profile() as prof:
        prof.toggle_collection_dynamic(False, {cpu})
    assert len(prof.function_events) == 0
