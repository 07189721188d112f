"""What can go wrong with a checkpoint: torch's types and key phrases, then the facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

TIP = """

Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint-debug mode globally.
(see docs/errors/checkpoint)
"""
EXPLICIT = ("the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling checkpoint "
            "without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to "
            "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details "
            "on the differences between the two variants.")
EXPLICIT_SEQUENTIAL = ("the use_reentrant parameter should be passed explicitly. In version 2.9 we will raise an "
                       "exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you need "
                       "to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for "
                       "more details on the differences between the two variants.")


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function did not do what the first one did.

    >>> import wengert as wg
    >>> from wengert.utils.checkpoint import CheckpointError, checkpoint
    >>> calls = []
    >>> def changing(x):
    ...     calls.append(x)
    ...     return x.sin().exp() if len(calls) == 1 else x.sin()
    >>> y = checkpoint(changing, wg.ones(2, requires_grad=True), use_reentrant=False)
    >>> try:
    ...     y.sum().backward()
    ... except CheckpointError as error:
    ...     print(str(error).splitlines()[1])
    Number of tensors saved during forward: 2
    """


def other_number(before: int, now: int) -> CheckpointError:
    return CheckpointError("torch.utils.checkpoint: A different number of tensors was saved during the original "
                           f"forward and recomputation.\nNumber of tensors saved during forward: {before}\n"
                           f"Number of tensors saved during recomputation: {now}.{TIP}")


def second_unpack() -> CheckpointError:
    return CheckpointError("torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked "
                           "once. If you are calling ctx.saved_tensors in backward, make sure to do so only once. "
                           "Otherwise please open an issue with details on your use case. (see docs/errors/checkpoint)")


def too_many() -> CheckpointError:
    return CheckpointError("torch.utils.checkpoint: trying to save more tensors during recomputation than during the "
                           f"original forward pass.{TIP}")


def other_facts(different: Sequence[tuple[int, Any, Any]]) -> CheckpointError:
    """different: (position, facts in the first run, facts in the second)."""
    lines = [f"tensor at position {position}:\nsaved metadata: {before}\nrecomputed metadata: {now}\n"
             for position, before, now in different]
    return CheckpointError("torch.utils.checkpoint: Recomputed values for the following tensors have different "
                           f"metadata than during the forward pass.\n{''.join(lines)}.{TIP}")


def with_locations(error: CheckpointError, before: Sequence[str], now: Sequence[str]) -> CheckpointError:
    """The error again, with where each tensor was saved the first and the second time (debug)."""
    head = ("An error happened while unpacking tensors; dumping logs of latest computation\nbecause you passed "
            "`debug=True` to `torch.utils.checkpoint.checkpoint()`.\n")
    parts = [head]
    for title, locations in (("in the original forward", before), ("during recomputation", now)):
        parts.append(f"\n---- {len(locations)} tensors saved {title}\n")
        parts += [f"\ntensor at position {i}, saved at\n{location}" for i, location in enumerate(locations)]
    lines = [[location.rpartition("  File")[2] for location in locations] for locations in (before, now)]
    first = next((i for i, (a, b) in enumerate(zip(*lines, strict=False)) if a != b), min(len(before), len(now)))
    if first < max(len(before), len(now)):
        parts.append(f"\nThe two runs differ from the tensor at position {first} on.\n")
    return CheckpointError("".join(parts) + f"\nThe error was:\n{str(error).removesuffix(TIP)}")


def unexpected_keywords(names: Sequence[str]) -> ValueError:
    return ValueError("Unexpected keyword arguments: " + ",".join(names))


def only_without_reentry() -> ValueError:
    return ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")


def no_such_check(name: object, allowed: Sequence[str]) -> ValueError:
    return ValueError(f"determinism_check should be one of {list(allowed)}, but got {name}")


def incompatible_with_grad() -> RuntimeError:
    return RuntimeError("When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an "
                        "`inputs` parameter to .backward(). To resolve this error, you can either set "
                        "use_reentrant=False, or call .backward() without passing the `inputs` argument.")


def unnecessary() -> RuntimeError:
    return RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")


def not_a_tuple(given: object) -> RuntimeError:
    return RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(given).__name__}")


def no_policy(given: object) -> TypeError:
    return TypeError("policy_fn_or_list must be either a function or a list of ops. "
                     f"create_selective_checkpoint_contexts() got {type(given).__name__}")


def no_overload(given: object, is_packet: bool) -> ValueError:
    """given: what stands in a list of operations. is_packet: it is one without its overload."""
    message = f"Expected op in `op_list` to be an OpOverload but got: {given} of type {type(given)}. "
    if is_packet:
        message += ("Please update the OpOverloadPacket to a specific OpOverload.For example, if you have "
                    "`torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`.")
    else:
        message += "Operations are attributes of wengert.ops.aten: `wengert.ops.aten.mm.default`"
    return ValueError(message)


def kept_tensor_mutated() -> RuntimeError:
    return RuntimeError("Tensor cached during selective activation checkpoint has been mutated: an in-place operation "
                        "has written to a tensor that the policy keeps, or the policy keeps the result of one. Clone "
                        "the tensor before, keep another one, or pass allow_cache_entry_mutation=True (see "
                        "docs/errors/checkpoint)")


def kept_tensor_taken() -> RuntimeError:
    return RuntimeError("Trying to backward an extra time. You are only allowed to backward once on any region "
                        "computed under selective activation checkpoint. Its kept tensors are freed as they are used; "
                        "call the function again, or use a checkpoint without a policy (see docs/errors/checkpoint)")
