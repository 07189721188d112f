"""vmap: a function of one element, called once for a whole batch. The texts of the errors are PyTorch's."""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from functools import wraps
from typing import Any

from wengert_core import TABLE
from wengert_core.extend import Tensor, as_list, short_repr
from wengert_engine.extend import add_batch_dim, batch_level, remove_batch_dim, vmap_level

from wengert_functional import trees
from wengert_functional.signatures import P, R

Dims = int | tuple[Any, ...]
RANDOMNESS = ("error", "different", "same")
cat = TABLE.ops["cat"]


def vmap(func: Callable[P, R], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *,
         chunk_size: int | None = None) -> Callable[P, R]:
    """The function that maps ``func`` over a dim of its arguments: it is called once, on tensors without that dim.

    in_dims: the dim of each argument, or None for one that is the same for all; an int for all of them, or a tuple
    nested as the arguments (keyword arguments are the same for all).   out_dims: where the dim is in the outputs; None
    for an output without it.   randomness: of random operations: "error", "same" for all elements or "different".
    chunk_size: how many elements to compute at a time; default: all.
    func cannot branch on the values, take an element's number out (``item``), or write to a tensor from outside.

    >>> import wengert as wg
    >>> wg.func.vmap(wg.dot)(wg.ones(3, 2), wg.arange(6.0).reshape(3, 2))
    tensor([1., 5., 9.])
    >>> wg.func.vmap(wg.func.grad(lambda x: x.pow(2).sum()))(wg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[2., 4.],
            [6., 8.]])
    """
    check_randomness(randomness)
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    def mapped_call(*args: Any, **keywords: Any) -> Any:
        values, dims, spec, size = read_inputs(func, in_dims, args)
        if chunk_size is None or chunk_size >= size:
            leaves, out_spec, placed = run(func, values, dims, spec, size, out_dims, randomness, keywords)
            return trees.unflatten(out_spec, [move_batch(*each) for each in zip(leaves, placed, strict=True)])
        return in_chunks(func, values, dims, spec, size, out_dims, randomness, keywords, chunk_size)

    return wraps(func)(mapped_call) if hasattr(func, "__dict__") or hasattr(func, "__name__") else mapped_call


def check_randomness(randomness: str) -> None:
    if randomness not in RANDOMNESS:
        raise RuntimeError("Only allowed values for randomness are 'error', 'different', or 'same'. Got "
                           f"{short_repr(randomness, str)}")


def name_of(func: Any) -> str:
    """What messages call a function."""
    return str(getattr(func, "__name__", repr(func)))


def dims_text(in_dims: Any) -> str:
    """A message's words for in_dims that are none."""
    return in_dims if isinstance(in_dims, str) and len(in_dims) < 40 else reprlib.repr(in_dims)


# ---- what goes in

