"""Anomaly mode: detect_anomaly, set_detect_anomaly, and what they say when a gradient goes wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from traceback import StackSummary
from typing import Any

from wengert_core.runtime.user_warnings import warn_user

from wengert_engine.anomaly import anomaly

FORWARD_HELP = "No forward pass information available. Enable detect anomaly during forward pass for more information."


@dataclass(frozen=True)
class Values:
    """What a tensor that took part held: the range of its finite values (None when there are none) and the others."""

    name: str
    shape: tuple[int, ...]
    low: float | None
    high: float | None
    nan: int
    inf: int

    def __str__(self) -> str:
        parts = ["no finite values"] if self.low is None else [f"in [{self.low:.6g}, {self.high:.6g}]"]
        parts += [f"{self.nan} nan"] * bool(self.nan) + [f"{self.inf} inf"] * bool(self.inf)
        return f"{self.name} {list(self.shape)} " + ", ".join(parts)


class AnomalyError(RuntimeError):
    """A value that is not a number (or, with check_inf, not finite), found by anomaly mode. A RuntimeError that knows:

    phase: "backward" or "forward".                op: the node's name (SqrtBackward0), or the operation's (sqrt).
    output_index: which of its outputs it is: for a node, the gradient of which of its inputs.
    first_index, first_value: the first bad element.    counts: {"nan": ..., "inf": ..., "total": ...}.
    inputs: Values of what it was computed from: incoming gradients and saved tensors, or the operation's arguments.
    forward_stack: ``traceback.StackSummary`` of where the operation was recorded, None where that is not known.
    induced_by: (name, stack) of the nodes whose derivative it is part of, the nearest first (double backward).

    >>> import wengert_core as wc
    >>> from wengert_engine.anomaly.anomaly_mode import AnomalyError, set_detect_anomaly
    >>> x = wc.tensor([4.0, 0.0], requires_grad=True)
    >>> with set_detect_anomaly(True, check_forward=True):
    ...     try:
    ...         (x - 1).log()
    ...     except AnomalyError as error:
    ...         print(error.phase, error.op, error.first_index, error.counts["nan"], error.inputs[0])
    forward log (1,) 1 self [2] in [-1, 3]
    """

    phase: str
    op: str
    output_index: int
    first_index: tuple[int, ...]
    first_value: complex
    counts: dict[str, int]
    inputs: list[Values]
    forward_stack: StackSummary | None
    induced_by: list[tuple[str, StackSummary | None]]


@dataclass
class BadElements:
    """The bad elements of a tensor."""

    index: tuple[int, ...]
    value: complex
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """What torch's message calls it."""
        return "nan" if self.counts["nan"] else "inf"


def plain(tensor: Any) -> Any:
    """A tensor's values as an array of a dtype that NumPy knows."""
    tensor = tensor.detach()
    if not tensor.is_complex() and tensor.dtype.is_floating_point:
        tensor = tensor.double()
    return tensor.cpu().numpy() if hasattr(tensor, "cpu") else tensor.numpy()


def search(tensor: Any, with_inf: bool) -> BadElements:
    """The first element that is nan (or infinite), and how many there are."""
    import numpy as np

    values = plain(tensor)
    nan, inf = np.isnan(values), np.isinf(values)
    first = tuple(int(i) for i in np.argwhere(nan | inf if with_inf else nan)[0])
    return BadElements(first, values[first].item(),
                 {"nan": int(nan.sum()), "inf": int(inf.sum()), "total": int(values.size)})


def summarize(name: str, tensor: Any) -> Values:
    """The range of a tensor's values; of their moduli when they are complex."""
    import numpy as np

    values = plain(tensor)
    finite = np.isfinite(values)
    good = np.abs(values[finite]) if values.dtype.kind == "c" else values[finite]
    low, high = (float(good.min()), float(good.max())) if good.size else (None, None)
    return Values(name, tuple(values.shape), low, high, int(np.isnan(values).sum()), int(np.isinf(values).sum()))


def anomaly_error(phase: str, name: str, index: int, value: Any, inputs: list[tuple[str, Any]],
                  trace: Any) -> AnomalyError:
    """The error for a tensor that is not finite."""
    found = search(value, anomaly.get_flags()[2])
    ranges = [summarize(label, tensor) for label, tensor in inputs]
    what = f"Function '{name}' returned {found.kind} values in its {index}th output."
    where = "" if phase == "backward" else " in the forward pass"
    facts = (f" {found.counts[found.kind]} of {found.counts['total']} values are {found.kind}{where}, "
             f"the first at index {list(found.index)}.")
    error = AnomalyError(what + facts + (" Computed from " + "; ".join(map(str, ranges)) + "." if ranges else ""))
    error.phase, error.op, error.output_index = phase, name, index
    error.first_index, error.first_value, error.counts = found.index, found.value, found.counts
    error.inputs = ranges
    error.forward_stack = trace.frames() if trace is not None else None
    error.induced_by = [(type(node).__name__, own.frames() if own is not None else None)
                        for node, own in ancestry(trace)]
    return error


