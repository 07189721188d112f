"""wengert.func: transforms of functions, to be put inside of each other, and structured control flow."""

from wengert_engine.extend import debug_unwrap

from wengert_functional.control_flow.conds import cond
from wengert_functional.control_flow.scans import scan
from wengert_functional.control_flow.while_loops import fori_loop, while_loop
from wengert_functional.func_functionalize import functionalize
from wengert_functional.func_grad import grad, grad_and_value
from wengert_functional.func_jacobian import hessian, jacfwd, jacrev
from wengert_functional.func_products import jvp, linearize, vjp
from wengert_functional.vmap import vmap

__all__ = [
    "cond", "debug_unwrap", "fori_loop", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev",
    "jvp", "linearize", "scan", "vjp", "vmap", "while_loop",
]
