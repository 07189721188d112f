from wengert_functional.func_functionalize import functionalize as functionalize
from wengert_functional.func_grad import grad as grad
from wengert_functional.func_grad import grad_and_value as grad_and_value
from wengert_functional.func_jacobian import hessian as hessian
from wengert_functional.func_jacobian import jacfwd as jacfwd
from wengert_functional.func_jacobian import jacrev as jacrev
from wengert_functional.func_products import jvp as jvp
from wengert_functional.func_products import linearize as linearize
from wengert_functional.func_products import vjp as vjp
from wengert_functional.vmap import vmap as vmap

__all__ = ["functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp", "vmap"]
