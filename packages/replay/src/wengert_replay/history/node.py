"""Replay: the node that a call of a captured function is in a graph, and what it keeps of the call."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from wengert_core.extend import Tensor, rng_states, set_rng_states
from wengert_engine import Function, enable_grad, grad
from wengert_engine.extend import is_released, reachable_leaves

from wengert_replay.history.joint import JointProgram
from wengert_replay.history.outside import OutsideState, shares_memory, versions_of
from wengert_replay.signature import flatten


class Joint(NamedTuple):
    """A program of a function, and of its gradients where it has a pause."""

    program: JointProgram
    form: Form
    places: list[int | None]
    """For each end that gradients go to, the number of its gradient among the program's."""


class Form(NamedTuple):
    """The form of a function's results."""

    structure: Any
    """Of the result; see ``flatten``."""
    outputs: list[int]
    """The tensors in it that have a graph, by their numbers."""
    ends: list[int]
    """The inputs that get gradients, by their numbers."""
    leaves: list[Tensor]
    """Leaves from outside that outputs depend on; they get gradients too."""
    read: list[Tensor]
    """Other tensors from outside that the function reads and does not write."""


class State:
    """The state that a function may change: tensors from outside, and generators where it draws random numbers."""

    outside: OutsideState | None
    random: list[tuple[Any, Any]] | None

    __slots__ = ("outside", "random")

    def __init__(self, written: Sequence[Tensor], draws: bool) -> None:
        self.outside = OutsideState(written) if written else None
        self.random = rng_states() if draws else None

    def has_drawn(self) -> bool:
        """Whether random numbers have been drawn since."""
        return self.random is not None and any(
            before.tolist() != now.tolist() for (_, before), (_, now) in zip(self.random, rng_states(), strict=False)
        )

    def put_back(self) -> None:
        if self.outside is not None:
            self.outside.put_back()
        if self.random is not None:
            set_rng_states(self.random)


NOTHING = State([], draws=False)


class Differentiable(Protocol):
    """The owner of a call: a History."""

    name: str
    written: list[Tensor]

    def gradients(self, run: Run, inputs: list[Tensor], grads: Sequence[Tensor | None]) -> list[Tensor | None]: ...


class Run:
    """A call of a captured function, as its node keeps it."""

    form: Form
    history: Differentiable
    n_inputs: int
    number: int
    state: State
    versions: list[int]
    way: Any

    __slots__ = ("form", "history", "joint", "kept", "n_inputs", "number", "state", "versions", "way")

    def __init__(
        self,
        history: Differentiable,
        form: Form,
        state: State,
        n_inputs: int,
        way: Any,
        number: int = 0,
    ) -> None:
        """number: of the run of the way's program that the call was; 0: it was no replay."""
        self.history, self.form, self.state, self.n_inputs = history, form, state, n_inputs
        self.way, self.number = way, number
        self.joint: Joint | None = way.joint  # another one may take its place there
        self.versions = versions_of(form.read)
        self.kept: InputKeeper | None = None  # where there are several outputs

    @contextmanager
    def restore_state(self) -> Generator[None, None, None]:
        """Memory outside and generators as they were before the call; afterwards as if nothing had happened."""
        if versions_of(self.form.read) != self.versions:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: a "
                f"tensor from outside that {self.history.name} has read, which backward runs again. Clone it before, "
                "or call backward() first"
            )
        now = State(self.history.written if self.state.outside is not None else [], self.state.random is not None)
        self.state.put_back()
        try:
            yield
        finally:
            now.put_back()


class InputKeeper:
    """The inputs of a call with several outputs, until each of them has had a backward.

    A backward from one output frees what the node has saved. As usual another one would have a graph of its own.
    """

    inputs: list[Tensor]
    versions: list[int]

    __slots__ = ("inputs", "used", "versions")

    def __init__(self, inputs: list[Tensor]) -> None:
        self.inputs, self.versions = inputs, versions_of(inputs)
        self.used: set[int] = set()  # outputs that have had a backward

    def get(self, ctx: Any, grads: Sequence[Tensor | None]) -> Sequence[Tensor]:
        """Return the inputs for a backward with these gradients. RuntimeError as for any graph that was freed."""
        wanted = {i for i, one in enumerate(grads) if one is not None}
        saved: Sequence[Tensor] = self.inputs
        if not is_released(ctx) or wanted & self.used:
            saved = ctx.saved_tensors
        elif versions_of(self.inputs) != self.versions:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: an "
                "argument of a captured function. Clone it before, or call backward() first"
            )
        self.used |= wanted
        if len(self.used) == len(grads):
            self.inputs = []
        return saved


