"""Optimizers: steps over few, many and large parameters, and a training step of a tiny network."""

from typing import Any

import wengert as wg

OPTIMIZERS: dict[str, tuple[str, dict[str, Any]]] = {
    "SGD": ("SGD", {"lr": 1e-3}),
    "SGD_momentum": ("SGD", {"lr": 1e-3, "momentum": 0.9}),
    **{
        name: (name, {})
        for name in ("Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "RMSprop", "Rprop", "ASGD")
    },
}
PARAMETERS = {"one": (1, 16), "few": (4, 64), "many": (100, 64), "large": (2, 1_000_000)}
"""Numbers of parameters, and of the elements of each."""


def optimizer_of(name: str, size: str) -> Any:
    """An optimizer that has taken some steps: its state exists."""
    count, elements = PARAMETERS[size]
    params = [wg.linspace(-1, 1, elements).reshape(2, -1).requires_grad_() for _ in range(count)]
    for param in params:
        param.grad = param.detach().sin()
    kind, options = OPTIMIZERS[name]
    optimizer = getattr(wg.optim, kind)(params, **options)
    for _ in range(3):
        optimizer.step()
    return optimizer


class Step:
    """One step of each optimizer."""

    params = (list(OPTIMIZERS), list(PARAMETERS))
    param_names = ("optimizer", "parameters")

    def setup(self, name: str, size: str) -> None:
        self.optimizer = optimizer_of(name, size)

    def time_step(self, name: str, size: str) -> None:
        self.optimizer.step()


class Around:
    """The work around steps, with 100 parameters."""

    def setup(self) -> None:
        self.optimizer = optimizer_of("Adam", "many")
        self.saved = self.optimizer.state_dict()

    def time_zero_grad(self) -> None:
        self.optimizer.zero_grad()

    def time_state_dict(self) -> None:
        self.optimizer.state_dict()

    def time_load_state_dict(self) -> None:
        self.optimizer.load_state_dict(self.saved)


class TinyNetwork:
    """Loss, gradients and Adam's step of a network with 2 layers of 8 units, batch 16."""

    def setup(self) -> None:
        self.x = wg.linspace(-1, 1, 64).reshape(16, 4)
        self.y = self.x.sum(1, keepdim=True).sin()
        self.params = [
            wg.linspace(-0.5, 0.5, wg.Size(shape).numel()).reshape(shape).requires_grad_()
            for shape in [(8, 4), (8,), (1, 8), (1,)]
        ]
        self.optimizer = wg.optim.Adam(self.params, lr=1e-3)
        self.time_training_step()

    def time_training_step(self) -> None:
        w1, b1, w2, b2 = self.params
        linear = wg.nn.functional.linear
        self.optimizer.zero_grad()
        loss = (linear(linear(self.x, w1, b1).tanh(), w2, b2) - self.y).square().mean()
        loss.backward()
        self.optimizer.step()
