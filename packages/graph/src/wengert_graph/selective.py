"""Selective checkpoints: the outputs of chosen operations are kept, and the second run takes them instead of computing.

Note [Results that a checkpoint keeps]
    In the first run each operation is followed by a call of the policy, which may ask for its outputs to be kept. In
    the second run an operation is known by its name and by how many of that name there were before it; if its outputs
    are kept it does not run, and they get the history that it would give them (``OpCall.finish``). They are handed out
    once, so that each is freed as soon as the graph of the second run needs it no more.
    An operation that makes views runs again: what it views may not be kept. One that draws random numbers runs again
    too, for the generator has to move on; its kept outputs are used all the same.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Literal

from wengert_core.extend import Tensor
from wengert_engine import no_grad
from wengert_engine.extend import OpCall, pop_interceptor, push_interceptor

from wengert_graph import checkpoint_errors as errors
from wengert_graph.overload_names import torch_name
from wengert_graph.overloads import OpOverload, OpOverloadPacket, overload


class CheckpointPolicy(enum.Enum):
    """A decision of a selective checkpoint on the outputs of an operation.

    ``MUST_SAVE``, ``PREFER_SAVE``: keep them. ``MUST_RECOMPUTE``, ``PREFER_RECOMPUTE``: compute them again.
    ``MUST_CPU_OFFLOAD``, ``PREFER_CPU_OFFLOAD``: keep them in memory of the CPU, and move them back. MUST and PREFER
    are the same here: nothing overrides a policy.

    >>> from wengert.utils.checkpoint import CheckpointPolicy
    >>> CheckpointPolicy.MUST_SAVE
    <CheckpointPolicy.MUST_SAVE: 0>
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


OFFLOADED = (CheckpointPolicy.MUST_CPU_OFFLOAD, CheckpointPolicy.PREFER_CPU_OFFLOAD)
KEPT = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE, *OFFLOADED)
Policy = Callable[..., CheckpointPolicy | bool]


class SelectiveCheckpointContext:
    """The first argument of a policy. op_output: what the operation returned. is_recompute: False, for PyTorch's sake.

    >>> from wengert.utils.checkpoint import SelectiveCheckpointContext
    >>> SelectiveCheckpointContext(is_recompute=False).op_output is None
    True
    """

    is_recompute: bool
    op_output: Any

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


SAC_IGNORED_OPS = frozenset({overload("aten", "detach", "default")})
"""Operations that no policy is asked about."""


class KeptOutputs:
    """Outputs of one operation, without history. Those of an operation that writes in place are its argument."""

    def __init__(self, result: Any, offload: bool) -> None:
        self.kind = type(result)
        tensors = (result,) if isinstance(result, Tensor) else tuple(result)
        self.devices = [tensor.device for tensor in tensors] if offload else []
        self.tensors = [tensor.detach().to("cpu") if offload else tensor.detach() for tensor in tensors]
        self.versions = self.read_versions()

    def read_versions(self) -> list[int | None]:
        """Return how often each was written to; None: an inference tensor, for which nobody counts."""
        return [None if tensor.is_inference() else tensor._version for tensor in self.tensors]

    def values(self, check: bool) -> Any:
        """Return what the operation returned. check: RuntimeError if a tensor was written to in between."""
        if check and self.versions != self.read_versions():
            raise errors.kept_tensor_mutated()
        found = self.tensors
        if self.devices:
            found = [tensor.to(device) for tensor, device in zip(self.tensors, self.devices, strict=True)]
        return found[0] if issubclass(self.kind, Tensor) else self.kind(found)


Key = tuple[OpOverload, int]


