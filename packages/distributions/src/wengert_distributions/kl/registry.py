"""Divergences by the classes of two distributions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from wengert import Tensor

Divergence = Callable[[Any, Any], Tensor]
_KL_REGISTRY: dict[tuple[type, type], Divergence] = {}
"""The functions that were registered, by pairs of classes."""
_KL_MEMOIZE: dict[tuple[type, type], Any] = {}
"""The functions that were looked up, by pairs of classes; NotImplemented for none."""


def register_kl(type_p: Any, type_q: Any) -> Callable[[Divergence], Divergence]:
    """Return a decorator that registers the divergence of two classes of distributions and their subclasses.

    Of several functions that fit, the one of the most specific classes is called. Where the classes of p and of q do
    not agree on it, a RuntimeWarning asks for a function of that pair.

    >>> from wengert.distributions import Normal, kl_divergence, register_kl
    >>> class Mine(Normal):
    ...     pass
    >>> @register_kl(Mine, Mine)
    ... def kl_of_mine(p, q):
    ...     return (p.loc - q.loc) ** 2
    >>> kl_divergence(Mine(1.0, 1.0), Mine(3.0, 1.0))
    tensor(4.)
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type):  # any class will do, as in PyTorch: libraries have distributions of their own
            raise TypeError(f"issubclass() arg 1 must be a class: {name} must be one of distributions, got {kind}")

    def decorator(function: Divergence) -> Divergence:
        _KL_REGISTRY[type_p, type_q] = function
        _KL_MEMOIZE.clear()  # another function may fit better now
        return function

    return decorator


def find_divergence(type_p: type, type_q: type) -> Any:
    """Return the function of the most specific classes; NotImplemented where there is none."""
    near_p, near_q = type_p.__mro__.index, type_q.__mro__.index
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return NotImplemented
    left = min(matches, key=lambda pair: (near_p(pair[0]), near_q(pair[1])))
    right = min(matches, key=lambda pair: (near_q(pair[1]), near_p(pair[0])))
    if _KL_REGISTRY[left] is not _KL_REGISTRY[right]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please "
            f"register_kl({left[0].__name__}, {right[1].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return _KL_REGISTRY[left]


def kl_divergence(p: Any, q: Any) -> Tensor:
    """Return the Kullback-Leibler divergence, the expected value of log(p(x) / q(x)) for x of p.

    p, q: distributions. Raises NotImplementedError where no formula is registered for their classes.

    >>> import wengert as wg
    >>> from wengert.distributions import Normal, kl_divergence
    >>> kl_divergence(Normal(wg.tensor([0.0, 1.0]), 1.0), Normal(0.0, 1.0))
    tensor([0.0000, 0.5000])
    """
    types = type(p), type(q)
    function = _KL_MEMOIZE.get(types)
    if function is None:
        function = _KL_MEMOIZE[types] = find_divergence(*types)
    if function is NotImplemented:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {types[0].__name__} and q type {types[1].__name__}"
        )
    return function(p, q)  # type: ignore[no-any-return]
