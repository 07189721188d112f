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
    outer = rows(prof)["aten::cross_entropy"]
    inner = [row for row in prof.key_averages() if row.cpu_parent is not None]
    assert outer.cpu_memory_usage == outer.self_cpu_memory_usage + sum(row.cpu_memory_usage for row in inner)
    assert x.numel() == 1


def test_the_memory_of_a_training_step_is_balanced():
    w = wg.ones(100, 100, requires_grad=True)
    with profile(profile_memory=True) as prof:
        loss = (wg.ones(10, 100) @ w).relu().sum()
        loss.backward()
        w.grad = None
        del loss
    assert prof.total_average().self_cpu_memory_usage == 0


CASES = [
    (lambda: wg.mm(wg.ones(2, 3), wg.ones(3, 4)), "aten::mm", 48),
    (lambda: wg.bmm(wg.ones(5, 2, 3), wg.ones(5, 3, 4)), "aten::bmm", 240),
    (lambda: wg.addmm(wg.ones(4), wg.ones(2, 3), wg.ones(3, 4)), "aten::addmm", 48),
    (lambda: wg.ones(5, 2, 3) @ wg.ones(3, 4), "aten::mm", 240),
    (lambda: wg.nn.functional.linear(wg.ones(2, 3), wg.ones(4, 3)), "aten::linear", 48),
    (lambda: wg.ones(2, 6) * wg.ones(6), "aten::mul", 12),
    (lambda: wg.ones(7) + 1, "aten::add", 7),
    (
        lambda: wg.nn.functional.conv2d(wg.ones(2, 4, 5, 5), wg.ones(6, 2, 3, 3), groups=2, padding=1),
        "aten::convolution",
        10800,
    ),
    (lambda: wg.nn.functional.conv_transpose2d(wg.ones(1, 2, 4, 4), wg.ones(2, 3, 3, 3)), "aten::convolution", 1728),
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
