"""wengert: torch.autograd as a small, fast, modular system on NumPy and CuPy. ``import wengert as torch`` runs its code
unchanged.

What is here is composed from the installed distributions: each registers its op tables, formulas and names under the
entry-point groups ``wengert.*.v1``, ours as well as a stranger's. ``python -m wengert plugins`` lists them.

>>> import wengert as wg
>>> x = wg.tensor([1., 2., 3.], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
tensor([2., 4., 6.])
"""

import wengert_core as _core  # noqa: F401 - here, not deep in the composition, where CPython's stack is slower to grow

from wengert import compose as _compose

__version__ = "0.1.0"

_compose.compose(globals())
__getattr__ = _compose.top_level_getattr


def __dir__() -> list[str]:
    return sorted({*globals(), *_compose.known_names()} - _compose.hidden_names())
