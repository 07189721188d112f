"""Errors of operations on batched tensors, in torch's words."""

from __future__ import annotations

from typing import Any


def escaped_level(name: str) -> RuntimeError:
    return RuntimeError("Either your tensor may have escaped from inside a function being vmapped and this is a user "
                        f"error, or it was kept from an earlier vmap: {name} got a batched tensor of a vmap that is "
                        "over. Return what is needed from the function that vmap was given "
                        "(see docs/errors/vmap)")


def unbatched_write(name: str, shape: list[int], size: int, pointwise: bool) -> RuntimeError:
    """An in-place operation whose self is not batched while another argument is."""
    shown = "inplace arithmetic" if pointwise or name == "copy_" else name
    text = (f"vmap: {shown}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args "
            "that has more elements than `self`. This happened due to `other` being vmapped over but `self` not "
            f"being vmapped over in a vmap. Please try to use out-of-place operators instead of {shown}. {name} got a "
            f"self of shape {shape} for a batch of {size}; make it with new_empty or zeros_like of a batched tensor "
            "(see docs/errors/vmap)")
    if pointwise:
        text = f"output with shape {shape} doesn't match the broadcast shape {[size, *shape]}. {text}"
    return RuntimeError(text)


def batch_too_large(name: str, shape: list[int], rank: int) -> RuntimeError:
    return RuntimeError(f"output with shape {shape} doesn't match the broadcast shape, which has rank {rank}: {name}")


def unsupported_attribute(text: str) -> Any:
    return RuntimeError(text)
