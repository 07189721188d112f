"""``mark_pool``: memory of tensors that users take for separate ones."""

import pickle

import pytest
import wengert_core as wg
from wengert_core.extend import mark_pool


@pytest.mark.parametrize("protocol", [2, 5])
def test_a_pickle_of_a_part_has_nothing_of_the_pool(protocol: int) -> None:
    pool = wg.arange(10000.0)
    part = pool[5000:5006].view(2, 3).t()
    whole = len(pickle.dumps(part, protocol))
    mark_pool(pool)
    text = pickle.dumps(part, protocol)
    assert len(text) < 1000 < whole
    again = pickle.loads(text)
    assert again.tolist() == part.tolist()
    assert again.stride() == part.stride()
    assert (again.storage_offset(), again.untyped_storage().nbytes()) == (0, 24)


def test_tensors_without_strides_are_refused() -> None:
    with pytest.raises(TypeError, match=r"must not be None|expected Tensor|incorrect type"):
        mark_pool(None)