def read_inputs(func: Any, in_dims: Any, args: tuple[Any, ...]) -> tuple[list[Any], list[Any], trees.Spec, int]:
    """The leaves of the arguments, the dim of each, how they are nested, and the size of the batch."""
    name = name_of(func)
    if not isinstance(in_dims, (int, tuple)):
        where = f"vmap({name}, in_dims={dims_text(in_dims)}, ...)(<inputs>)"
        raise ValueError(f"{where}: expected `in_dims` to be int or a (potentially nested) tuple matching the "
                         f"structure of inputs, got: {type(in_dims)}.")
    if not args:
        raise ValueError(f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying "
                         "to vmap over a function with no inputs. The latter is unsupported.")
    values, spec = trees.flatten(args)
    trees.flatten(in_dims)  # it ends
    where = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)"
    dims = trees.broadcast_leaves(spec, in_dims)
    if dims is None:
        raise ValueError(f"{where}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                         f"{trees.flatten(in_dims)[1]} but inputs has structure {spec}.")
    found = [checked_dim(value, dim, where) for value, dim in zip(values, dims, strict=True)]
    sizes = [value.shape[dim] for value, dim in zip(values, found, strict=True) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                         f"{sizes} for the mapped dimension")
    return values, found, spec, sizes[0]


def checked_dim(value: Any, dim: Any, where: str) -> int | None:
    """The dim of one argument, not negative; None for one that is not mapped."""
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(f"{where}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or "
                         "None.")
    if isinstance(dim, bool):
        raise TypeError(f"size(): argument 'dim' (position 1) must be int, not bool: {where} got in_dim={dim}")
    if not isinstance(value, Tensor):
        raise ValueError(f"{where}: Got in_dim={dim} for an input but the input is of type {type(value)}. We cannot "
                         "vmap over non-Tensor arguments, please use None as the respective in_dim")
    rank = value.ndim
    if not -rank <= dim < rank:
        raise ValueError(f"{where}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality "
                         f"{rank} so expected in_dim to satisfy -{rank} <= in_dim < {rank}.")
    return dim % rank


# ---- the call

def run(func: Any, values: list[Any], dims: list[Any], spec: trees.Spec, size: int, out_dims: Any, randomness: str,
        keywords: dict[str, Any]) -> tuple[list[Any], trees.Spec, list[Any]]:
    """The outputs of a call with batched arguments: the leaves with the batch in dim 0, how they are nested, and where
    the batch goes in each; None for a leaf that gets none.
    """
    with vmap_level(size, randomness) as level:
        inputs = [value if dim is None else add_batch_dim(value, dim, level)
                  for value, dim in zip(values, dims, strict=True)]
        result = func(*trees.unflatten(spec, inputs), **keywords)
        leaves, out_spec = trees.flatten(result)
        placed = read_outputs(func, leaves, out_spec, out_dims, level)
    outputs = [leaf if dim is None else remove_batch_dim(leaf, level, size)
               for leaf, dim in zip(leaves, placed, strict=True)]
    return outputs, out_spec, placed


def read_outputs(func: Any, leaves: list[Any], spec: trees.Spec, out_dims: Any, level: int) -> list[Any]:
    """Where the batch goes in each leaf of the outputs."""
    name = name_of(func)
    dims = trees.broadcast_leaves(spec, out_dims)
    if dims is None and isinstance(out_dims, tuple) and len(out_dims) == 1 and spec is trees.LEAF:
        dims = as_list(out_dims)
    where = f"vmap({name}, ..., out_dims={out_dims})"
    for dim in trees.flatten(out_dims)[0]:
        if not (dim is None or isinstance(dim, int)):
            raise ValueError(f"{where}: `out_dims` must be an int, None or a python collection of ints representing "
                             "where in the outputs the vmapped dimension should appear.")
    if dims is None:
        raise ValueError(f"{where}(<inputs>): out_dims is not compatible with the structure of `outputs`. out_dims has "
                         f"structure {trees.flatten(out_dims)[1]} but outputs has structure {spec}.")
    for leaf, dim in zip(leaves, dims, strict=True):
        if not isinstance(leaf, Tensor) and dim is not None:
            raise ValueError(f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(leaf)}. Did you "
                             "mean to set out_dims= to None for output?")
        if dim is None and isinstance(leaf, Tensor) and batch_level(leaf) == level:
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
    return dims


def move_batch(output: Any, dim: int | None) -> Any:
    """An output with the batch, which is in dim 0, in its place."""
    return output.movedim(0, int(dim)) if dim else output


# ---- in chunks

def in_chunks(func: Any, values: list[Any], dims: list[Any], spec: trees.Spec, size: int, out_dims: Any,
              randomness: str, keywords: dict[str, Any], chunk_size: int) -> Any:
    """The outputs of calls for a few elements at a time, joined."""
    from wengert_core.extend import rng_states, set_rng_states

    parts: list[list[Any]] = []
    states = rng_states() if randomness == "same" else None
    for start in range(0, size, chunk_size):
        length = min(chunk_size, size - start)
        if start and states is not None:
            set_rng_states(states)
        some = [value if dim is None else value.narrow(dim, start, length)
                for value, dim in zip(values, dims, strict=True)]
        leaves, out_spec, placed = run(func, some, dims, spec, length, out_dims, randomness, keywords)
        parts.append(leaves)
    joined = [column[0] if dim is None else move_batch(cat(list(column)), dim)
              for column, dim in zip(zip(*parts, strict=True), placed, strict=True)]
    return trees.unflatten(out_spec, joined)
