"""Iterations: what a plain loop calls in place of a body, and the bodies that are recorded meanwhile.

Note [Gradients of a loop]
    Where an argument or a tensor from outside requires a gradient, a loop is one node. Its iterations run with a graph
    of their own each, which is dropped: the carry of each is kept, and backward runs the body again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.extend import Tensor, rng_states, set_rng_states
from wengert_engine import is_grad_enabled

from wengert_replay.collecting import collect_young
from wengert_replay.graphs import walk
from wengert_replay.history.edges import graph_clock
from wengert_replay.history.outside import address_of_memory, copy_with_strides, hold_memory, shares_memory
from wengert_replay.loops.body import Body
from wengert_replay.loops.index_reads import with_numbers
from wengert_replay.loops.loop import Aside, Loop, make_body, nest
from wengert_replay.recording.tracing import Recording
from wengert_replay.recording.watch import addresses_of_rows, end_watch
from wengert_replay.refusal import CARRY_STRIDES, RANDOM_GRADIENT, NoLoop, Refusal

Flat = list[Any]
MOST_BODIES = 4
"""Bodies of one loop: one for each set of strides that its carry has."""
MOST_ATTEMPTS = 16
"""Iterations that are recorded because a loop in the body had no iteration in those before."""
PYTHON_TEST = "its test gives a value of Python, and no tensor"
WRITES_TO_ROWS = "it writes to a row that it reads by an index, or keeps it, or gives it as its carry"


class PythonTest(NoLoop):
    """The first test of a loop has given a value of Python: there is nothing to undo, and it is not asked again."""


class Iterations:
    """A function that a plain loop calls for each iteration: what it is called with, and its bodies.

    Calls look as those of the function: lists of tensors, the first ``n_carry`` of which are the carry.
    """

    def __init__(
        self, around: Recording, function: Callable[[Flat], Flat], n_carry: int, needs: list[bool],
        is_test: bool = False,
    ) -> None:  # fmt: skip
        """needs: whether gradients go to each tensor of the first call.   is_test: it gives no carry."""
        self.around, self.function, self.n_carry, self.is_test = around, function, n_carry, is_test
        self.has_graph = is_grad_enabled()
        self.needs = [self.has_graph and need for need in needs]
        self.gives: list[bool] = []
        self.now = list(self.needs)  # the same of the next call: a carry may change places
        self.first = list(self.now[:n_carry])  # the same of the first carry
        self.patterns: set[Any] = set()  # what was recorded: a body's number, and which of its arguments had a graph
        self.ending: list[bool] = []  # which of the last carry have a graph
        self.endings: list[list[bool]] = []  # these of all iterations, without repetitions
        self.differentiable: Flat = []  # tensors from outside that gradients go to
        self.alike: dict[int, int] = {}  # results that are a part of the carry they stand beside, by number
        self.unchanged = set(range(n_carry))  # parts of the carry that all bodies hand on as they are
        self.n_attempts = 0  # to record a body again
        self.n_empty = 0  # first iterations, in which a loop in the body had no iteration
        self.numbers: dict[Any, int] = {}
        self.bodies: list[Body] = []
        self.following: list[int] = []
        self.last = -1
        self.ran = 0
        self.refusal = ""
        self.start: Flat = []  # what it was called with first
        self.answers: Flat = []  # of a test up to the first value of Python, with which the plain loop begins

    def __call__(self, tensors: Flat) -> Flat:
        key = geometry_of(tensors[: self.n_carry])
        self.ran += 1
        if self.ran == 1:
            self.start = tensors
        if not self.refusal and (key not in self.numbers or self.lacks_bodies(self.bodies[self.numbers[key]])
                                 or self.has_other_graph(self.numbers[key])):  # fmt: skip
            return self.record(key, tensors)
        if not self.refusal:
            self.note(self.numbers[key])
        results = self.function(self.as_leaves(tensors))
        return results if self.gives_python(results, None) else self.without_graph(results)

    def gives_python(self, results: Flat, recording: Recording | None) -> bool:
        """Whether it is a test that gives no tensor, which is no loop; its recording is dropped. Raises NoLoop where
        the plain loop is to begin anew: with a graph, and where nothing else has run.
        """
        if not self.is_test or isinstance(results[0], Tensor):
            return False
        if recording is not None:
            recording.close()
        self.refusal = PYTHON_TEST
        if self.ran == 1 or self.has_graph:
            self.answers = [True] * (self.ran - 1) + results
            raise PythonTest if self.ran == 1 else NoLoop
        return True

    def lacks_bodies(self, body: Body) -> bool:
        """Whether a loop in a body had no iteration in its recording, so that it is to be recorded again, for now."""
        if self.n_attempts >= MOST_ATTEMPTS or not has_empty_loop(body):
            return False
        self.n_attempts += 1
        return True

    def has_other_graph(self, number: int) -> bool:
        """Whether the functions of a cond in a body may differ in which of their results have a graph, as other
        arguments have one than in its recordings. So it is recorded again.
        """
        pattern = number, tuple(self.now)
        if pattern in self.patterns or not has_cond(self.bodies[number]):
            return False
        self.patterns.add(pattern)
        return True

    def as_leaves(self, tensors: Flat) -> Flat:
        return [one.detach().requires_grad_() if need else one for one, need in zip(tensors, self.now, strict=True)]

    def without_graph(self, results: Flat) -> Flat:
        """Return results without their graph, and note which of them have one."""
        if not self.has_graph:
            return results
        found = [one.requires_grad for one in results]
        self.gives = [one or before for one, before in
                      zip(found, self.gives or [False] * len(found), strict=True)]  # fmt: skip
        if not self.is_test:
            self.ending = found[: self.n_carry]
            self.needs[: self.n_carry] = [a or b for a, b in zip(self.needs, self.ending, strict=False)]
            self.now[: self.n_carry] = self.ending
            if self.ending not in self.endings:
                self.endings.append(self.ending)
        return [one.detach() if one.requires_grad else one for one in results]

    def is_settled(self) -> bool:
        """Whether the same of its results have a graph after any number of iterations but none. Where there was one
        alone, its body runs again, for a carry with the graph that it gives.
        """
        if self.ran != 1 or self.ending == self.first or len(self.endings) > 1:
            return len(self.endings) <= 1
        states = rng_states()
        needs = [*self.ending, *self.needs[self.n_carry :]]
        try:
            with Aside():
                found = self.function([one.detach().requires_grad_() if need else one
                                       for one, need in zip(self.start, needs, strict=True)])  # fmt: skip
                return [one.requires_grad for one in found] == self.ending
        finally:
            set_rng_states(states)

    def note(self, number: int) -> None:
        """Note the body of the next iteration."""
        if self.last >= 0:
            if self.following[self.last] not in (-1, number):
                self.refusal = CARRY_STRIDES
            self.following[self.last] = number
        self.last = number

    def record(self, key: Any, tensors: Flat) -> Flat:
        """Return what the function gives, and make a body of it."""
        copies = self.as_leaves([copy_with_strides(one) for one in tensors])
        recording = Recording(copies)
        clock = graph_clock() if self.has_graph else 0
        nest(recording, self.around, is_trial=self.has_graph)  # with a gradient, the plain loop may begin anew
        results = self.call_recorded(recording, copies)
        if self.gives_python(results, recording):
            return results
        self.note_parts(results, copies)
        arguments = {id(made): one for made, one in zip(copies, tensors, strict=True)}
        pattern = tuple(self.now)
        found, known = graph_ends(results, copies, recording, clock)
        self.differentiable += [one for one in found if all(one is not other for other in self.differentiable)]
        try:
            results = self.without_graph(results)
            self.check_rows(recording, results)
            if not known:
                raise Refusal("its gradient goes to a tensor that is gone")
            number = self.numbers.get(key, len(self.bodies))
            if number >= MOST_BODIES:
                raise Refusal(CARRY_STRIDES)
            body = make_body(recording, self.around, results, n_carry=0 if self.is_test else self.n_carry)
            if any(self.gives) and recording.differentiates():
                raise Refusal("it differentiates, and has a gradient")
            if any(self.gives) and (body.generators() or body.all_states()):
                raise Refusal(RANDOM_GRADIENT)
            self.around.python.join(recording.python)
            self.patterns.add((number, pattern))
            self.numbers[key] = number
            self.add_body(number, body)
        except Refusal as refused:
            self.refusal = str(refused)
        finally:
            recording.close()
        if self.refusal and any(self.gives):
            raise NoLoop
        return [arguments.get(id(one), one) for one in on_originals(results, copies, tensors)]

    def call_recorded(self, recording: Recording, copies: Flat) -> Flat:
        """Return what the function gives, and record it."""
        try:
            recording.start()
            found: Flat = with_numbers(self.function, copies)
        except BaseException as error:
            recording.stop()
            recording.close()
            if isinstance(error, NoLoop):
                self.refusal = error.why or WRITES_TO_ROWS
            raise
        recording.stop()
        return found

    def add_body(self, number: int, body: Body) -> None:
        """Add a body, or put it in the place of the one of that number, as that of the next iteration."""
        if number == len(self.bodies):
            self.following.append(-1)
        self.bodies[number:] = [body, *self.bodies[number + 1 :]]
        self.note(number)
        if self.n_empty == self.ran - 1 and has_empty_loop(body):
            self.n_empty = self.ran

    def note_parts(self, results: Flat, copies: Flat) -> None:
        """Note which results of a body are a part of its next carry, and which parts it hands on unchanged."""
        self.alike = {i: k for i in range(self.n_carry, len(results)) for k in range(self.n_carry)
                      if results[i] is results[k] and all(results[k] is not one for one in copies)}  # fmt: skip
        self.unchanged = {k for k in self.unchanged if not self.is_test and results[k] is copies[k]}

    def check_rows(self, recording: Recording, results: Flat) -> None:
        """Raise NoLoop where a row that was read by an index is used as a view, perhaps later."""
        copies = addresses_of_rows(recording)
        found = end_watch(recording, [] if self.is_test else results[: self.n_carry])
        copies -= {one.untyped_storage().data_ptr() for one in results}
        if copies & recording.live_blocks():
            collect_young()
        if found or copies & recording.live_blocks():
            self.refusal = WRITES_TO_ROWS
            raise NoLoop

    def finish(self, carry: Flat) -> None:
        """Note the body that would go on from the last carry. Nobody differentiates loops in bodies, whose graph is
        dropped.
        """
        for body in self.bodies if any(self.gives) else ():
            drop_carries(body)
        number = self.numbers.get(geometry_of(carry), -1)
        if number >= 0 and not self.refusal:
            self.note(number)


def loops_of(body: Body) -> list[Loop]:
    """Return the loops and conds in a body."""
    return [call for call in body.calls.values() if isinstance(call, Loop)]


def has_cond(body: Body) -> bool:
    """Whether a body has a cond in it, or in its loops."""
    return any(one.label == "choice" or any(map(has_cond, one.all_bodies())) for one in loops_of(body))


def drop_carries(body: Body) -> None:
    """Let loops in a body keep no carries, unless their gradients are in it, too."""
    loops = loops_of(body)
    if not any(one.construct.endswith("_backward") for one in loops):
        for one in loops:
            one.drops = True
            for inner in one.all_bodies():
                drop_carries(inner)


def has_empty_loop(body: Body) -> bool:
    """Whether a loop in a body, or in a body of that, has no body."""
    loops = loops_of(body)
    return any(not one.bodies or any(map(has_empty_loop, one.all_bodies())) for one in loops)


def graph_ends(results: Flat, inputs: Flat, recording: Recording, clock: int) -> tuple[Flat, bool]:
    """Return the tensors from outside where the graph of results ends, and whether these are all its ends.

    clock: what ``graph_clock`` gave before the function ran. Younger nodes are the function's, so that views which it
    makes of a tensor from outside are not where its graph ends.
    """
    outside = [one for one, *_ in recording.tensors.values()]
    outside += [one for one in (facts[0]() for facts in recording.views) if one is not None]
    by_node: dict[int, Flat] = {}
    for one in outside:
        node = one.grad_fn
        if node is not None and node._sequence_nr() < clock \
                and all(one is not other for other in by_node.get(id(node), [])):  # fmt: skip
            by_node.setdefault(id(node), []).append(one)

    def is_of_function(node: Any, leaf: Any) -> bool:
        return id(node) not in by_node and leaf is None and bool(node._sequence_nr() >= clock)

    found: Flat = []
    known = True
    for node, leaf in walk([one.grad_fn for one in results], is_of_function):
        if id(node) in by_node:
            found += by_node[id(node)]
        elif leaf is None:
            known = known and is_of_function(node, leaf)
        elif all(leaf is not one for one in inputs):
            found.append(leaf)
            known = known and any(leaf is one for one in outside)
    return found, known


def same_tensors(
    iterations: Iterations, results: Flat, tensors: Flat, carry: Flat, is_open: bool
) -> tuple[dict[int, Any], dict[int, int]]:
    """Return the parts of the first carry that some results are, and the first of results that are one tensor, each by
    the result's number, as far as each call has the same.

    tensors: what stands for the carry; a part that a gradient goes through is a result of the loop's node.   is_open:
    another call may have another number of iterations, or none.
    """
    known = {id(made): one for made, one in zip(tensors, carry, strict=True)
             if made is one or not is_grad_enabled()}  # fmt: skip
    same = {i: known[id(one)] for i, one in enumerate(results) if id(one) in known}
    if is_open:
        return {i: one for i, one in same.items() if iterations.ran and i in iterations.unchanged}, {}
    first: dict[int, int] = {}
    numbers = [first.setdefault(id(one), i) for i, one in enumerate(results)]
    return same, {i: number for i, number in enumerate(numbers) if number != i}


def on_originals(results: Flat, copies: Flat, originals: Flat) -> Flat:
    """Return results, those that are views of copies as the same views of what was copied. Raises NoLoop for another
    dtype.
    """
    found = []
    for one in results:
        pairs = [] if one is None or any(one is copied for copied in copies) else zip(copies, originals, strict=True)
        for copied, original in pairs:
            if shares_memory(one, [copied]):
                one = view_like(one, original, original.storage_offset() - copied.storage_offset())
                break
        found.append(one)
    return found


def view_like(view: Any, original: Any, shift: int) -> Any:
    """Return a view of another tensor with the same sizes and strides, so many elements further. Raises NoLoop."""
    if view.dtype is not original.dtype:
        raise NoLoop
    return original.as_strided(tuple(view.shape), view.stride(), view.storage_offset() + shift)


def views_of_operands(
    iterations: Iterations, results: Flat, tensors: Flat, same: dict[int, Any], repeats: dict[int, int], is_open: bool
) -> tuple[dict[int, tuple[int, Any]], list[tuple[int, Any]], bool]:
    """Return which operand a result is a view of, with one like it, by the result's number, as far as each call has the
    same; the other results on the memory of an operand, with a tensor there; and whether two other results share
    memory, so that writes would tell them from those of a loop.

    A result that a gradient goes through is one of the loop's node, and one on the memory of an operand that a gradient
    goes to is a copy.   same, repeats, is_open: of ``same_tensors``.
    """
    views: dict[int, tuple[int, Any]] = {}
    pairs: list[tuple[int, Any]] = []
    seen: set[int] = set()
    shares = False
    gives = iterations.gives or [False] * len(results)
    for i, one in enumerate(results):
        if i in same or i in repeats or not one.untyped_storage().nbytes():
            continue
        address = address_of_memory(one)
        operand = next((k for k, other in enumerate(tensors) if address_of_memory(other) == address), -1)
        if operand >= 0 and not (gives[i] or iterations.needs[operand] or is_open):
            views[i] = operand, one
            shares = shares or one.dtype is not tensors[operand].dtype
        elif operand >= 0:
            if iterations.ran and not (i == operand and i in iterations.unchanged):
                pairs.append((i, hold_memory(one)))
        else:
            shares = shares or address in seen
            seen.add(address)
    return views, pairs, shares


def own_copy(tensor: Any) -> Any:
    """Return a copy with the same strides."""
    made = tensor.clone()
    return made if made.stride() == tensor.stride() else copy_with_strides(tensor)


def geometry_of(tensors: Flat) -> Any:
    """Return what one body depends on in its carry."""
    return tuple([None if one is None else (one.dtype, tuple(one.shape), one.stride()) for one in tensors])


def number(tensors: Flat) -> tuple[list[int | None], Flat]:
    """Return the number of each tensor among those that are there, and these."""
    positions: list[int | None] = []
    present: Flat = []
    for one in tensors:
        positions.append(None if one is None else len(present))
        if one is not None:
            present.append(one)
    return positions, present
