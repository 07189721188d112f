"""Rows of tools/compare/aims.py about modules and optimizers. Parameters are set by formulas, alike on both sides."""

from __future__ import annotations

from typing import Any

from tools.compare.rows import Row

CALL = "the call of a module"
TRAINING = "a training step of a tiny network, with Adam"
CELL = "a step of an LSTM cell"
STEP = "an optimizer's step over 100 small parameters"


def set_parameters(xp: Any, module: Any) -> Any:
    """Give each parameter of a module numbers between -1 and 1."""
    with xp.no_grad():
        for index, parameter in enumerate(module.parameters()):
            parameter.copy_((xp.arange(float(parameter.numel())) + index).sin().reshape(parameter.shape))
    return module


def call_names(xp: Any) -> dict[str, Any]:
    """A module whose forward returns its input, and one of the user's."""

    class Same(xp.nn.Module):  # type: ignore[misc]
        def forward(self, input: Any) -> Any:
            return input

    return {"same": Same(), "identity": xp.nn.Identity(), "x": xp.ones(4)}


def network_names(xp: Any) -> dict[str, Any]:
    """A network with two layers, its optimizer, a batch of 16, and the function of a training step."""
    model = set_parameters(xp, xp.nn.Sequential(xp.nn.Linear(4, 8), xp.nn.Tanh(), xp.nn.Linear(8, 1)))
    optimizer, loss_function = xp.optim.Adam(model.parameters(), lr=1e-3), xp.nn.MSELoss()
    x = xp.linspace(-1, 1, 64).reshape(16, 4)
    y = x.sum(1, keepdim=True).sin()

    def step() -> Any:
        optimizer.zero_grad()
        loss = loss_function(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return {"step": step}


def cell_names(size: int, hidden: int) -> Any:
    """A function that makes a cell, an input and a state; batch 1."""

    def names(xp: Any) -> dict[str, Any]:
        cell = set_parameters(xp, xp.nn.LSTMCell(size, hidden))
        return {"cell": cell, "x": xp.ones(1, size), "state": (xp.zeros(1, hidden), xp.zeros(1, hidden))}

    return names


def step_names(kind: str, **options: Any) -> Any:
    """A function that makes an optimizer of 100 parameters with 20 elements each, all with gradients."""

    def names(xp: Any) -> dict[str, Any]:
        parameters = [xp.nn.Parameter(xp.linspace(-1, 1, 20)) for _ in range(100)]
        for parameter in parameters:
            parameter.grad = xp.full((20,), 0.01)
        return {"optimizer": getattr(xp.optim, kind)(parameters, lr=1e-3, **options), "first": parameters[0]}

    return names


def module_rows() -> list[Row]:
    """Calls of modules, a tiny network with Adam, LSTM cells, optimizers."""
    rows = [
        Row(CALL, "nn.Identity", 5.0, "identity(x)", call_names),
        Row(CALL, "a module of the user's", 5.0, "same(x)", call_names),
        Row(TRAINING, "layers of 8 and 1 units, batch 16", 6.0, "step()", network_names),
    ]
    for size, hidden in ((10, 20), (20, 32)):
        label = f"{size} inputs, {hidden} units, recorded"
        rows.append(Row(CELL, label, 5.0, "cell(x, state)[0]", cell_names(size, hidden)))
    for kind, options in (("SGD", {}), ("SGD", {"momentum": 0.9}), ("Adam", {}), ("AdamW", {}), ("RMSprop", {})):
        label = kind + ", ".join([""] + [f"{name}={value}" for name, value in options.items()])
        rows.append(Row(STEP, label, 10.0, "optimizer.step()", step_names(kind, **options),
                        value="(optimizer.step(), first.detach())[1]"))  # fmt: skip
    return rows
