"""The memory format of convolutions' weights."""

from __future__ import annotations

from typing import Any

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def convert_conv2d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Lay out the weights of the 2-d convolutions of a module, transposed ones too, in a memory format.

    Returns the module. The values stay as they are, and so do the weights of all other layers.

    >>> import wengert as wg
    >>> conv = wg.nn.utils.convert_conv2d_weight_memory_format(wg.nn.Conv2d(2, 3, 2), wg.channels_last)
    >>> conv.weight.stride()
    (8, 1, 4, 2)
    """
    from wengert_nn.convolutions import Conv2d, ConvTranspose2d

    return convert_weights(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Lay out the weights of the 3-d convolutions of a module, transposed ones too, in a memory format.

    Returns the module. The values stay as they are, and so do the weights of all other layers.
    """
    from wengert_nn.convolutions import Conv3d, ConvTranspose3d

    return convert_weights(module, (Conv3d, ConvTranspose3d), memory_format)


def convert_weights(module: Any, classes: tuple[Any, ...], memory_format: Any) -> Any:
    """Return a module in which the weights of layers of these classes are in a memory format."""
    for layer in module.modules():
        if isinstance(layer, classes):
            layer.weight.data = layer.weight.detach().clone(memory_format=memory_format)
    return module
