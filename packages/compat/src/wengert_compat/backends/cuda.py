"""wengert.backends.cuda: NVIDIA's GPUs, which a plugin brings, and settings of products on them."""

from __future__ import annotations

from wengert_registry import registry

__all__ = ["is_built", "matmul"]


def is_built() -> bool:
    """Return whether a plugin for the device ``cuda`` is installed and not switched off, as wengert-cuda is one.

    Whether it finds CuPy and a GPU is what ``wengert.cuda.is_available()`` says.

    >>> import wengert as wg
    >>> wg.backends.cuda.is_built() == ("cuda" in wg.plugins.group("devices"))
    True
    """
    return "cuda" in registry.group("devices")


class MatmulSettings:
    """Settings of products of matrices on a GPU, with PyTorch's names and defaults. Each is a bool.

    They permit products that are less precise. wengert makes no use of the permission: they change nothing.

    >>> import wengert as wg
    >>> wg.backends.cuda.matmul.allow_tf32
    False
    >>> wg.backends.cuda.matmul.allow_tf32 = True
    >>> wg.backends.cuda.matmul.allow_tf32
    True
    >>> wg.backends.cuda.matmul.allow_tf32 = False
    """

    allow_tf32: bool
    allow_fp16_accumulation: bool
    allow_fp16_reduced_precision_reduction: bool
    allow_bf16_reduced_precision_reduction: bool

    def __init__(self) -> None:
        vars(self).update(
            allow_tf32=False,
            allow_fp16_accumulation=False,
            allow_fp16_reduced_precision_reduction=True,
            allow_bf16_reduced_precision_reduction=True,
        )

    def __getattr__(self, name: str) -> bool:
        raise AttributeError("Unknown attribute " + name)

    def __setattr__(self, name: str, value: bool) -> None:
        if name not in vars(self):
            raise AttributeError("Unknown attribute " + name)
        if not isinstance(value, bool):
            raise RuntimeError(f"{name} expects a bool, but got {type(value).__name__}")
        vars(self)[name] = value


matmul: MatmulSettings = MatmulSettings()