class Cache:
    """Outputs kept by the first run of a checkpointed function, by operation and number among those of its name."""

    def __init__(self, policy: Policy, may_be_mutated: bool) -> None:
        self.policy, self.may_be_mutated = policy, may_be_mutated
        self.entries: dict[Key, KeptOutputs | Literal["taken", "written"]] = {}

    def held_values(self) -> list[Any]:
        """Return the outputs that are kept, for reports of memory."""
        return [tensor for entry in list(self.entries.values()) if isinstance(entry, KeptOutputs)
                for tensor in entry.tensors]

    def first_run(self) -> Callable[[OpCall], Any]:
        """Return an interceptor that keeps what the policy asks for."""
        counts: Counter[OpOverload] = Counter()

        def intercept(call: OpCall) -> Any:
            name = overload(*torch_name(call.op, call.arguments))
            result = call.run()
            if name not in SAC_IGNORED_OPS:
                counts[name] += 1
                self.ask(name, counts[name], call, result)
            return result

        return intercept

    def ask(self, name: OpOverload, number: int, call: OpCall, result: Any) -> None:
        """Ask the policy about an operation that has run, and keep its result."""
        context = SelectiveCheckpointContext(is_recompute=False, op_output=result)
        with no_grad():
            answer = self.policy(context, name, *call.args, **call.kwargs)
        if answer is True:
            answer = CheckpointPolicy.MUST_SAVE
        if answer not in KEPT:
            return
        if call.op.is_inplace and result.requires_grad:  # others, such as those of running statistics, run again
            self.entries[name, number] = "written"
        elif call.can_finish and are_outputs(call, result):
            self.entries[name, number] = KeptOutputs(result, answer in OFFLOADED)

    def second_run(self) -> Callable[[OpCall], Any]:
        """Return an interceptor that hands out what was kept."""
        counts: Counter[OpOverload] = Counter()

        def intercept(call: OpCall) -> Any:
            name = overload(*torch_name(call.op, call.arguments))
            if name in SAC_IGNORED_OPS:
                return call.run()
            counts[name] += 1
            key = name, counts[name]
            entry = self.entries.get(key)
            if entry is None:
                return call.run()
            if entry == "taken":
                raise errors.kept_tensor_taken()
            if isinstance(entry, str):
                if not self.may_be_mutated:
                    raise errors.kept_tensor_mutated()
                return call.run()
            self.entries[key] = "taken"
            values = entry.values(not self.may_be_mutated)
            if draws(call):
                with no_grad():
                    call.run()
            return call.finish(values)

        return intercept


def are_outputs(call: OpCall, result: Any) -> bool:
    """Whether the result of an operation is its outputs, all of them tensors."""
    if isinstance(result, Tensor):
        return len(call.op.outputs) == 1
    return isinstance(result, (tuple, list)) and len(result) == len(call.op.outputs) and all(
        isinstance(item, Tensor) for item in result)


def draws(call: OpCall) -> bool:
    """Whether an operation takes numbers from a generator."""
    return "generator" in call.op.params


class KeepingContext(AbstractContextManager[None]):
    """The context of a run; it can be entered again, also by another thread meanwhile."""

    def __init__(self, cache: Cache, make: Callable[[], Callable[[OpCall], Any]]) -> None:
        self.cache, self.make = cache, make

    def __enter__(self) -> None:
        push_interceptor(self.make())

    def __exit__(self, *exception: object) -> None:
        pop_interceptor()

    def held_values(self) -> list[Any]:
        """Return the outputs that are kept, for reports of memory."""
        return self.cache.held_values()


def policy_of(operations: list[Any]) -> Policy:
    """Return the policy that keeps the outputs of these operations."""
    for op in operations:
        if not isinstance(op, OpOverload):
            raise errors.no_overload(op, isinstance(op, OpOverloadPacket))
    chosen = frozenset(operations)

    def policy(ctx: SelectiveCheckpointContext, op: OpOverload, *args: Any, **kwargs: Any) -> CheckpointPolicy:
        return CheckpointPolicy.MUST_SAVE if op in chosen else CheckpointPolicy.PREFER_RECOMPUTE

    return policy


def create_selective_checkpoint_contexts(policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
                                         ) -> tuple[KeepingContext, KeepingContext]:
    """Contexts for ``checkpoint(..., context_fn=...)``: the outputs of chosen operations are kept, not computed again.

    policy_fn_or_list: a function that is called in the first run, after each operation, with a
    SelectiveCheckpointContext, the operation (``wengert.ops.aten.mm.default``) and its arguments, and returns a
    CheckpointPolicy (or a bool: keep them); or the list of operations whose outputs are kept.
    allow_cache_entry_mutation: do not look whether a tensor that was kept has been written to.
    Raises TypeError and ValueError for another kind of argument; in backward RuntimeError where a kept tensor was
    written to, and for a second backward: what was kept is handed out once.

    >>> import functools
    >>> import wengert as wg
    >>> from wengert.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    >>> x = wg.ones(2, 2, requires_grad=True)
    >>> contexts = functools.partial(create_selective_checkpoint_contexts, [wg.ops.aten.mm.default])
    >>> y = checkpoint(lambda x: (x @ x).sin().exp(), x, use_reentrant=False, context_fn=contexts)
    >>> y.sum().backward()
    """
    if isinstance(policy_fn_or_list, list):
        policy = policy_of(policy_fn_or_list)
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise errors.no_policy(policy_fn_or_list)
    cache = Cache(policy, allow_cache_entry_mutation)
    return KeepingContext(cache, cache.first_run), KeepingContext(cache, cache.second_run)
