"""Modules: calls, layers beside their functions, recurrent cells and networks, state dicts."""

from typing import Any

import wengert as wg


def set_parameters(module: Any) -> Any:
    """Give each parameter of a module numbers between -1 and 1."""
    with wg.no_grad():
        for index, parameter in enumerate(module.parameters()):
            parameter.copy_((wg.arange(float(parameter.numel())) + index).sin().reshape(parameter.shape))
    return module


class Call:
    """A call that does nothing, without hooks and with one, and the call of a layer."""

    def setup(self) -> None:
        self.x = wg.ones(2, 4)
        self.same, self.with_hook = wg.nn.Identity(), wg.nn.Flatten()
        self.with_hook.register_forward_hook(lambda module, args, output: None)
        self.linear = set_parameters(wg.nn.Linear(4, 4))

    def time_identity(self) -> None:
        self.same(self.x)

    def time_with_a_hook(self) -> None:
        self.with_hook(self.x)

    def time_linear(self) -> None:
        self.linear(self.x)


class Recurrent:
    """A step of each cell, and 20 steps of each network; batch 1, recorded."""

    params = ("RNN", "GRU", "LSTM")
    param_names = ("kind",)

    def setup(self, kind: str) -> None:
        self.cell = set_parameters(getattr(wg.nn, f"{kind}Cell")(10, 20))
        self.network = set_parameters(getattr(wg.nn, kind)(10, 20))
        self.x, self.sequence = wg.ones(1, 10), wg.linspace(-1, 1, 200).reshape(20, 1, 10)
        self.time_cell(kind)
        self.time_network_and_gradients(kind)

    def time_cell(self, kind: str) -> None:
        self.cell(self.x)

    def time_network_and_gradients(self, kind: str) -> None:
        output, _ = self.network(self.sequence)
        output.sum().backward()


class Tree:
    """Walks over a model of 20 layers, its state and its gradients."""

    def setup(self) -> None:
        self.model = wg.nn.Sequential(*[wg.nn.Linear(4, 4) for _ in range(20)])
        self.state = self.model.state_dict()
        self.parameters = list(self.model.parameters())
        for parameter in self.parameters:
            parameter.grad = wg.ones_like(parameter)

    def time_parameters(self) -> None:
        for _ in self.model.parameters():
            pass

    def time_state_dict(self) -> None:
        self.model.state_dict()

    def time_load_state_dict(self) -> None:
        self.model.load_state_dict(self.state)

    def time_clip_grad_norm(self) -> None:
        wg.nn.utils.clip_grad_norm_(self.parameters, 100.0)

    def time_functional_call(self) -> None:
        wg.func.functional_call(self.model, self.state, (wg.ones(4),))
