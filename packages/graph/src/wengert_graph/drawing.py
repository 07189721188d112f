"""draw: a recorded graph as DOT, Mermaid, an indented text, and a picture in notebooks."""

from __future__ import annotations

import html
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from wengert_core.extend import Tensor, checked
from wengert_engine import Node
from wengert_engine.extend import gradient_edge

from wengert_graph.labels import in_dot, in_mermaid, short
from wengert_graph.walking import Step, walk

COLORS = {"leaf": "lightblue", "saved": "orange", "output": "darkolivegreen1", "op": "lightgrey", "more": "white"}
"""What torchviz paints: leaves that get a gradient, saved tensors, outputs, operations."""
MERMAID_COLORS = COLORS | {"output": "#caff70"}  # a color of X11, unknown to browsers
DOT_SECONDS = 60


class Box(NamedTuple):
    """Something that is drawn."""

    key: str
    kind: str  # of COLORS
    lines: tuple[str, ...]


class Arrow(NamedTuple):
    """From an input to what is computed from it, as data flows in the forward direction."""

    start: str
    end: str
    label: str


@checked
class Drawing:
    """A picture of a graph: ``str()`` is an indented text; notebooks show an SVG where the program ``dot`` is there.

    Made by ``wengert.autograd.graph.draw``.

    >>> import wengert as wg
    >>> x = wg.ones(2, requires_grad=True)
    >>> drawing = wg.autograd.graph.draw(x.exp() * x, params={"x": x})
    >>> isinstance(drawing, wg.autograd.graph.Drawing), len(drawing.boxes), len(drawing.arrows)
    (True, 4, 4)
    """

    def __init__(self, root: Any, names: Mapping[int, str], saved: bool, limit: int | None) -> None:
        if not isinstance(names, Mapping):
            raise TypeError(f"Drawing(): argument 'names' must be a mapping of int to str, not {type(names).__name__}")
        if not (limit is None or isinstance(limit, int)):
            raise TypeError(f"Drawing(): argument 'limit' must be int or None, not {type(limit).__name__}")
        self.boxes: list[Box] = []
        self.arrows: list[Arrow] = []
        self.hidden: int = 0  # nodes beyond the limit
        self._names, self._saved = names, saved
        self._steps: dict[Node, Step] = {}
        for step in walk(root):
            if limit is None or len(self._steps) < limit:
                self._steps[step.node] = step
            else:
                self.hidden += 1
        self._roots = list(_roots(root))
        for i, (tensor, node) in enumerate(self._roots):
            if tensor is not None and tensor.grad_fn is not None:
                self._add(f"out{i}", "output", ("output", short(tensor.dtype, tensor.shape)), _key(self._steps[node]))
        for step in self._steps.values():
            self._add_step(step)
        if self.hidden:
            self.boxes.append(Box("more", "more", (f"{self.hidden} more nodes",)))

    def _add(self, key: str, kind: str, lines: tuple[str, ...], start: str = "", label: str = "") -> None:
        self.boxes.append(Box(key, kind, lines))
        if start:
            self.arrows.append(Arrow(start, key, label))

    def _add_step(self, step: Step) -> None:
        key = _key(step)
        if step.leaf is not None:
            self.boxes.append(Box(key, "leaf", self._leaf_lines(step)))
            return
        self.boxes.append(Box(key, "op", (step.name, *([step.line] if step.line else []))))
        for edge in step.edges:
            if edge.node in self._steps:
                self.arrows.append(Arrow(_key(self._steps[edge.node]), key, edge.name))
        for i, saved in enumerate(step.saved if self._saved else ()):
            if saved.tensor is not None:
                lines = (saved.name, short(saved.tensor.dtype, saved.tensor.shape))
                self.boxes.append(Box(f"{key}s{i}", "saved", lines))
                self.arrows.append(Arrow(f"{key}s{i}", key, ""))

    def _leaf_lines(self, step: Step) -> tuple[str, ...]:
        leaf = step.leaf
        name = self._names.get(id(leaf))
        return (*([name] if name else []), short(leaf.dtype, leaf.shape) if leaf is not None else step.name)

    # ---- as text

    def to_dot(self) -> str:
        """The graph in the language of Graphviz, in torchviz's colors.

        >>> import wengert as wg
        >>> x = wg.ones(2, requires_grad=True)
        >>> print(wg.autograd.graph.draw(x.exp(), params={"x": x}).to_dot())
        digraph {
          node [shape=box style=filled fontname=monospace fontsize=10]
          out0 [label="output\\nfloat32[2]" fillcolor=darkolivegreen1]
          n0 [label="ExpBackward0" fillcolor=lightgrey]
          n1 [label="x\\nfloat32[2]" fillcolor=lightblue]
          n0 -> out0
          n1 -> n0 [label="self"]
        }
        """
        lines = ["digraph {", "  node [shape=box style=filled fontname=monospace fontsize=10]"]
        for box in self.boxes:
            lines.append(f"  {box.key} [label={in_dot(chr(10).join(box.lines))} fillcolor={COLORS[box.kind]}]")
        for arrow in self.arrows:
            label = f" [label={in_dot(arrow.label)}]" if arrow.label else ""
            lines.append(f"  {arrow.start} -> {arrow.end}{label}")
        return "\n".join([*lines, "}"])

    def to_mermaid(self) -> str:
        """The graph in Mermaid's language, which Markdown pages of many sites show as a picture.

        >>> import wengert as wg
        >>> x = wg.ones(2, requires_grad=True)
        >>> print(wg.autograd.graph.draw(x.exp()).to_mermaid())
        flowchart TB
          out0["output<br/>float32[2]"]:::output
          n0["ExpBackward0"]:::op
          n1["float32[2]"]:::leaf
          n0 --> out0
          n1 -->|"self"| n0
          classDef leaf fill:lightblue,color:black
          classDef output fill:#caff70,color:black
          classDef op fill:lightgrey,color:black
        """
        lines = ["flowchart TB"]
        for box in self.boxes:
            lines.append(f"  {box.key}[{in_mermaid(chr(10).join(box.lines))}]:::{box.kind}")
        for arrow in self.arrows:
            label = f"|{in_mermaid(arrow.label)}|" if arrow.label else ""
            lines.append(f"  {arrow.start} -->{label} {arrow.end}")
        used = {box.kind for box in self.boxes}
        lines += [f"  classDef {kind} fill:{color},color:black" for kind, color in MERMAID_COLORS.items()
                  if kind in used]
        return "\n".join(lines)

    def to_text(self) -> str:
        """The graph as a tree: an operation, then its inputs. Where there is one input, it stands below without
        indentation; what has been shown already is named by its number only.

        >>> import wengert as wg
        >>> x = wg.ones(2, requires_grad=True)
        >>> y = x.exp()
        >>> print(wg.autograd.graph.draw((y * y.sin()).sum(), params={"x": x}).to_text())
        #0 SumBackward0 -> float32[]
        #1 MulBackward0 -> float32[2]
        ├─ self: #3 ExpBackward0 -> float32[2]
        │  #4 leaf x float32[2]
        └─ other: #2 SinBackward0 -> float32[2]
           #3, see above
        """
        lines: list[str] = []
        shown: set[Node] = set()
        for _, root in self._roots:
            todo = [(root, "", "")]  # node, what its line begins with, what the lines below begin with
            while todo:
                node, head, rest = todo.pop()
                lines.append(head + self._line(node, shown))
                if node not in self._steps or node in shown:
                    continue
                shown.add(node)
                todo += reversed(_branches(self._steps[node], rest))
        if self.hidden:
            lines.append(f"... and {self.hidden} more nodes")
        return "\n".join(lines)

    def _line(self, node: Node, shown: set[Node]) -> str:
        step = self._steps.get(node)
        if step is None:
            return f"{type(node).__name__}, not shown"
        if node in shown:
            return f"#{step.number}, see above"
        if step.leaf is not None:
            return f"#{step.number} leaf {' '.join(self._leaf_lines(step))}"
        parts = [f"#{step.number} {step.name} -> {', '.join(short(*output) for output in step.outputs)}"]
        saved = [f"{one.name} {short(one.tensor.dtype, one.tensor.shape)}" for one in step.saved
                 if one.tensor is not None]
        if self._saved and saved:
            parts.append(f"saved: {', '.join(saved)}")
        if step.line:
            parts.append(f"at {step.line}")
        return "; ".join(parts)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Drawing of {len(self._steps)} nodes; str() shows them>"

    # ---- as a picture

    def to_svg(self) -> str:
        """The picture that the program ``dot`` makes of ``to_dot()``. RuntimeError where it is not installed."""
        program = shutil.which("dot")
        if program is None:
            raise RuntimeError("the program 'dot' of Graphviz is not installed: install it with your system's "
                               "packages, or use to_mermaid(), to_dot() or to_text()")
        done = subprocess.run([program, "-Tsvg"], input=self.to_dot(), capture_output=True, text=True, encoding="utf-8",
                              timeout=DOT_SECONDS, check=True)
        return done.stdout

    def _repr_svg_(self) -> str | None:
        return self.to_svg() if shutil.which("dot") else None

    def _repr_html_(self) -> str | None:
        """The text where there is no ``dot``; None where there is, for notebooks prefer HTML."""
        return None if shutil.which("dot") else f"<pre>{html.escape(self.to_text())}</pre>"


