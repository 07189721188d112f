"""explain_grad: why a gradient is None or zero, and where its path breaks."""

from __future__ import annotations

import html
from typing import Any, NamedTuple

from wengert_core.extend import Tensor
from wengert_engine import Node
from wengert_engine.extend import gradient_edge

from wengert_graph.dead_ends import DeadEnd, dead_ends, same_memory, same_values
from wengert_graph.labels import short
from wengert_graph.tracing import Trace, trace
from wengert_graph.walking import walk

REASONS = {
    "flows": "there is a gradient",
    "zero": "the gradient is zero",
    "nan": "the gradient is NaN",
    "none": "a node on the path returns None",
    "freed": "the graph has been freed",
    "input does not require grad": "no gradient was asked for",
    "input cannot require grad": "its dtype has no gradients",
    "output not differentiable": "its dtype has no gradients",
    "output detached": "the output shares memory with a tensor, but has no history",
    "output not recorded": "nothing was recorded for the output",
    "inference mode": "the output was computed in inference mode",
    "input detached": "the graph uses the input's memory without its history",
    "another tensor": "the graph leads to another tensor, which looks like the input",
    "computed later": "the input, as it is now, is younger than the output",
    "written to": "the input was written to in place after the output had been computed",
    "another output": "the output depends on another output of the same operation",
    "no path": "the output does not depend on the input",
}
"""What ``Explanation.reason`` can be."""


class Explanation(NamedTuple):
    """Why a gradient is as it is. ``str()`` says it in sentences.

    reason: a key of REASONS.   place: the node where the path breaks, None where there is none.   line: of the program,
    where anomaly mode kept it.   path: names of the nodes from the output to the input, where there is a path.
    suspects: arguments in the graph that carry no gradient, each of which may be where the path broke.

    >>> import wengert as wg
    >>> x = wg.ones(2, requires_grad=True)
    >>> answer = wg.autograd.graph.explain_grad((x * 0).sum(), x)
    >>> answer.reason, answer.flows, answer.place.name(), answer.path
    ('zero', False, 'MulBackward0', ('SumBackward0', 'MulBackward0', 'AccumulateGrad'))
    """

    reason: str
    text: str
    place: Node | None = None
    line: str | None = None
    path: tuple[str, ...] = ()
    suspects: tuple[DeadEnd, ...] = ()

    @property
    def flows(self) -> bool:
        """Whether a gradient arrives that is not zero everywhere."""
        return self.reason in ("flows", "nan")

    def __str__(self) -> str:
        lines = [self.text]
        if self.line:
            lines.append(f"Recorded at {self.line}")
        if self.path:
            lines.append(f"Path: {_path_text(self.path)}")
        if self.suspects:
            lines.append("Arguments in the graph that carry no gradient:")
            lines += [f"  {suspect}" for suspect in self.suspects[:10]]
            if len(self.suspects) > 10:
                lines.append(f"  ... and {len(self.suspects) - 10} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def explain_grad(output: Any, input: Any, grad_output: Any = None) -> Explanation:
    """Why the gradient of ``output`` with respect to ``input`` is None, zero or NaN, or that there is one.

    grad_output: the gradient of the output, default: ones. Call it before backward, or with retain_graph=True: it runs
    the derivatives on the path itself, and touches no ``.grad`` and calls no hook (but your Functions' backward).
    A tensor does not remember by what it lost its history. So where no path is found, the answer names what the record
    shows, and the places where it may have happened.

    >>> import wengert as wg
    >>> x = wg.ones(2, requires_grad=True)
    >>> print(wg.autograd.graph.explain_grad((x.exp().floor() * 2).sum(), x))
    The gradient is zero: FloorBackward0 lets nothing through, for its derivative is zero everywhere.
    Path: SumBackward0 -> MulBackward0 -> FloorBackward0 -> ExpBackward0 -> AccumulateGrad
    >>> wg.autograd.graph.explain_grad((x.detach() * x.detach()).sum(), x).reason
    'output not recorded'
    >>> print(wg.autograd.graph.explain_grad((x.detach() * wg.ones(2, requires_grad=True)).sum(), x).text)
    The graph uses the memory of the input without its history: 'self' of MulBackward0 is a detached tensor (detach(),
    .data, no_grad(), or requires_grad was set later).
    """
    for name, tensor in (("output", output), ("input", input)):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"explain_grad() expects tensors, but {name} is of type {type(tensor).__name__}")
    return _about_output(output, input) or _about_input(input) or _about_path(output, input, grad_output)


