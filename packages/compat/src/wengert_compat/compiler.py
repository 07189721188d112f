"""wengert.compiler: what programs say to PyTorch's compiler, which wengert does not have.

>>> import wengert as wg
>>> wg.compiler.is_compiling()
False
"""

from wengert_compat.compiling import allow_in_graph, assume_constant_result, compile, disable, is_compiling, reset

__all__ = ["allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
           "is_compiling", "is_dynamo_compiling", "is_exporting", "reset"]


def is_dynamo_compiling() -> bool:
    """Return False: there is no TorchDynamo.

    >>> import wengert as wg
    >>> wg.compiler.is_dynamo_compiling()
    False
    """
    return False


def is_exporting() -> bool:
    """Return False: no function is being exported.

    >>> import wengert as wg
    >>> wg.compiler.is_exporting()
    False
    """
    return False


def cudagraph_mark_step_begin() -> None:
    """Do nothing: no CUDA graph holds memory of the step before.

    >>> import wengert as wg
    >>> wg.compiler.cudagraph_mark_step_begin()
    """
