"""wengert.backends.cuda: NVIDIA's GPUs, which a plugin brings, and settings of products on them."""

from __future__ import annotations

from wengert_registry import registry

__all__ = [
    "cudnn_sdp_enabled",
    "enable_cudnn_sdp",
    "enable_flash_sdp",
    "enable_math_sdp",
    "enable_mem_efficient_sdp",
    "flash_sdp_enabled",
    "is_built",
    "math_sdp_enabled",
    "matmul",
    "mem_efficient_sdp_enabled",
]

attention: dict[str, bool] = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}
"""Which of PyTorch's kernels for attention may be used. wengert has one: they are stored, without effect."""


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


def flash_sdp_enabled() -> bool:
    """Return what ``enable_flash_sdp`` has stored, at first True. So do the functions of the other kernels.

    >>> import wengert as wg
    >>> wg.backends.cuda.enable_flash_sdp(False)
    >>> wg.backends.cuda.flash_sdp_enabled()
    False
    >>> wg.backends.cuda.enable_flash_sdp(True)
    """
    return attention["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    """Store whether a kernel for attention may be used; it has no effect."""
    attention["flash"] = bool(enabled)


def mem_efficient_sdp_enabled() -> bool:
    """Return what ``enable_mem_efficient_sdp`` has stored."""
    return attention["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Store whether a kernel for attention may be used; it has no effect."""
    attention["mem_efficient"] = bool(enabled)


def math_sdp_enabled() -> bool:
    """Return what ``enable_math_sdp`` has stored."""
    return attention["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Store whether a kernel for attention may be used; it has no effect."""
    attention["math"] = bool(enabled)


def cudnn_sdp_enabled() -> bool:
    """Return what ``enable_cudnn_sdp`` has stored."""
    return attention["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Store whether a kernel for attention may be used; it has no effect."""
    attention["cudnn"] = bool(enabled)
