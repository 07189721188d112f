"""Views and indexing of an 8 x 8 tensor that requires gradients."""

from collections.abc import Callable
from operator import getitem
from typing import Any

import wengert as wg

from .programs import hundred_times, tensors

VIEWS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "select": (wg.Tensor.select, (0, 1)),
    "index_int": (getitem, (1,)),
    "slice": (getitem, (slice(1, 3),)),
    "slice_columns": (getitem, ((slice(None), slice(1, 3)),)),
    "ellipsis_none": (getitem, ((..., None),)),
    "reshape": (wg.Tensor.reshape, (64,)),
    "view": (wg.Tensor.view, (4, 16)),
    "transpose": (wg.Tensor.transpose, (0, 1)),
    "expand": (wg.Tensor.expand, (2, 8, 8)),
    "diagonal": (wg.Tensor.diagonal, ()),
    "unbind": (wg.Tensor.unbind, ()),
}
"""A function, and its arguments after the tensor."""


class Views:
    """Outputs that share their input's memory; a hundred calls."""

    params = tuple(VIEWS)
    param_names = ("view",)

    def setup(self, view: str) -> None:
        function, arguments = VIEWS[view]
        self.call = function, tensors(wg, 8, 8)["x"], *arguments
        self.time_view(view)  # the first recorded op of a process loads the formulas

    def time_view(self, view: str) -> None:
        hundred_times(*self.call)


class Indexing:
    """Reading by tensors and masks, and assignment."""

    def setup(self) -> None:
        names = tensors(wg, 8, 8)
        self.x, self.y = names["x"], names["y"]
        self.rows, self.mask = wg.tensor([0, 3, 5]), self.y > 0.5
        self.values = wg.zeros(3, 8)
        self.time_rows()

    def time_rows(self) -> None:
        self.read(self.rows)

    def time_pairs(self) -> None:
        self.read((self.rows, self.rows))

    def time_mask(self) -> None:
        self.read(self.mask)

    def read(self, key: Any) -> Any:
        return self.x[key]

    def time_assign_element(self) -> None:
        self.y[1, 2] = 0.5

    def time_assign_slice(self) -> None:
        self.y[1:4] = self.values

    def time_assign_rows(self) -> None:
        self.y[self.rows] = self.values


class Joining:
    """Several tensors made one."""

    def setup(self) -> None:
        names = tensors(wg, 8, 8)
        self.both = [names["x"], names["w"]]
        self.numbers = list(tensors(wg, 16)["x"].unbind())

    def time_cat(self) -> None:
        wg.cat(self.both)

    def time_stack(self) -> None:
        wg.stack(self.both)

    def time_stack_numbers(self) -> None:
        wg.stack(self.numbers)
