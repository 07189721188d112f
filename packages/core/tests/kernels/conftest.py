"""Fixtures of the kernel tests."""
from collections.abc import Iterator

import numpy as np
import pytest

from .kernel_arrays import LAYOUTS


@pytest.fixture(params=LAYOUTS)
def layout(request: pytest.FixtureRequest) -> str:
    """A way to lay a 1-d array out in memory: see kernel_arrays.lay_out."""
    return str(request.param)


@pytest.fixture(autouse=True)
def quiet_numpy() -> Iterator[None]:
    """The oracle's overflows and invalid operations are part of what is compared."""
    with np.errstate(all="ignore"):
        yield
