# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.container import Container as Container
from wengert_nn.modules.container import ModuleDict as ModuleDict
from wengert_nn.modules.container import ModuleList as ModuleList
from wengert_nn.modules.container import Sequential as Sequential
from wengert_nn.modules.parameter_containers import ParameterDict as ParameterDict
from wengert_nn.modules.parameter_containers import ParameterList as ParameterList

__all__ = [
    "Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"
]