def draw(root: Any, params: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None, *, saved: bool = False,
         limit: int | None = 1000) -> Drawing:
    """A picture of the graph behind ``root``: print it, or let a notebook show it.

    root: as for walk.   params: names of leaves, a dict or pairs (``model.named_parameters()``).
    saved: show saved tensors, too.   limit: draw no more nodes than these; None: all.

    >>> import wengert as wg
    >>> w, b = wg.ones(3, requires_grad=True), wg.ones((), requires_grad=True)
    >>> print(wg.autograd.graph.draw(wg.ones(3) @ w + b, params={"w": w, "b": b}))
    #0 AddBackward0 -> float32[]
    ├─ self: #1 DotBackward0 -> float32[]
    │  #3 leaf w float32[3]
    └─ other: #2 leaf b float32[]
    """
    pairs = params.items() if isinstance(params, Mapping) else () if params is None else params
    try:
        names = {id(tensor): str(name) for name, tensor in pairs}
    except (TypeError, ValueError):
        raise TypeError("draw(): argument 'params' must be a mapping of names to tensors, or pairs of these, not "
                        f"{type(params).__name__}") from None
    return Drawing(root, names, saved, limit)


def _key(step: Step) -> str:
    return f"n{step.number}"


def _roots(root: Any) -> Iterable[tuple[Tensor | None, Node]]:
    """(tensor or None, node) of what a graph was asked for by."""
    if isinstance(root, list | tuple) and not hasattr(root, "node"):
        for one in root:
            yield from _roots(one)
    elif isinstance(root, Tensor):
        edge = gradient_edge(root)
        if edge is not None:
            yield root, edge[0]
    else:
        yield None, root if isinstance(root, Node) else root.node


def _branches(step: Step, rest: str) -> list[tuple[Node, str, str]]:
    """The nodes below one, each with what its line and the lines below it begin with."""
    edges = [(edge.node, f"{edge.name}: " if edge.name else "") for edge in step.edges if edge.node is not None]
    if len(edges) == 1:
        return [(edges[0][0], rest, rest)]
    branches = [(node, f"{rest}├─ {name}", f"{rest}│  ") for node, name in edges[:-1]]
    return branches + [(node, f"{rest}└─ {name}", f"{rest}   ") for node, name in edges[-1:]]
