from wengert_graph.overloads import OpNamespace as OpNamespace
from wengert_graph.overloads import OpOverload as OpOverload
from wengert_graph.overloads import OpOverloadPacket as OpOverloadPacket
from wengert_graph.overloads import aten as aten

__all__ = ["aten"]
