# Written by tools/generate/module_stubs.py.
from wengert_nn.utils.convert_parameters import parameters_to_vector as parameters_to_vector
from wengert_nn.utils.convert_parameters import vector_to_parameters as vector_to_parameters

__all__ = [
    "parameters_to_vector", "vector_to_parameters"
]
