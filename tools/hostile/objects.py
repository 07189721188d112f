"""Python objects that misbehave while a call reads them: they act, raise, lie or give the wrong type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import wengert


class OddError(Exception):
    """Raised by the objects themselves: a call may pass it on."""


class Acts:
    """Stands for ``value``, and calls ``act`` whenever it is asked for that."""

    def __init__(self, value: Any, act: Callable[[], Any] = lambda: None) -> None:
        self.value = value
        self.act = act

    def __repr__(self) -> str:
        return f"Acts({self.value!r})"

    def answer(self, *_: Any) -> Any:
        """The value, after the act; the act's own error goes no further."""
        try:
            self.act()
        except OddError:
            raise
        except Exception:  # a refusal is fine: what counts is what the call under test does next
            pass
        return self.value

    __index__ = __int__ = __float__ = __bool__ = __complex__ = __len__ = __hash__ = __eq__ = answer
    __lt__ = __add__ = __radd__ = __mul__ = __rmul__ = __getitem__ = __array__ = __enter__ = __call__ = answer

    def __iter__(self) -> Iterator[Any]:
        yield self.answer()


class Index(Acts):
    """An integer that acts: only ``__index__`` and ``__int__``."""

    __float__ = __bool__ = __complex__ = __len__ = __iter__ = __array__ = __getitem__ = None  # type: ignore[assignment]
    __add__ = __radd__ = __mul__ = __rmul__ = __enter__ = __call__ = None  # type: ignore[assignment]
    __hash__ = object.__hash__
    __eq__ = object.__eq__


class Float(Index):
    """A number that acts: ``__float__`` as well."""

    __float__ = Acts.answer  # type: ignore[assignment]


class Truth(Index):
    """A truth value that acts."""

    __bool__ = Acts.answer  # type: ignore[assignment]
    __index__ = __int__ = None  # type: ignore[assignment]


class Raises(Acts):
    """Raises whatever it is asked."""

    def answer(self, *_: Any) -> Any:
        """Raise OddError."""
        raise OddError("raised by a hostile object")

    __index__ = __int__ = __float__ = __bool__ = __complex__ = __len__ = __hash__ = __eq__ = answer
    __lt__ = __add__ = __radd__ = __mul__ = __rmul__ = __getitem__ = __array__ = __enter__ = __call__ = answer

    def __iter__(self) -> Iterator[Any]:
        raise OddError("raised by a hostile object")

    def __getattr__(self, name: str) -> Any:
        raise OddError(f"raised for the attribute {name}")


class LyingList(list[Any]):
    """A list that says another length."""

    said = 70

    def __len__(self) -> int:
        return self.said


class LongList(LyingList):
    """A list that says more items than there is memory for."""

    said = 2**62 + 1


class Hinting:
    """An iterable whose hint is that there will be more items than there is memory for."""

    def __init__(self, *items: Any) -> None:
        self.items = items

    def __length_hint__(self) -> int:
        return 2**62 + 1

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)


class LyingTuple(tuple[Any, ...]):
    """A tuple that says another length."""

    __slots__ = ()

    def __len__(self) -> int:
        return 70


class LongTuple(tuple[Any, ...]):
    """A tuple that says more items than there is memory for."""

    __slots__ = ()

    def __len__(self) -> int:
        return 2**62 + 1


class Sequence:
    """A sequence without a base class whose length and items do not agree."""

    def __init__(self, *items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items) + 3

    def __getitem__(self, i: int) -> Any:
        return self.items[i]


class Text(str):
    """A string of a class of its own, unequal to everything."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = str.__hash__


class Number(int):
    """An int of a class of its own with an ``__index__`` that lies."""

    def __index__(self) -> int:
        return 2**40


class Sub(wengert.Tensor):
    """A subclass of Tensor."""


class Attributes:
    """Has every attribute: each is the object itself."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self


def itself(kind: Callable[[], Any] = list) -> Any:
    """A list or dict that contains itself."""
    found = kind()
    if isinstance(found, dict):
        found["itself"] = found
    else:
        found.append(found)
    return found


def nested_lists(depth: int) -> Any:
    """Lists in lists."""
    found: Any = 1.0
    for _ in range(depth):
        found = [found]
    return found