class Replay(Function):
    """The node of a captured function."""

    _inside_transforms = True

    @staticmethod
    def forward(ctx: Any, run: Run, inputs: list[Tensor], outputs: tuple[Tensor, ...], *ends: Tensor) -> Any:
        ctx.run = run
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*inputs, *run.form.leaves)
        if len(outputs) > 1:
            run.kept = InputKeeper(inputs)
        return outputs

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        run = ctx.run
        saved = ctx.saved_tensors if run.kept is None else run.kept.get(ctx, grads)
        return (None, None, None, *run.history.gradients(run, list(saved[: run.n_inputs]), grads))


def attach(run: Run, inputs: list[Tensor], results: list[Tensor]) -> None:
    """Put outputs of a node in place of the results that have a graph."""
    form = run.form
    if form.outputs:
        made = Replay.apply(run, inputs, tuple([results[i] for i in form.outputs]), *[inputs[i] for i in form.ends],
                              *form.leaves)  # fmt: skip
        for i, one in zip(form.outputs, made, strict=True):
            results[i] = one


def leaves_like(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Return leaves in place of tensors that require gradients, with the same memory."""
    return [one.detach().requires_grad_() if one.requires_grad else one for one in tensors]


def has_graph(tensor: Tensor) -> bool:
    return tensor.requires_grad and not tensor.is_leaf


@contextmanager
def without_hooks(leaves: Sequence[Any]) -> Generator[None, None, None]:
    """Leaves without hooks: those are called where the node's gradients arrive."""
    hooks = [(leaf, leaf._backward_hooks) for leaf in leaves if leaf._backward_hooks]
    for leaf, _ in hooks:
        leaf._backward_hooks = None
    try:
        yield
    finally:
        for leaf, taken in hooks:
            leaf._backward_hooks = taken


def arguments_from_outside(roots: Sequence[Tensor], inputs: Sequence[Tensor], form: Form) -> dict[Tensor, int]:
    """Return arguments that the function also uses from outside, each with its place among those that get gradients.

    inputs: leaves that stand for the arguments and have their memory.
    """
    leaves, _ = reachable_leaves([root.grad_fn for root in roots], [], 0)
    known = {id(one) for one in (*inputs, *form.leaves)}
    places = {number: [inputs[number]] for number in form.ends}
    found = [(leaf, [at for at, number in enumerate(form.ends) if shares_memory(leaf, places[number])])
             for leaf in leaves if id(leaf) not in known]  # fmt: skip
    return {leaf: at[0] for leaf, at in found if at}


def gradients_of(
    function: Callable[[list[Tensor]], Any],
    inputs: list[Tensor],
    given: list[Tensor],
    form: Form,
    pattern: Sequence[bool],
    pause: Callable[[], None] | None = None,
    create_graph: bool = False,
) -> tuple[list[Tensor], list[Tensor | None]]:
    """Run a function and differentiate it; return its results, without a graph, and the gradients of inputs and leaves.

    inputs: leaves.   given: gradients of those outputs that ``pattern`` is true for.   pause: called between the two.
    Raises RuntimeError where the results are others than those of the call.
    """
    results: list[Tensor] = []
    with enable_grad():
        structure = flatten(function(inputs), results)
    outputs = [i for i, one in enumerate(results) if has_graph(one)]
    if structure != form.structure or outputs != form.outputs:
        raise RuntimeError("a captured function gives other results when backward runs it again than in the call")
    if pause is not None:
        pause()
    roots = [results[i] for i, wanted in zip(outputs, pattern, strict=True) if wanted]
    leaves = form.leaves
    ends = [*(inputs[i] for i in form.ends), *leaves]
    twice = arguments_from_outside(roots, inputs, form)
    with without_hooks([*leaves, *twice]):
        parts = grad(roots, [*ends, *twice], given, retain_graph=True, create_graph=create_graph, allow_unused=True)
    found = list(parts[: len(ends)])
    for number, part in zip(twice.values(), parts[len(ends) :], strict=True):
        ours = found[number]
        found[number] = part if ours is None else ours if part is None else ours + part
    gradients: list[Tensor | None] = []
    others = [*inputs, *given, *leaves, *results]
    for one in found:
        if one is not None and shares_memory(one, others):
            one = one.clone()
        if one is not None:
            others.append(one)
        gradients.append(one)
    return [one.detach() if has_graph(one) else one for one in results], gradients
