"""Derivatives of pixel_shuffle and pixel_unshuffle."""

from __future__ import annotations

import wengert_core as wc

from wengert_formulas.derivatives.base import TABLE

linear = TABLE.linear

linear("_pixel_shuffle", self=lambda grad, upscale_factor: wc.pixel_unshuffle(grad, upscale_factor))
linear("_pixel_unshuffle", self=lambda grad, downscale_factor: wc.pixel_shuffle(grad, downscale_factor))
