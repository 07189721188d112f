"""Batching rules of random ops, by vmap's randomness: an error, one sample for all elements, or one for each."""

from __future__ import annotations

from typing import Any

from wengert_core import TABLE
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.batching.calls.call import Call, Plain, family, rule
from wengert_formulas.batching.view.views import pad_rank, sizes_of

empty_like, stack = TABLE.ops["empty_like"], TABLE.ops["stack"]


def refuse(call: Call) -> None:
    """RuntimeError in mode "error"."""
    if call.randomness == "error":
        raise RuntimeError("vmap: called random operation while in randomness error mode. Please either use the "
                           "'same' or 'different' randomness flags on vmap or perform the randomness operation out "
                           f"of vmap: {call.name} was called (see docs/errors/vmap)")


@rule("bernoulli_")
@family("random")
def sample_in_place(call: Call) -> Any:
    """uniform_ and its kin: the values are written into self."""
    refuse(call)
    value = call["self"]
    if call.randomness == "same":
        if not call.batched["self"]:
            return call.run()
        if call.batched.get("p"):
            raise RuntimeError("Vmap does not currently support same randomness with a batched tensor input: "
                               f"{call.name} got one")
        if not call.size:
            return None
        return value.copy_(call.run(self=empty_like(value.detach()[0])))
    if not call.batched["self"]:
        raise RuntimeError("vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will "
                           f"appear like same randomness. {call.name} got one; make it with new_empty of a batched "
                           "tensor (see docs/errors/vmap)")
    if call.batched.get("p"):
        return call.run(p=pad_rank(call["p"], call.rank("p"), call.rank("self")))
    return call.run()


@rule("rand", "randn", "randint")
def make_batch(call: Call) -> Any:
    refuse(call)
    if call.randomness == "same":
        return Plain(call.run())
    if call.name != "randint" or call["size"] is not None:
        return call.run(size=(call.size, *sizes_of(call["size"])))
    return call.run(high=(call.size, *sizes_of(call["high"]))) # randint(high, size) by position


@rule("randperm")
def permutations(call: Call) -> Any:
    refuse(call)
    if call.randomness == "same":
        return Plain(call.run())
    return stack([call.run() for _ in range(call.size)])


@rule("rand_like", "randn_like", "randint_like")
def like(call: Call) -> Any:
    refuse(call)
    if call.randomness == "same":
        return Plain(call.run(self=call["self"][0]) if call.batched["self"] and call.size else call.run())
    return call.run(self=call.expanded("self"))


@rule("bernoulli", "poisson", "binomial", "multinomial")
def draw_batch(call: Call) -> Any:
    refuse(call)
    tensors = [name for name in ("self", "count", "prob") if name in call.values]
    if call.randomness == "same":
        if any(call.batched[name] for name in tensors):
            raise RuntimeError("Vmap does not currently support same randomness with a batched tensor input: "
                               f"{call.name} got one")
        return Plain(call.run())
    values = {name: call.expanded(name) for name in tensors}
    if call.name == "multinomial" and call.rank("self") == 2:
        return stack([call.run(self=part) for part in values["self"].unbind(0)])
    return call.run(**values)


@rule("_normal", "_normal_of_std")
def draw_normal_batch(call: Call) -> Any:
    refuse(call)
    tensors = [name for name in ("mean", "std") if isinstance(call[name], Tensor)]
    if call.randomness == "same":
        if any(call.batched[name] for name in tensors):
            raise RuntimeError("Vmap does not currently support same randomness with a batched tensor input: normal "
                               "got one")
        return Plain(call.run())
    rank = max(call.rank(name) for name in tensors)
    return call.run(**{name: pad_rank(call.expanded(name), call.rank(name), rank) for name in tensors})
