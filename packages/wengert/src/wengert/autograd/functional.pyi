from wengert_functional.internals import _as_tuple as _as_tuple
from wengert_functional.internals import _construct_standard_basis_for as _construct_standard_basis_for
from wengert_functional.internals import _grad_postprocess as _grad_postprocess
from wengert_functional.internals import _tuple_postprocess as _tuple_postprocess
from wengert_functional.jacobians import hessian as hessian
from wengert_functional.jacobians import jacobian as jacobian
from wengert_functional.products import hvp as hvp
from wengert_functional.products import jvp as jvp
from wengert_functional.products import vhp as vhp
from wengert_functional.products import vjp as vjp

__all__ = [
    "hessian", "hvp", "jacobian", "jvp", "vhp", "vjp",
]
