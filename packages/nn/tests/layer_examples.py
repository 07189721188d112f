"""One layer of each kind, with inputs: what tests of all layers go through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import wengert as wg
from wengert import nn

IMAGE = (2, 4, 6, 6)
SPATIAL = {1: (2, 4, 6), 2: IMAGE, 3: (1, 4, 6, 6, 6)}


class Example(NamedTuple):
    """A layer and the inputs for it."""

    name: str
    make: Callable[[], Any]
    inputs: Callable[[], tuple[Any, ...]]

    def __str__(self) -> str:
        return self.name


def numbers(*shape: int) -> Any:
    """Numbers between -1 and 1, no two of which are the same."""
    count = 1
    for size in shape:
        count *= size
    return (wg.arange(float(count)) * 0.7).sin().reshape(shape)


def example(name: str, *args: Any, shapes: Any = ((3, 4),), **kwargs: Any) -> Example:
    """A layer with inputs of these shapes."""
    return Example(name, lambda: getattr(nn, name)(*args, **kwargs), lambda: tuple(numbers(*shape) for shape in shapes))


def spatial(name: str, *args: Any) -> list[Example]:
    """A layer for each number of spatial dims."""
    return [example(f"{name}{n}d", *args, shapes=(SPATIAL[n],)) for n in (1, 2, 3)]


def classes() -> Any:
    """Three classes."""
    return wg.tensor([0, 2, 1])


POINTWISE = (
    "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid Mish PReLU ReLU ReLU6 SELU SiLU "
    "Sigmoid Softplus Softshrink Softsign Tanh Tanhshrink Identity Flatten Dropout AlphaDropout RReLU"
).split()
TWO_INPUTS = "L1Loss MSELoss SmoothL1Loss HuberLoss PoissonNLLLoss CosineSimilarity PairwiseDistance".split()

EXAMPLES: list[Example] = [
    *(example(name) for name in POINTWISE),
    *(example(name, dim=1) for name in ("Softmax", "Softmin", "LogSoftmax")),
    *(example(name, shapes=((3, 4), (3, 4))) for name in TWO_INPUTS),
    example("Threshold", 0.1, 2.0),
    example("Linear", 4, 5),
    example("Bilinear", 4, 2, 3, shapes=((3, 4), (3, 2))),
    example("LazyLinear", 5),
    *spatial("Conv", 4, 6, 3),
    *spatial("ConvTranspose", 4, 6, 3),
    *spatial("LazyConv", 6, 3),
    *spatial("LazyConvTranspose", 6, 3),
    *spatial("MaxPool", 2),
    *spatial("AvgPool", 2),
    *spatial("AdaptiveMaxPool", 2),
    *spatial("AdaptiveAvgPool", 2),
    *spatial("LPPool", 2, 2),
    *spatial("CircularPad", 1),
    *spatial("ConstantPad", 1, 0.5),
    *spatial("ReflectionPad", 1),
    *spatial("ReplicationPad", 1),
    *spatial("ZeroPad", 1),
    *spatial("Dropout", 0.5),
    example("FeatureAlphaDropout", shapes=(IMAGE,)),
    example("Softmax2d", shapes=(IMAGE,)),
    example("FractionalMaxPool2d", 2, 3, shapes=(IMAGE,)),
    example("FractionalMaxPool3d", 2, 3, shapes=(SPATIAL[3],)),
    example("Unflatten", 1, (2, 2)),
    example("PixelShuffle", 2, shapes=(IMAGE,)),
    example("PixelUnshuffle", 2, shapes=(IMAGE,)),
    example("ChannelShuffle", 2, shapes=(IMAGE,)),
    example("Fold", (4, 5), (2, 2), shapes=((1, 8, 12),)),
    example("Unfold", 2, shapes=(IMAGE,)),
    example("Upsample", scale_factor=2, shapes=(IMAGE,)),
    example("UpsamplingNearest2d", 8, shapes=(IMAGE,)),
    example("UpsamplingBilinear2d", 8, shapes=(IMAGE,)),
    Example("Embedding", lambda: nn.Embedding(5, 3, padding_idx=1), lambda: (wg.tensor([[0, 1], [4, 4]]),)),
    Example("EmbeddingBag", lambda: nn.EmbeddingBag(5, 3), lambda: (wg.tensor([[0, 1], [4, 4]]),)),
    Example("NLLLoss", lambda: nn.NLLLoss(wg.ones(4)), lambda: (numbers(3, 4), classes())),
    Example("CrossEntropyLoss", lambda: nn.CrossEntropyLoss(wg.ones(4)), lambda: (numbers(3, 4), classes())),
    Example("MultiMarginLoss", nn.MultiMarginLoss, lambda: (numbers(3, 4), classes())),
    Example("LinearCrossEntropyLoss", lambda: nn.LinearCrossEntropyLoss(4, 3), lambda: (numbers(3, 4), classes())),
    Example(
        "AdaptiveLogSoftmaxWithLoss",
        lambda: nn.AdaptiveLogSoftmaxWithLoss(16, 9, [2, 4]),
        lambda: (numbers(3, 16), wg.tensor([0, 8, 3])),
    ),
    Example("BCELoss", nn.BCELoss, lambda: (numbers(4).abs(), wg.ones(4))),
    Example("BCEWithLogitsLoss", nn.BCEWithLogitsLoss, lambda: (numbers(4), wg.ones(4))),
    Example("KLDivLoss", lambda: nn.KLDivLoss(reduction="sum"), lambda: (numbers(3, 4), numbers(3, 4).abs())),
    Example("GaussianNLLLoss", nn.GaussianNLLLoss, lambda: (numbers(4), numbers(4), wg.ones(4))),
    Example("HingeEmbeddingLoss", nn.HingeEmbeddingLoss, lambda: (numbers(4), wg.ones(4))),
    Example("SoftMarginLoss", nn.SoftMarginLoss, lambda: (numbers(4), wg.ones(4))),
    Example("MultiLabelMarginLoss", nn.MultiLabelMarginLoss, lambda: (numbers(3), wg.tensor([1, -1, 0]))),
    Example("MultiLabelSoftMarginLoss", nn.MultiLabelSoftMarginLoss, lambda: (numbers(2, 3), wg.ones(2, 3))),
    Example(
        "CosineEmbeddingLoss", nn.CosineEmbeddingLoss, lambda: (numbers(3, 4), numbers(3, 4), wg.tensor([1, -1, 1]))
    ),
    Example("MarginRankingLoss", nn.MarginRankingLoss, lambda: (numbers(3), numbers(3), wg.tensor([1, -1, 1]))),
    Example("TripletMarginLoss", nn.TripletMarginLoss, lambda: (numbers(3, 4), numbers(3, 4), wg.ones(3, 4))),
    Example(
        "TripletMarginWithDistanceLoss",
        nn.TripletMarginWithDistanceLoss,
        lambda: (numbers(3, 4), numbers(3, 4), wg.ones(3, 4)),
    ),
    Example(
        "CTCLoss",
        nn.CTCLoss,
        lambda: (numbers(4, 1, 3).log_softmax(2), wg.tensor([[1, 2]]), wg.tensor([4]), wg.tensor([2])),
    ),
    *(
        Example(
            f"MaxUnpool{n}d",
            lambda n=n: getattr(nn, f"MaxUnpool{n}d")(2),
            lambda n=n: getattr(nn, f"MaxPool{n}d")(2, return_indices=True)(numbers(*SPATIAL[n])),
        )
        for n in (1, 2, 3)
    ),
]
