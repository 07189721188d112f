"""Rollback: what a call has written is undone where it ends with an error."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from wengert_core.extend import Tensor, rng_states, set_rng_states
from wengert_engine import no_grad


class Rollback:
    """A context in which an error leaves tensors and generators as they were before."""

    def __init__(self, tensors: list[Tensor], generators: list[Any], active: bool) -> None:
        self.tensors = tensors if active else []
        self.generators = generators if active else []
        self.active = active

    def __enter__(self) -> Self:
        if self.active:
            self.copies = [t.detach().clone() for t in self.tensors]
            self.versions = [t._version for t in self.tensors]
            self.states = [generator.get_state() for generator in self.generators]
            self.shared_states = rng_states()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None or not self.active:
            return
        with no_grad():
            for t, copy, version in zip(self.tensors, self.copies, self.versions, strict=True):
                if t._version != version:
                    t.copy_(copy)
        for generator, state in zip(self.generators, self.states, strict=True):
            generator.set_state(state)
        set_rng_states(self.shared_states)
