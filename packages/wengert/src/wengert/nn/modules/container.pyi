# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.container import Container as Container
from wengert_nn.modules.container import ModuleDict as ModuleDict
from wengert_nn.modules.container import ModuleList as ModuleList
from wengert_nn.modules.container import ParameterDict as ParameterDict
from wengert_nn.modules.container import ParameterList as ParameterList
from wengert_nn.modules.container import Sequential as Sequential
