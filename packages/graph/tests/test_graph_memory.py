"""saved_memory: storages counted once, by operation, line and storage."""

import numpy as np
import pytest
import wengert as wg
from wengert.utils.checkpoint import checkpoint
from wengert_graph.memory import size

saved_memory = wg.autograd.graph.saved_memory


def leaf(*shape):
    return wg.ones(*shape, requires_grad=True)


def rows(table):
    return {row.name: (row.nodes, row.tensors, row.nbytes, row.alone) for row in table}


def test_a_storage_is_counted_once():
    x = leaf(100)
    y = x.exp()
    memory = saved_memory((y * y.sin()).sum())
    # y is kept by exp (its result), sin (its input) and mul; the result of sin by mul
    assert memory.nbytes == 800
    assert len(memory.storages) == 2
    assert len(memory.held) == 4
    assert rows(memory.by_op) == {"MulBackward0": (1, 2, 800, 400), "ExpBackward0": (1, 1, 400, 0),
                                  "SinBackward0": (1, 1, 400, 0)}


def test_a_view_holds_the_whole_storage():
    x = leaf(1000)
    y = x * 1
    memory = saved_memory((y[:10] * y[5:15]).sum())
    assert memory.nbytes == 4000
    assert [one.nbytes for one in memory.held] == [40, 40]
    assert rows(memory.by_op) == {"MulBackward0": (1, 2, 4000, 4000)}


def test_an_expanded_tensor_holds_little():
    memory = saved_memory(leaf(1000) * wg.ones(1).expand(1000))
    assert [(one.what, one.nbytes) for one in memory.held] == [("float32[1000]", 4000)]
    assert memory.nbytes < 1000


def test_leaves_are_told_apart():
    x, w = leaf(10), wg.ones(10)
    memory = saved_memory(x * w * leaf(10))
    assert memory.nbytes == 120
    assert memory.leaf_nbytes == 40  # x is not kept, for w needs no gradient


def test_by_line():
    x = leaf(10)
    a, b = x.exp(), x.sin()
    a.grad_fn.metadata["traceback_"] = '  File "model.py", line 3, in forward\n    a = x.exp()\n'
    memory = saved_memory(a + b)
    assert rows(memory.by_line) == {"model.py:3 in forward: a = x.exp()": (1, 1, 40, 40), "": (1, 1, 40, 40)}
    assert "(unknown)" in memory.table("line")


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_anomaly_mode_gives_lines():
    x = leaf(10)
    with wg.autograd.detect_anomaly():
        y = x.exp()
        y = y * y.sin()
    assert [row.name.rpartition(": ")[2] for row in saved_memory(y).by_line] == ["y = y * y.sin()", "y = x.exp()"]


def test_indices_count():
    rows = wg.arange(50)
    memory = saved_memory(leaf(100)[rows])
    assert memory.nbytes == 400
    assert [one.what for one in memory.held] == ["int64[50]"]


def test_by_storage():
    x = leaf(10)
    y = x.exp()
    (row,) = saved_memory(y.sin()).by_storage
    assert row.name == "SinBackward0.self float32[10], ExpBackward0.result float32[10]"
    assert row[1:] == (2, 2, 40, 40)


def test_nothing_is_held_after_backward():
    y = leaf(10).exp().sum()
    y.backward()
    memory = saved_memory(y)
    assert memory.nbytes == 0
    assert str(memory).startswith("0 B in 0 storages are held by 0 saved tensors\n")


@pytest.mark.host("NumPy on memory of the host")
def test_what_hooks_have_packed():
    graph = wg.autograd.graph
    x = leaf(100)
    with graph.saved_tensors_hooks(lambda t: {"a": [t.detach().numpy().astype(np.float16)]}, lambda p: None):
        y = x.exp()
    assert saved_memory(y).nbytes == 200
    with graph.saved_tensors_hooks(lambda t: "on the moon", lambda p: None):
        y = x.exp()
    assert saved_memory(y).nbytes == 0


def test_a_view_of_an_array_counts_as_the_array():
    array = np.zeros(1000, np.float32)
    with wg.autograd.graph.saved_tensors_hooks(lambda t: array[:10], lambda p: None):
        y = leaf(10).exp().sin()
    memory = saved_memory(y)
    assert (memory.nbytes, len(memory.storages), len(memory.held)) == (4000, 1, 2)


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_checkpointing_shows(use_reentrant):
    def f(x):
        for _ in range(20):
            x = x.exp().sin()
        return x

    x = leaf(100) * 1
    assert saved_memory(f(x)).nbytes == 20 * 400
    assert saved_memory(checkpoint(f, x, use_reentrant=use_reentrant)).nbytes == 400


def test_tables():
    memory = saved_memory((leaf(1000).exp() * 2).sum())
    assert str(memory) == (
        "3.9 KiB in 1 storages are held by 1 saved tensors\n\n"
        "saved by      nodes  tensors   memory  there alone\n"
        "ExpBackward0      1        1  3.9 KiB      3.9 KiB"
    )
    with pytest.raises(ValueError, match="by op, line, storage, not by 'color'"):
        memory.table("color")


def test_html_is_escaped():
    hostile = type("Bad<i>", (wg.autograd.Function,), {
        "forward": staticmethod(lambda ctx, x: (ctx.save_for_backward(x), x * 2)[1])})
    page = saved_memory(hostile.apply(leaf(10)))._repr_html_()
    assert "<i>" not in page
    assert "Bad&lt;i&gt;Backward" in page


@pytest.mark.parametrize(("nbytes", "text"), [
    (0, "0 B"), (1000, "1.0 KiB"), (5 << 20, "5.0 MiB"), (2 << 40, "2.0 TiB")])
def test_sizes_for_people(nbytes, text):
    assert size(nbytes) == text