def ancestry(trace: Any) -> list[tuple[Any, Any]]:
    """(node, its trace) of the nodes whose derivative was being recorded, the nearest first."""
    found = []
    while trace is not None and trace.parent_node is not None:
        node = trace.parent_node
        trace = anomaly.node_trace(node)
        found.append((node, trace))
    return found


def report_failure(node: Any) -> None:
    """Warn that running a node has failed: with the lines that recorded it, and those of what induced it."""
    trace = anomaly.node_trace(node)
    if trace is None:
        warn_user(f"Error detected in {node.name()}. {FORWARD_HELP}")
    else:
        warn_user(f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n"
                  + "".join(trace.lines()))
    for before, own in ancestry(trace):
        if own is None:
            warn_user(f"\n\nPrevious calculation was induced by {before.name()}. {FORWARD_HELP}")
        else:
            warn_user(f"\n\nPrevious calculation was induced by {before.name()}. Traceback of forward call that "
                      "induced the previous calculation:\n" + "".join(own.lines()))


def is_anomaly_enabled() -> bool:
    """True while anomaly mode is on."""
    return anomaly.get_flags()[0]


def is_anomaly_check_nan_enabled() -> bool:
    """True when anomaly mode looks for nan in gradients (it does so only while it is on)."""
    return anomaly.get_flags()[1]


def switch(mode: bool, check_nan: bool, check_inf: bool, check_forward: bool) -> None:
    """Set the mode, checked."""
    if not isinstance(mode, bool):
        raise TypeError(f"set_anomaly_enabled(): argument 'enabled' (position 1) must be bool, not "
                        f"{type(mode).__name__}")
    if not isinstance(check_nan, bool):
        raise TypeError(f"set_anomaly_enabled(): argument 'check_nan' (position 2) must be bool, not "
                        f"{type(check_nan).__name__}")
    anomaly.set_flags(mode, check_nan, bool(check_inf), bool(check_forward))


class set_detect_anomaly:
    """Switch anomaly mode on or off: as a function at once, as a context manager for its body.

    Arguments as for detect_anomaly.

    >>> from wengert_engine.anomaly.anomaly_mode import is_anomaly_enabled, set_detect_anomaly
    >>> with set_detect_anomaly(True):
    ...     is_anomaly_enabled()
    True
    """

    def __init__(self, mode: bool, check_nan: bool = True, *, check_inf: bool = False,
                 check_forward: bool = False) -> None:
        self.before: tuple[bool, bool, bool, bool] = anomaly.get_flags()
        switch(mode, check_nan, check_inf, check_forward)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        switch(*self.before)


class detect_anomaly:
    """A context manager that finds out which operation of the forward pass a failing gradient comes from.

    In it each recorded operation remembers the lines that called it, and a backward that fails names them in a
    warning. check_nan: a gradient with nan is an error (AnomalyError). check_inf: one with infinities, too.
    check_forward: the results of recorded operations are searched in the same way, at once. The mode is the process's;
    it makes programs slower, so it warns.

    >>> import warnings, wengert_core as wc
    >>> from wengert_engine.anomaly.anomaly_mode import detect_anomaly
    >>> warnings.simplefilter("ignore")
    >>> x = wc.tensor([0.0], requires_grad=True)
    >>> with detect_anomaly():
    ...     y = x.sqrt() * 0
    ...     y.backward()
    Traceback (most recent call last):
        ...
    wengert_engine.anomaly.anomaly_mode.AnomalyError: Function 'SqrtBackward0' returned nan values in its 0th output. \
1 of 1 values are nan, the first at index [0]. Computed from grad_outputs[0] [1] in [0, 0]; saved result [1] in [0, 0].
    """

    def __init__(self, check_nan: bool = True, *, check_inf: bool = False, check_forward: bool = False) -> None:
        self.before: tuple[bool, bool, bool, bool] = anomaly.get_flags()
        self.wanted: tuple[bool, bool, bool, bool] = (True, check_nan, check_inf, check_forward)
        warn_user("Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled "
                  "for debugging.")

    def __enter__(self) -> None:
        self.before = anomaly.get_flags()
        switch(*self.wanted)

    def __exit__(self, *exception: object) -> None:
        switch(*self.before)


anomaly.set_report(anomaly_error)
