"""wengert.autograd.functional: Jacobians, Hessians and products with them, of functions of tensors."""

from wengert_functional.jacobians import hessian, jacobian
from wengert_functional.products import hvp, jvp, vhp, vjp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
