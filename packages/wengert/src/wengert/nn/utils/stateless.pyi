# Written by tools/generate/module_stubs.py.
from wengert_nn.utils.stateless import _reparametrize_module as _reparametrize_module
from wengert_nn.utils.stateless import functional_call as functional_call

__all__ = [
    "_reparametrize_module", "functional_call"
]