def _about_output(output: Any, input: Any) -> Explanation | None:
    """What is wrong with the output alone."""
    if output.requires_grad:
        return None
    if not output.dtype.is_floating_point and not output.dtype.is_complex:
        return Explanation("output not differentiable", f"The output is {short(output.dtype, output.shape)}, and only "
                           "floating and complex tensors have gradients: comparisons, argmax and conversions to "
                           "integers end the path.")
    if output.is_inference():
        return Explanation("inference mode", "The output was computed in inference_mode(), where nothing is recorded.")
    if same_memory(output, input):
        return Explanation("output detached", "The output shares the input's memory, but has no history: it comes from "
                           "detach() or .data, or is a view made under no_grad()." if input.requires_grad else
                           _not_required())
    if output._base is not None:
        return Explanation("output detached", "The output is a view of a tensor that does not require grad.")
    if not input.requires_grad:
        return _about_input(input)
    return Explanation("output not recorded", "Nothing was recorded for the output: it was computed under no_grad(), "
                       "or from tensors none of which requires grad (detached ones, or numbers that went through "
                       "item(), tolist() or NumPy), or it was detached itself.")


def _not_required() -> str:
    return "The input does not require grad: call requires_grad_() on it before the output is computed."


def _about_input(input: Any) -> Explanation | None:
    """What is wrong with the input alone."""
    if input.requires_grad:
        return None
    if not input.dtype.is_floating_point and not input.dtype.is_complex:
        return Explanation("input cannot require grad", f"The input is {short(input.dtype, input.shape)}, and only "
                           "floating and complex tensors can require gradients.")
    return Explanation("input does not require grad", _not_required())


def _about_path(output: Any, input: Any, grad_output: Any) -> Explanation:
    """Both require grad: follow the graph."""
    target: Any = gradient_edge(input)
    found = trace(output, target)
    if not found.path:
        return _no_path(output, input, found)
    return _along(found, input, grad_output, output)


# ---- a path is there

def _along(found: Trace, input: Any, grad_output: Any, output: Any) -> Explanation:
    """What comes along the path, computed node by node."""
    path = tuple(step.name for step in found.path)
    try:
        gradient = found.run(output, grad_output)
    except RuntimeError:
        freed = found.failed
        if freed is None or not freed.released:
            raise
        return Explanation("freed", f"There is a path, but what {freed.name} had saved was freed by a backward: call "
                           "explain_grad before it, or backward(retain_graph=True).", freed.node, freed.line, path)
    if gradient is None:
        broken = found.stopped
        name, node, line = (broken.name, broken.node, broken.line) if broken else ("a node", None, None)
        text = f"The gradient is None: {name} returns none for the input that leads on."
        return Explanation("none", text, node, line, path)
    if bool((gradient != gradient).any()):
        return _nan(found, path)
    if bool((gradient != 0).any()):
        hint = "" if input.is_leaf or input.retains_grad else (
            " The input is no leaf: backward() sets its .grad only after retain_grad().")
        largest = float(gradient.abs().max())
        return Explanation("flows", f"There is a gradient; its largest element is {largest:.4g}.{hint}", path=path)
    return _zero(found, path)


