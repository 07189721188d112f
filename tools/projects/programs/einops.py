"""A mixer of image patches made of einops layers, with one step of gradients."""

from typing import Any

import torch
from einops import einsum, rearrange, reduce, repeat
from einops.layers.torch import EinMix, Rearrange, Reduce
from fixed_numbers import fix_parameters, gradients, numbers


def main() -> dict[str, Any]:
    images = numbers(8, 3, 16, 16)
    model = fix_parameters(torch.nn.Sequential(
        Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4),
        EinMix("b t c -> b t d", weight_shape="c d", bias_shape="d", c=48, d=24), torch.nn.GELU(),
        EinMix("b t d -> b u d", weight_shape="t u", t=16, u=16), torch.nn.GELU(),
        Reduce("b t d -> b d", "mean"), torch.nn.Linear(24, 5),
    ).double())
    for _ in range(20):
        model.zero_grad()
        model(images).logsumexp(1).sum().backward()
    tiles = rearrange(images, "(b1 b2) c h w -> (b1 h) (b2 w) c", b1=2)
    pooled = reduce(images, "b c (h 2) (w 2) -> b c h w", "max")
    again = repeat(pooled, "b c h w -> b c (h 2) (w 2)")
    return {"gradients": gradients(model), "tiles": tiles, "again": again,
            "products": einsum(images, images, "b c h w, d c h w -> b d")}
