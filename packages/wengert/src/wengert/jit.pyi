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
from wengert_compat.jit_modules import Future as Future
from wengert_compat.jit_modules import ScriptFunction as ScriptFunction
from wengert_compat.jit_modules import ScriptModule as ScriptModule
from wengert_compat.jit_modules import TracerWarning as TracerWarning
from wengert_compat.jit_modules import fork as fork
from wengert_compat.jit_modules import trace_module as trace_module
from wengert_compat.jit_modules import wait as wait

__all__ = [
    "Final", "Future", "ScriptFunction", "ScriptModule", "TracerWarning",
    "annotate",
    "export", "fork",
    "ignore",
    "is_scripting",
    "is_tracing",
    "script",
    "script_if_tracing",
    "trace", "trace_module",
    "unused", "wait",
]
