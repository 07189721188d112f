from wengert_functional.jacobians import hessian as hessian
from wengert_functional.jacobians import jacobian as jacobian
from wengert_functional.products import hvp as hvp
from wengert_functional.products import jvp as jvp
from wengert_functional.products import vhp as vhp
from wengert_functional.products import vjp as vjp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
