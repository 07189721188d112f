"""draw: DOT, Mermaid, text; what a user writes is escaped; long graphs are cut and nothing is recursive."""

import re
import shutil
import subprocess

import pytest
import wengert as wg
from wengert_graph import drawing as drawing_module

draw = wg.autograd.graph.draw


def leaf(*values):
    return wg.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def test_torchviz_colors():
    x = leaf()
    lines = draw(x.exp() * x, {"x": x}, saved=True).to_dot().splitlines()
    colors = {re.search(r'label="([^"\\]*)', line)[1]: re.search("fillcolor=(.*)]", line)[1]
               for line in lines if "fillcolor" in line}
    assert colors == {"output": "darkolivegreen1", "MulBackward0": "lightgrey", "ExpBackward0": "lightgrey",
                       "result": "orange", "self": "orange", "other": "orange", "x": "lightblue"}


def test_every_arrow_joins_two_boxes():
    x, w = leaf(), leaf(3.0, 4.0)
    drawing = draw([(x * w).sin(), wg.cat([x, w]).unbind()[1]], saved=True)
    keys = [box.key for box in drawing.boxes]
    assert len(set(keys)) == len(keys)
    assert {key for arrow in drawing.arrows for key in arrow[:2]} <= set(keys)
    assert sum(box.kind == "output" for box in drawing.boxes) == 2


HOSTILE = 'a"];b->c [x="\\\n<script>&`#'


def test_names_are_escaped_in_dot():
    x = leaf()
    (line,) = [line for line in draw(x.exp(), {HOSTILE: x}).to_dot().splitlines() if "script" in line]
    text = re.fullmatch(r'  n1 \[label=("(?:[^"\\]|\\.)*") fillcolor=lightblue\]', line)[1]
    assert text == '"a\\"];b->c [x=\\"\\\\\\n<script>&`#\\nfloat32[2]"'


def test_names_are_escaped_in_mermaid():
    x = leaf()
    (line,) = [line for line in draw(x.exp(), {HOSTILE: x}).to_mermaid().splitlines() if "script" in line]
    assert re.fullmatch(r'  n1\["[^"]*"\]:::leaf', line)
    assert "<script" not in line
    assert "`" not in line


def test_names_are_escaped_in_html(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda program: None)
    x = leaf()
    page = draw(x.exp(), {HOSTILE: x})._repr_html_()
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_names_of_operations_that_a_user_chose():
    hostile = type('Bad"<i>', (wg.autograd.Function,), {"forward": staticmethod(lambda ctx, x: x * 2)})
    drawing = draw(hostile.apply(leaf()))
    assert 'label="Bad\\"<i>Backward"' in drawing.to_dot()
    assert '["Bad#quot;#lt;i#gt;Backward"]' in drawing.to_mermaid()


def test_the_text_is_a_tree():
    x, w = leaf(), leaf(3.0, 4.0)
    y = (x * w).exp()
    assert str(draw(y.sum() * y.sin().sum(), {"x": x, "w": w})).splitlines() == [
        "#0 MulBackward0 -> float32[]",
        "├─ self: #3 SumBackward0 -> float32[]",
        "│  #4 ExpBackward0 -> float32[2]",
        "│  #5 MulBackward0 -> float32[2]",
        "│  ├─ self: #6 leaf x float32[2]",
        "│  └─ other: #7 leaf w float32[2]",
        "└─ other: #1 SumBackward0 -> float32[]",
        "   #2 SinBackward0 -> float32[2]",
        "   #4, see above",
    ]


def test_saved_tensors_in_the_text():
    line = draw(leaf().exp(), saved=True).to_text().splitlines()[0]
    assert line == "#0 ExpBackward0 -> float32[2]; saved: result float32[2]"


