"""Slots of compiled classes, set as Cython has no words for; the C is in pyobject.h.

Note [Compiled classes and hostile hands]
    CPython checks ``self`` of a method of a compiled class only where the method is a method descriptor: every
    ``cdef class`` stands under ``@cython.binding(False)``. Parameters of a type are never None unless they say
    ``or None`` or have None as their default: ``allow_none_for_extension_args`` is off in the build. An object whose
    fields are set after ``__new__`` is not to be had from outside: its class is ``not_made_by_hand``, or takes its
    arguments in ``__cinit__``. tests/test_compiled_classes.py asks every class.
"""
from cpython.object cimport PyTypeObject

cdef extern from "wengert_core/runtime/pyobject.h":
    void not_made_by_hand "wengert_not_made_by_hand"(PyTypeObject* t) noexcept
