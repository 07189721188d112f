from typing import Final as Final

from wengert_compat.jit import annotate as annotate
from wengert_compat.jit import export as export
from wengert_compat.jit import ignore as ignore
from wengert_compat.jit import is_scripting as is_scripting
from wengert_compat.jit import is_tracing as is_tracing
from wengert_compat.jit import script as script
from wengert_compat.jit import script_if_tracing as script_if_tracing
from wengert_compat.jit import trace as trace
from wengert_compat.jit import unused as unused

__all__ = [
    "Final",
    "annotate",
    "export",
    "ignore",
    "is_scripting",
    "is_tracing",
    "script",
    "script_if_tracing",
    "trace",
    "unused",
]
