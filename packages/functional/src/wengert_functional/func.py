"""wengert.func: transforms of functions, to be put inside of each other."""

from wengert_functional.func_functionalize import functionalize
from wengert_functional.func_grad import grad, grad_and_value
from wengert_functional.func_jacobian import hessian, jacfwd, jacrev
from wengert_functional.func_products import jvp, linearize, vjp
from wengert_functional.vmap import vmap

__all__ = ["functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp", "vmap"]
