from wengert_engine.extend import debug_unwrap as debug_unwrap
from wengert_functional.control_flow.conds import cond as cond
from wengert_functional.control_flow.scans import scan as scan
from wengert_functional.control_flow.while_loops import fori_loop as fori_loop
from wengert_functional.control_flow.while_loops import while_loop as while_loop
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
from wengert_nn.functional_call import functional_call as functional_call
from wengert_nn.functional_call import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
from wengert_nn.functional_call import stack_module_state as stack_module_state

__all__ = [
    "cond", "debug_unwrap", "fori_loop", "functional_call", "functionalize", "grad", "grad_and_value", "hessian",
    "jacfwd", "jacrev", "jvp", "linearize", "replace_all_batch_norm_modules_", "scan", "stack_module_state", "vjp",
    "vmap", "while_loop",
]
