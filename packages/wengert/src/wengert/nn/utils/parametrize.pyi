# Written by tools/generate/module_stubs.py.
from wengert_nn.utils.parametrize import ParametrizationList as ParametrizationList
from wengert_nn.utils.parametrize import cached as cached
from wengert_nn.utils.parametrize import is_parametrized as is_parametrized
from wengert_nn.utils.parametrize import register_parametrization as register_parametrization
from wengert_nn.utils.parametrize import remove_parametrizations as remove_parametrizations
from wengert_nn.utils.parametrize import transfer_parametrizations_and_params as transfer_parametrizations_and_params
from wengert_nn.utils.parametrized_class import type_before_parametrizations as type_before_parametrizations

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
    "transfer_parametrizations_and_params", "type_before_parametrizations"
]