def test_several_roots_and_nodes_as_roots():
    x = leaf()
    assert draw([x.exp(), x.sin()]).to_text().splitlines() == [
        "#1 ExpBackward0 -> float32[2]", "#2 leaf float32[2]", "#0 SinBackward0 -> float32[2]", "#2, see above"]
    assert [box.kind for box in draw(x.exp().grad_fn).boxes] == ["op", "leaf"]
    assert [box.kind for box in draw(x).boxes] == ["leaf"]


def test_names_may_be_pairs():
    x = leaf()
    assert "leaf weight float32[2]" in str(draw(x.exp(), iter([("weight", x)])))


def test_a_limit_is_said():
    x = leaf()
    for _ in range(50):
        x = x.sin()
    drawing = draw(x, limit=10)
    assert drawing.to_text().splitlines()[-2:] == ["SinBackward0, not shown", "... and 41 more nodes"]
    assert '"41 more nodes"' in drawing.to_dot()
    assert len(draw(x, limit=None).to_text().splitlines()) == 51


@pytest.mark.host("a long graph, whatever it is of: minutes on the simulated device")
def test_long_and_branching_graphs():
    x = y = leaf()
    for _ in range(20_000):
        y = y * x.sin()
    assert len(draw(y).to_text().splitlines()) > 1000
    z = leaf()
    for _ in range(100_000):
        z = z * 1.0
    assert len(draw(z, limit=None).to_text().splitlines()) == 100_001


def test_the_line_is_shown_where_anomaly_mode_kept_it():
    y = leaf().exp()
    y.grad_fn.metadata["traceback_"] = '  File "model.py", line 3, in forward\n    return x.exp()\n'
    assert "at model.py:3 in forward: return x.exp()" in str(draw(y))
    assert "model.py:3" in draw(y).to_dot()


def test_without_dot_a_notebook_gets_text(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda program: None)
    drawing = draw(leaf().exp())
    assert drawing._repr_svg_() is None
    assert drawing._repr_html_().startswith("<pre>#0 ExpBackward0 -&gt; float32[2]")
    with pytest.raises(RuntimeError, match="the program 'dot' of Graphviz is not installed"):
        drawing.to_svg()


def test_with_dot_a_notebook_gets_its_picture(monkeypatch):
    seen = {}

    def run(command, *, input, **options):
        seen.update(command=command, input=input)
        return subprocess.CompletedProcess(command, 0, stdout="<svg/>", stderr="")

    monkeypatch.setattr(shutil, "which", lambda program: "/bin/" + program)
    monkeypatch.setattr(drawing_module.subprocess, "run", run)
    drawing = draw(leaf().exp())
    assert drawing._repr_svg_() == "<svg/>"
    assert drawing._repr_html_() is None
    assert seen == {"command": ["/bin/dot", "-Tsvg"], "input": drawing.to_dot()}


@pytest.mark.skipif(shutil.which("dot") is None, reason="the program dot of Graphviz is not installed")
def test_dot_reads_what_we_write():
    x = leaf()
    assert "<svg" in draw(x.exp() * x, {HOSTILE: x}, saved=True).to_svg()


@pytest.mark.parametrize("wrong", [-1, "x", object(), [1, 2]])
def test_params_that_are_no_names_of_tensors(wrong):
    with pytest.raises(TypeError, match=r"draw\(\): argument 'params' must be a mapping of names to tensors"):
        wg.autograd.graph.draw(wg.ones(1, requires_grad=True).exp(), params=wrong)


def test_a_drawing_is_made_of_names_and_a_limit():
    y = wg.ones(1, requires_grad=True).exp()
    drawing = wg.autograd.graph.Drawing
    with pytest.raises(TypeError, match=r"Drawing\(\): argument 'names' must be a mapping"):
        drawing(y, 3, False, None)
    with pytest.raises(TypeError, match=r"Drawing\(\): argument 'limit' must be int or None, not str"):
        drawing(y, {}, False, "x")
    with pytest.raises(TypeError, match="descriptor 'to_dot' for 'Drawing' objects doesn't apply to a 'int' object"):
        drawing.to_dot(3)
