"""A picture of two jacobians and their difference, where matplotlib is installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from wengert_gradcheck.errors import Jacobians


def figure_of(jacobians: Jacobians, output: int | None, input: int | None) -> Any:
    """Three panels: numerical, analytical (of complex numbers the absolute values), |difference|."""
    try:
        figures: Any = import_module("matplotlib.figure")
    except ImportError as error:
        raise ImportError("figure() draws with matplotlib: pip install 'wengert-gradcheck[figure]'") from error
    parts = [("numerical", jacobians.numerical), ("analytical", jacobians.analytical),
             ("|difference|", jacobians.difference)]
    parts = [(name, np.abs(a) if np.iscomplexobj(a) else a) for name, a in parts]
    finite = np.concatenate([np.abs(a[np.isfinite(a)]).ravel() for _, a in parts[:2]])
    limit = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
    figure = figures.Figure(figsize=(12, 4), layout="constrained")
    for axes, (name, values) in zip(figure.subplots(1, 3), parts, strict=True):
        style: dict[str, Any] = {"cmap": "RdBu", "vmin": -limit, "vmax": limit}
        if name == "|difference|":
            style = {"cmap": "Reds", "vmin": 0}
        figure.colorbar(axes.imshow(values, aspect="auto", interpolation="nearest", **style), ax=axes)
        axes.set(title=name, xlabel="element of the output", ylabel="element of the input")
        for axis in (axes.xaxis, axes.yaxis):  # elements are counted
            axis.get_major_locator().set_params(integer=True)
    figure.suptitle(f"Jacobian of output {output} with respect to input {input}")
    return figure
