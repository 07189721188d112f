from wengert_compat.compiler import allow_in_graph as allow_in_graph
from wengert_compat.compiler import assume_constant_result as assume_constant_result
from wengert_compat.compiler import compile as compile
from wengert_compat.compiler import cudagraph_mark_step_begin as cudagraph_mark_step_begin
from wengert_compat.compiler import disable as disable
from wengert_compat.compiler import is_compiling as is_compiling
from wengert_compat.compiler import is_dynamo_compiling as is_dynamo_compiling
from wengert_compat.compiler import is_exporting as is_exporting
from wengert_compat.compiler import reset as reset

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "reset",
]
