"""Activation layers, and attention, which PyTorch counts among them."""

from __future__ import annotations

from typing import Any

from wengert_nn.activations.rectifiers import (
    CELU,
    ELU,
    SELU,
    Hardtanh,
    LeakyReLU,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    Threshold,
)
from wengert_nn.activations.smooth import (
    GELU,
    GLU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    LogSigmoid,
    Mish,
    Sigmoid,
    SiLU,
    Softplus,
    Softshrink,
    Softsign,
    Tanh,
    Tanhshrink,
)
from wengert_nn.activations.softmax import LogSoftmax, Softmax, Softmax2d, Softmin

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "MultiheadAttention",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


def __getattr__(name: str) -> Any:
    if name != "MultiheadAttention":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'", name=name)
    from wengert_nn.modules.attention import MultiheadAttention

    globals()[name] = MultiheadAttention
    return MultiheadAttention
