"""Compiled classes and functions in hostile hands: a wrong self, None, objects whose fields were never set.

Everything is asked for in a process of its own: what it must not do is end that process.
"""

import subprocess
import sys

import pytest

LISTING = """
import copy, importlib, pickle, sys, warnings
import wengert
from wengert_core import _native as core
from wengert_engine import _native as engine
from wengert_formulas import _native as formulas
from wengert_numpy import _native as numpy_face
from wengert_sparse import _native as sparse
from wengert_replay import _native as replay

warnings.simplefilter("ignore")
OURS = {module.__package__: module.names() for module in (core, engine, formulas, numpy_face, sparse, replay)}
for name in sorted(set().union(*OURS.values())):
    importlib.import_module(name)
MODULES = [module for name, module in sorted(sys.modules.items()) if name.partition(".")[0] in OURS]
HEAP_TYPE = 1 << 9
CLASSES = sorted({value for module in MODULES for value in vars(module).values()
                  if isinstance(value, type) and not value.__flags__ & HEAP_TYPE
                  and value.__module__.startswith("wengert")},
                 key=lambda cls: (cls.__module__, cls.__name__))
NO_SELVES = (None, -1, 2**70, "x", b"x", [], {}, object(), type, 1.5)
IS_FUNCTION = "cython_function_or_method"
"""


def in_a_process(code):
    command = [sys.executable, "-X", "faulthandler", "-c", LISTING + code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def classes():
    names = in_a_process("print(*(f'{cls.__module__}.{cls.__name__}' for cls in CLASSES))").split()
    assert "wengert_core.Tensor" in names
    assert {"wengert_engine.graph.node.Node", "wengert_engine.record.node_attributes.SavedTensor"} <= set(names)
    return names


def test_methods_are_descriptors_which_check_self(classes):
    """Note [Compiled classes and hostile hands] in core's runtime/pyobject.pxd."""
    found = in_a_process("""
for cls in CLASSES:
    for name, value in vars(cls).items():
        if type(value).__name__ == IS_FUNCTION and value.__module__ == cls.__module__:
            print(f"{cls.__module__}.{cls.__name__}.{name}")
""").split()
    mounted = [name for name in found if not name.startswith("wengert_core.Tensor.")]
    assert mounted == []


def test_another_self_is_a_type_error(classes):
    """Methods, properties and operators of each class, called with what is no instance of it."""
    out = in_a_process("""
for cls in CLASSES:
    for name, value in sorted(vars(cls).items()):
        kind = type(value).__name__
        if kind not in ("method_descriptor", "getset_descriptor", "wrapper_descriptor", "member_descriptor"):
            continue
        for other in NO_SELVES:
            if isinstance(other, getattr(value, "__objclass__", cls)) or name in ("__doc__", "__dict__", "__weakref__"):
                continue
            try:
                if kind in ("getset_descriptor", "member_descriptor"):
                    if other is not None:               # None asks the descriptor for itself
                        value.__get__(other, cls)
                        print("no error:", cls.__name__, name, repr(other)[:20])
                else:
                    value(other)
                    print("no error:", cls.__name__, name, repr(other)[:20])
            except TypeError:
                pass
""")
    assert out.splitlines() == []


def test_objects_without_their_fields_are_not_to_be_had_or_harm_nobody(classes):
    in_a_process("""
for cls in CLASSES:
    try:
        half = cls.__new__(cls)
    except Exception as error:
        assert isinstance(error, (TypeError, RuntimeError)) and str(error), (cls, error)
        continue
    for name in dir(cls):
        try:
            value = getattr(half, name)
        except Exception:
            continue
        if callable(value) and name not in ("__class__", "__init_subclass__", "__subclasshook__", "__new__"):
            for arguments in ((), (None,), (half,), (None, None), (1, 2)):
                try:
                    value(*arguments)
                except Exception:
                    pass
    for use in (repr, str, hash, bool, len, iter, copy.copy, copy.deepcopy, pickle.dumps):
        try:
            use(half)
        except Exception:
            pass
""")


def test_none_is_no_argument_of_a_compiled_type():
    """Functions of compiled modules, internal ones too, with None and with a text for each of their parameters."""
    in_a_process("""
for module in MODULES:
    for name, value in sorted(vars(module).items()):
        if type(value).__name__ == IS_FUNCTION and value.__module__ == module.__name__:
            for n in range(7):
                for other in (None, "x"):
                    try:
                        value(*[other] * n)
                    except Exception:
                        pass
""")
