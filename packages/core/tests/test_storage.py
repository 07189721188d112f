"""Storage: shared by views, with one version counter; owner of foreign memory."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.tensors.tensor import Storage


class WatchableArray(np.ndarray):  # type: ignore[type-arg]
    """An array that can be watched."""


def test_views_share_one_storage() -> None:
    t = wg.arange(6)
    view = t.reshape(2, 3)[1]
    assert view.untyped_storage().data_ptr() == t.untyped_storage().data_ptr() == t.data_ptr()
    assert view.data_ptr() == t.data_ptr() + 3 * t.element_size()
    assert t.untyped_storage().size() == 48


def test_views_share_the_version_counter() -> None:
    t = wg.zeros(4)
    view = t[1:]
    assert t._version == 0
    view.uniform_()
    t.uniform_()
    assert (t._version, view._version) == (2, 2)
    assert t.clone()._version == 0


def test_a_tensor_of_an_array_keeps_it_alive() -> None:
    array = np.zeros(5).view(WatchableArray)
    watched = weakref.ref(array)
    t = wg.from_numpy(array)
    view = t[2:]
    del array, t
    gc.collect()
    assert watched() is not None
    del view
    gc.collect()
    assert watched() is None


def test_an_array_of_a_tensor_of_an_array() -> None:
    array = np.arange(3.0)
    again = wg.from_numpy(array).numpy()
    again[0] = 7
    assert array[0] == 7


def test_storages_are_not_made_by_hand() -> None:
    with pytest.raises(TypeError, match="cannot create"):
        Storage()
    with pytest.raises(TypeError, match="cannot create"):
        Storage.__new__(Storage)
