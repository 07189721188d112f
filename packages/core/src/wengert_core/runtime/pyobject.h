/* What Cython has no words for: taking objects from a freelist, and the slots of a type it has made. */
#ifndef WENGERT_OBJECTS_H
#define WENGERT_OBJECTS_H
#include <Python.h>

#define WENGERT_FREELIST_SIZE 512

/* An object of exactly `type`: a kept one brought back to life, or a fresh one. Not tracked by the collector. */
static inline PyObject *wengert_take(PyObject **list, int *count, PyTypeObject *type) {
    if (*count > 0) {
        PyObject *o = list[--*count];
        _Py_NewReference(o);
        return o;
    }
    return (type->tp_flags & Py_TPFLAGS_HAVE_GC) ? (PyObject *)_PyObject_GC_New(type) : _PyObject_New(type);
}

/* The end of a tp_dealloc: keep the memory of an exact instance, free any other. */
static inline void wengert_keep(PyObject **list, int *count, PyTypeObject *type, PyObject *o) {
    if (Py_TYPE(o) == type && *count < WENGERT_FREELIST_SIZE) list[(*count)++] = o;
    else Py_TYPE(o)->tp_free(o);
}

static inline void wengert_clear_ref(PyObject **slot) {
    PyObject *old = *slot;
    if (old) { *slot = NULL; Py_DECREF(old); }
}

static inline PyObject **wengert_dict_slot(PyObject *o, PyTypeObject *base) {
    return (PyObject **)((char *)o + base->tp_dictoffset);
}

static inline void wengert_clear_weakrefs(PyObject *o, PyTypeObject *base) {
    PyObject **list = (PyObject **)((char *)o + base->tp_weaklistoffset);
    if (*list) PyObject_ClearWeakRefs(o);
}

static inline void wengert_null_slot(PyObject *o, Py_ssize_t offset) { *(PyObject **)((char *)o + offset) = NULL; }

static inline void wengert_set_dealloc(PyTypeObject *t, destructor d) { t->tp_dealloc = d; }
static inline void wengert_set_gc(PyTypeObject *t, traverseproc v, inquiry c) { t->tp_traverse = v; t->tp_clear = c; }
static inline void wengert_set_new(PyTypeObject *t, newfunc n) {
    t->tp_new = n;
    t->tp_vectorcall = NULL;   /* Cython's short way past tp_new */
}

/* Refuse instances made by hand, by `type()` and by `type.__new__(type)`: their fields would not be set. Code of the
   module that has the type makes them all the same: for `X.__new__(X)` Cython calls its own function, not the slot. A
   class may say in _REFUSAL, a pair, which exception is raised and why. */
static PyObject *wengert_refuse_new(PyTypeObject *t, PyObject *a, PyObject *k) {
    PyObject *refusal = PyObject_GetAttrString((PyObject *)t, "_REFUSAL");
    if (refusal != NULL && PyTuple_CheckExact(refusal) && PyTuple_GET_SIZE(refusal) == 2
        && PyExceptionClass_Check(PyTuple_GET_ITEM(refusal, 0))) {
        PyErr_SetObject(PyTuple_GET_ITEM(refusal, 0), PyTuple_GET_ITEM(refusal, 1));
    } else {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "cannot create '%s' instances: they are made by wengert alone", t->tp_name);
    }
    Py_XDECREF(refusal);
    return NULL;
}
static inline void wengert_not_made_by_hand(PyTypeObject *t) { wengert_set_new(t, wengert_refuse_new); }

/* Give instances of `type` a C call: `offset` is where each instance keeps its vectorcallfunc. */
static inline void wengert_set_vectorcall(PyTypeObject *t, Py_ssize_t offset, descrgetfunc get) {
    t->tp_vectorcall_offset = offset;
    t->tp_call = PyVectorcall_Call;
    t->tp_descr_get = get;
    t->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL | (get ? Py_TPFLAGS_METHOD_DESCRIPTOR : 0);
    PyType_Modified(t);
}

/* Add an attribute to an extension type, as the package that owns the type may. */
static inline int wengert_type_set(PyTypeObject *t, PyObject *name, PyObject *value) {
    if (PyDict_SetItem(t->tp_dict, name, value) < 0) return -1;
    PyType_Modified(t);
    return 0;
}
#endif
