"""Update rules: one optimizer's arithmetic for one parameter, and the loops that apply it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert
from wengert import Tensor
from wengert.compiler import is_compiling

from wengert_optim.base.hyperparameters import check_capturable, scalar_of, value_of

__all__ = [
    "Rule",
    "count_step",
    "decay_weights",
    "increment_step",
    "is_on",
    "is_tensor",
    "number_of",
    "numbers_of",
    "unscale",
    "update_averages",
    "update_lists",
    "update_one",
]

PLURALS = {"step": "state_steps", "mu": "mus", "eta": "etas", "mu_product": "mu_products"}


class Rule:
    """The arithmetic of an optimizer that treats each element of a parameter alone.

    scalars: the names of the state that is a number for each parameter, such as ``"step"``, and their first values.
    advance: called with the options and these tensors; counts the step in them and returns what ``update`` needs of
    them. They have no dimensions, or are vectors with the same number for several parameters.
    update: called with the options, what ``advance`` returned, the parameter, its gradient and the rest of its state;
    changes the parameter and the state in place. It may get many parameters as one tensor. Returns a dict of state that
    begins with this update, or None.
    increment: for rules that need not read the parameter; called with the options, the gradient and the rest of the
    state, changes the state in place and returns the factor and the tensor whose product is added to the parameter.
    reads_param: called with the options: whether ``update`` must be called because the parameter is read.
    """

    __slots__ = ("advance", "increment", "reads_param", "scalars", "update")

    def __init__(
        self,
        scalars: dict[str, float],
        advance: Callable[..., Any],
        update: Callable[..., dict[str, Tensor] | None],
        increment: Callable[..., tuple[float, Tensor]] | None = None,
        reads_param: Callable[[Any], bool] = lambda options: True,
    ) -> None:
        self.scalars, self.advance, self.update = scalars, advance, update
        self.increment, self.reads_param = increment, reads_param


def numbers_of(rule: Rule, options: Any, scalars: Sequence[Tensor], bucket: Any = None) -> tuple[Any, Any]:
    """Count a step, also for the Bucket of these scalars; return options and numbers for ``update``; in a capture,
    tensors.
    """
    if is_compiling():
        from wengert_optim.updates.captured import captured_numbers

        return captured_numbers(rule, options, scalars, bucket)
    numbers = rule.advance(options, *scalars)
    if bucket is not None:
        bucket.note_versions()
    return options, numbers


def number_of(function: Callable[..., float], *tensors: Tensor) -> Any:
    """Return a number that follows from those of tensors; in a capture, a tensor."""
    if is_compiling():
        from wengert_optim.updates.captured import captured_number

        return captured_number(function, tensors)
    return function(*tensors)


def is_tensor(options: Any, value: Any) -> bool:
    """Return whether one of the numbers is a tensor that the update must not read; inside of a capture none is."""
    return isinstance(value, Tensor) and "captured" not in options


def is_on(options: Any, name: str) -> bool:
    """Return whether an option is not zero; inside of a capture, one that varies is a tensor and is not."""
    value = options[name]
    return bool(value) if not isinstance(value, Tensor) or name not in options.get("varying", ()) else True


def update_one(
    rule: Rule, options: Any, param: Tensor, grad: Tensor, scalars: Sequence[Tensor], tensors: Sequence[Any]
) -> dict[str, Tensor] | None:
    """Apply a rule to one parameter, a complex one as pairs of real numbers; return the state that the rule made."""
    if options.get("capturable"):
        check_capturable(param, capturable_names(rule), *scalars)
    options, numbers = numbers_of(rule, options, scalars)
    if options["maximize"]:
        grad = -grad
    if not param.is_complex() or grad.is_sparse:
        return rule.update(options, numbers, param, grad, *tensors)
    tensors = [wengert.view_as_real(one) if isinstance(one, Tensor) else one for one in tensors]
    made = rule.update(options, numbers, wengert.view_as_real(param), wengert.view_as_real(grad), *tensors)
    return made and {name: wengert.view_as_complex(one) for name, one in made.items()}


def update_lists(rule: Rule, arguments: dict[str, Any], *tensors: Sequence[Any]) -> None:
    """Apply a rule to the parameters that a functional form, such as ``nadam``, gets in lists.

    arguments: the arguments of the form by name, its ``locals()``: the lists ``params``, ``grads`` and those of the
    rule's scalars, and the rule's options.   tensors: lists of the rest of the state.
    """
    scalars = [arguments[PLURALS[name]] for name in rule.scalars]
    for index, (param, grad) in enumerate(zip(arguments["params"], arguments["grads"], strict=True)):
        update_one(rule, arguments, param, grad, [one[index] for one in scalars], [one[index] for one in tensors])


def capturable_names(rule: Rule) -> str:
    """Return the words for what has to be on the parameter's device, as PyTorch's messages have them."""
    *front, last = ["params", *(PLURALS[name] for name in reversed([*rule.scalars]))]
    return f"{', '.join(front)}{',' if len(front) > 2 else ''} and {last}"


def count_step(options: Any, step: Tensor) -> Any:
    """Count a step; return the number of steps, as a tensor where the update stays on the device."""
    step.add_(1)
    return step.clone() if options["capturable"] else value_of(step)


def increment_step(options: Any, step: Tensor) -> None:
    """Count a step, for rules that do not depend on the number of steps."""
    step.add_(1)


def update_averages(options: Any, grad: Tensor, mean: Tensor, square: Tensor) -> None:
    """Update the running averages of a gradient and of its square, whose decay rates are the option ``betas``."""
    beta1, beta2 = options["betas"]
    mean.lerp_(grad, 1 - beta1)
    square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)


def decay_weights(options: Any, param: Tensor, grad: Tensor) -> Tensor:
    """Return the gradient with the weight decay in it; a decoupled one shrinks the parameter in place instead."""
    decay = options["weight_decay"]
    if isinstance(decay, Tensor) and decay.requires_grad:
        return grad.addcmul(param.clone(), decay)
    if options.get("decoupled_weight_decay"):
        param.mul_(1 - scalar_of(options["lr"]) * decay)
        return grad
    return grad.add(param, alpha=decay)


def unscale(grads: Sequence[Tensor], fused: Any, grad_scale: Tensor | None, found_inf: Tensor | None) -> bool:
    """Divide gradients by a gradient scaler's factor; return whether all of them were finite.

    AssertionError where the optimizer is not fused: the scaler does it then.
    """
    if not fused:
        if grad_scale is not None or found_inf is not None:
            raise AssertionError("Expected grad_scale and found_inf to be None")
        return True
    if found_inf is not None and found_inf.item():
        return False
    if grad_scale is not None:
        for grad in grads:
            grad.div_(grad_scale)
    return True
