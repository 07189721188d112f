"""Elementwise, the base class of optimizers that treat each element of a parameter alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import wengert
from wengert import Tensor
from wengert.compiler import is_compiling

from wengert_optim.base.hyperparameters import check_fused_parameter, step_tensor
from wengert_optim.base.step_hooks import GRAPHS, grad_mode_of
from wengert_optim.optimizer import Optimizer, ParamsT
from wengert_optim.updates.captured import count_waits
from wengert_optim.updates.plan import LONGEST_WAIT, Plan
from wengert_optim.updates.rules import Rule, unscale, update_one

__all__ = ["Elementwise"]


class Elementwise(Optimizer):
    """Base class of optimizers whose update is a Rule; small parameters are updated together (Note [Buckets])."""

    _rule: ClassVar[Rule]
    _sparse_error: ClassVar[str] = ""
    """The message for a sparse gradient; empty where the rule can use one."""
    _state_names: ClassVar[tuple[str, ...]] = ()
    """The names of the state that has the parameter's shape, in the order in which the rule takes it."""
    found_inf: Tensor | None
    """Whether a gradient is not finite; a gradient scaler sets it for the time of a step."""
    _old_defaults: ClassVar[dict[str, Any]] = {
        "foreach": None, "maximize": False, "differentiable": False, "capturable": False,
    }  # fmt: skip
    """Options that groups of old checkpoints lack."""

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self._forget_plans()
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._forget_plans()
        for group in self.param_groups:
            for name, value in self._old_defaults.items():
                group.setdefault(name, value)
            for param in group["params"]:
                own = self.state.get(param) or {}
                for name in self._rule.scalars:
                    if name in own and not isinstance(own[name], Tensor):
                        own[name] = step_tensor(group, param, own[name])
                self._note_own([own])

    def _forget_plans(self) -> None:
        self._plans: dict[int, Plan] = {}
        self._own: WeakValueDictionary[int, Tensor] = WeakValueDictionary()
        if "_waited" not in self.__dict__:  # programs of captured steps use it
            with wengert.inference_mode(False):
                self._waited = wengert.zeros((), dtype=wengert.int64, device="cpu")
            self._n_renewed = 0

    # ---- the state

    def _tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        """Return the names of the state that has the parameter's shape; in some optimizers, options decide."""
        return self._state_names

    def _new_state(self, group: dict[str, Any], param: Tensor) -> dict[str, Any]:
        """Return the state of a parameter that has not been updated yet."""
        numbers = {name: step_tensor(group, param, value) for name, value in self._rule.scalars.items()}
        return {**numbers, **{name: wengert.zeros_like(param) for name in self._tensor_names(group)}}

    # ---- steps

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update all parameters that have a gradient.

        closure: a function that computes the loss anew, with its gradients, and returns it.
        Returns what the closure returned, or None.
        """
        if GRAPHS in sys.modules and "capturable" in self.defaults:
            self._accelerator_graph_capture_health_check()
        loss = None
        with grad_mode_of(self):
            if closure is not None:
                with wengert.enable_grad():
                    loss = closure()
            if "found_inf" not in self.__dict__ or self._unscale_gradients():
                if not is_compiling():
                    self._count_step(self._waited)
                elif self._is_on_host():  # a graph of a device has its plan for good
                    count_waits(self, self._waited)
                for group in self.param_groups:
                    self._update_group(group)
        if len(self._plans) > len(self.param_groups):
            self._plans = {id(group): self._plans[id(group)] for group in self.param_groups}
        return loss

    def _is_on_host(self) -> bool:
        return all(param.device.type == "cpu" for group in self.param_groups for param in group["params"])

    def _count_step(self, waited: Tensor) -> int:
        """Count a step for stale plans; return how many have been renewed with this step. waited: int64[], so far."""
        for plan in self._plans.values():
            if plan.stale:
                number = int(waited.add_(1).item())
                return self._n_renewed + sum([plan.count_wait(number) for plan in self._plans.values() if plan.stale])
        return self._n_renewed

    def _update_group(self, group: dict[str, Any]) -> None:
        names = self._tensor_names(group)
        together = not (group["differentiable"] or group.get("capturable"))
        plan = self._plans.get(id(group))
        if plan is None or not plan.fits(group, names, together):
            wait = min(2 * plan.wait, LONGEST_WAIT) if plan else 1
            self._n_renewed += plan is not None and plan.is_over
            plan = self._plans[id(group)] = Plan(self, group, names, together, wait)
        ready = plan.gather(self.state)
        singles = self._collect(plan) if plan.singles else ()
        for bucket, grad in ready:
            bucket.update(self._rule, group, grad)
        for param, grad, state, scalars, tensors in singles:
            made = update_one(self._rule, group, param, grad, scalars, tensors)
            if made:
                state.update(made)
                self._note_own([made])

    def _collect(self, plan: Plan) -> list[tuple[Tensor, Tensor, dict[str, Any], list[Tensor], list[Any]]]:
        """Return the parameters outside of buckets that have a gradient, with it and their state."""
        scalars, names = self._rule.scalars, plan.names
        stateless = not (scalars or names)
        fused = plan.group.get("fused")
        singles = []
        for param in plan.singles:
            grad = param.grad
            if grad is None:
                continue
            if self._sparse_error and grad.is_sparse:
                raise RuntimeError(self._sparse_error)
            if fused:
                check_fused_parameter(param)
            if id(param) in plan.absent:
                plan.stale = True
            state = {} if stateless else self._state_of(plan.group, param)
            singles.append((param, grad, state, [state[name] for name in scalars], [state[name] for name in names]))
        return singles

    def _unscale_gradients(self) -> bool:
        """Do what a gradient scaler left to the step; return whether all gradients were finite."""
        fused = all(group.get("fused") for group in self.param_groups)
        grads = [param.grad for group in self.param_groups for param in group["params"] if param.grad is not None]
        return unscale(grads, fused, getattr(self, "grad_scale", None), self.found_inf)

    # ---- state

    def _state_of(self, group: dict[str, Any], param: Tensor) -> dict[str, Any]:
        """Return the state of a parameter; one that is empty is made first."""
        state: dict[str, Any] = self.state[param]
        if not state:
            state.update(self._new_state(group, param))
            self._note_own([state])
        return state

    def _note_own(self, states: Iterable[dict[str, Any]]) -> None:
        """Note that the tensors of these states are the optimizer's own: views of a bucket may take their place.

        A tensor that a user has put into the state stays in it, because the user may look at it again.
        """
        for state in states:
            self._own.update({id(entry): entry for entry in state.values() if isinstance(entry, Tensor)})
