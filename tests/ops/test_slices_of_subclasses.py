"""Tensors of subclasses that are bounds of slices: asked for their number, or, where their class says so, as others."""

from __future__ import annotations

import pytest
import wengert_core as wc


def make_number(**attributes):
    """Return a tensor of a subclass that notes what it is asked."""
    seen = []

    def answer(cls, function, types, args=(), kwargs=None):
        seen.append(getattr(function, "__name__", ""))
        with wc.extend.DisableTorchFunctionSubclass():
            return function(*args, **(kwargs or {}))

    kind = type("Number", (wc.Tensor,), {"__torch_function__": classmethod(answer), **attributes})
    return wc.tensor(1).as_subclass(kind), seen


@pytest.mark.parametrize("index", [lambda i: slice(i, None), lambda i: (0, slice(None, i)), lambda i: slice(0, 2, i)])
@pytest.mark.parametrize("is_asked", [False, True])
def test_who_is_asked(index, is_asked):
    number, seen = make_number(**({"_is_asked_in_slices": True} if is_asked else {}))
    rows = wc.arange(6).reshape(2, 3)
    expected = rows[index(1)]
    assert rows[index(number)].tolist() == expected.tolist()
    assert seen == (["__getitem__"] if is_asked else ["__index__"])
    seen.clear()
    rows[index(number)] = 7
    assert (rows[index(1)] == 7).all()
    assert seen == (["__setitem__"] if is_asked else ["__index__"])