def _zero(found: Trace, path: tuple[str, ...]) -> Explanation:
    step = found.stopped
    if step is None:
        return Explanation("zero", "The gradient is zero: what arrives along several paths cancels, or the gradient of "
                           "the output is zero.", path=path)
    if found.always_zero(step):
        why = "lets nothing through, for its derivative is zero everywhere."
    else:
        why = "lets nothing through with these values."
    return Explanation("zero", f"The gradient is zero: {step.name} {why}", step.node, step.line, path)


def _nan(found: Trace, path: tuple[str, ...]) -> Explanation:
    step = found.blown_up
    if step is None:
        return Explanation("nan", "The gradient is NaN: it was so in the gradient of the output.", path=path)
    return Explanation("nan", f"The gradient is NaN: {step.name} is the first to make infinite or NaN what was finite.",
                       step.node, step.line, path)


# ---- there is no path

def _no_path(output: Any, input: Any, found: Trace) -> Explanation:
    suspects = tuple(dead_ends(found.steps))
    return (_other_output(input, found) or _newer_input(output, input, found) or _same_memory(input, suspects)
            or _similar_leaf(input, found) or _not_an_ancestor(suspects))


def _other_output(input: Any, found: Trace) -> Explanation | None:
    node, number = gradient_edge(input) or (None, 0)
    for step in found.steps:
        if step.node is node:
            return Explanation("another output", f"The output depends on another output of {step.name} than the input, "
                               f"which is output {number}.", node, step.line)
    return None


def _newer_input(output: Any, input: Any, found: Trace) -> Explanation | None:
    """The input's node was recorded after the output's."""
    node = input.grad_fn
    if node is None or output.grad_fn is None or node._sequence_nr() <= output.grad_fn._sequence_nr():
        return None
    inside = {step.node for step in found.steps}
    before = next((step for step in walk(node) if step.node in inside), None)
    name = type(node).__name__
    if input._version and before is not None:
        return Explanation("written to", "The input was written to in place after the output had been computed: it is "
                           f"now the result of {name}, and the output depends on what it was before ({before.name}). "
                           "Take the gradient before the write, or keep a clone.", node)
    return Explanation("computed later", f"The input is the result of {name}, which was recorded after the output was "
                       "computed: the output cannot depend on it.", node)


def _same_memory(input: Any, suspects: tuple[DeadEnd, ...]) -> Explanation | None:
    for suspect in suspects:
        if suspect.tensor is not None and same_memory(suspect.tensor, input):
            return Explanation("input detached", "The graph uses the memory of the input without its history: "
                               f"{suspect.argument} of {suspect.op} is a detached tensor (detach(), .data, no_grad(), "
                               "or requires_grad was set later).", suspect.node, suspect.line)
    return None


def _similar_leaf(input: Any, found: Trace) -> Explanation | None:
    """A leaf of the graph that shares the input's memory or has its values."""
    for step in found.steps:
        leaf: Any = step.leaf
        if leaf is None or leaf is input:
            continue
        if same_memory(leaf, input):
            how = "shares the memory of the input, but is another tensor (detach().requires_grad_(), Variable(x))"
        elif same_values(leaf, input):
            how = "has the same values as the input, but is another tensor (a copy: clone().detach(), tensor(x))"
        else:
            continue
        return Explanation("another tensor", f"The graph leads to a leaf that {how}. Ask for the gradient of the "
                           "tensor that was used.", step.node)
    return None


def _not_an_ancestor(suspects: tuple[DeadEnd, ...]) -> Explanation:
    text = "The output does not depend on the input, as far as the record shows: "
    if suspects:
        text += ("either the input was not used, or its history was lost on the way, by detach(), no_grad(), .data, an "
                 "integer dtype, an operation that is not differentiable, or a copy through item() or NumPy.")
    else:
        text += "it was not used, or only by its numbers: item(), tolist(), NumPy."
    return Explanation("no path", text, suspects=suspects)


def _path_text(path: tuple[str, ...], most: int = 12) -> str:
    if len(path) > most:
        path = (*path[:most // 2], f"... {len(path) - most} more ...", *path[-most // 2:])
    return " -> ".join(path)


