/* ElementCount: an int that is called as a method of the tensor that it was asked of.

Note [An int that is a method]
    ``t.size`` is the number of elements, as of NumPy's arrays and in the array API standard, and ``t.size()`` the
    shape, as of PyTorch's tensors. So the attribute is an int that can be called. A call ``t.size()`` makes none: the
    type of the method says (Py_TPFLAGS_METHOD_DESCRIPTOR) that CPython may call it with the tensor at once.
    An int has its digits at its end, so that a subclass cannot have fields there; the fields of this one lie behind
    more digits than a size has.
*/
#ifndef WENGERT_ELEMENT_COUNT_H
#define WENGERT_ELEMENT_COUNT_H

#include <Python.h>

#define WENGERT_COUNT_DIGITS 6          /* of 15 or 30 bits, for 63 bits and alignment */

typedef struct {
    PyLongObject number;
    digit digits[WENGERT_COUNT_DIGITS]; /* the first is the last of `number` */
    PyObject *method;                   /* owned, as the next */
    PyObject *instance;
} wengert_element_count;

#define WENGERT_COUNT(o) ((wengert_element_count *)(o))

static int wengert_count_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(WENGERT_COUNT(self)->method);
    Py_VISIT(WENGERT_COUNT(self)->instance);
    return 0;
}

static int wengert_count_clear(PyObject *self) {
    Py_CLEAR(WENGERT_COUNT(self)->method);
    Py_CLEAR(WENGERT_COUNT(self)->instance);
    return 0;
}

static void wengert_count_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    wengert_count_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *wengert_count_call(PyObject *self, PyObject *args, PyObject *kwargs) {
    Py_ssize_t n = PyTuple_GET_SIZE(args), i;
    PyObject *all, *result;
    if (!WENGERT_COUNT(self)->method) { /* the garbage collector has been here */
        PyErr_SetString(PyExc_ReferenceError, "size: the tensor is gone");
        return NULL;
    }
    if (!(all = PyTuple_New(n + 1))) return NULL;
    PyTuple_SET_ITEM(all, 0, Py_NewRef(WENGERT_COUNT(self)->instance));
    for (i = 0; i < n; i++) PyTuple_SET_ITEM(all, i + 1, Py_NewRef(PyTuple_GET_ITEM(args, i)));
    result = PyObject_Call(WENGERT_COUNT(self)->method, all, kwargs);
    Py_DECREF(all);
    return result;
}

static PyObject *wengert_count_reduce(PyObject *self, PyObject *protocol) {
    (void)protocol;
    return Py_BuildValue("O(n)", &PyLong_Type, PyLong_AsSsize_t(self));
}

static PyMethodDef wengert_count_methods[] = {
    {"__reduce_ex__", wengert_count_reduce, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot wengert_count_slots[] = {
    {Py_tp_dealloc, (void *)wengert_count_dealloc},
    {Py_tp_traverse, (void *)wengert_count_traverse},
    {Py_tp_clear, (void *)wengert_count_clear},
    {Py_tp_call, (void *)wengert_count_call},
    {Py_tp_methods, wengert_count_methods},
    {Py_tp_doc, "Number of elements; called, the sizes of a tensor, or the size of one dim."},
    {0, NULL},
};
static PyType_Spec wengert_count_spec = {
    "wengert_core.ElementCount", 0, 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    wengert_count_slots,
};

static PyObject *wengert_count_type(void) {
    return PyType_FromSpecWithBases(&wengert_count_spec, (PyObject *)&PyLong_Type);
}

static PyObject *wengert_count_new(PyTypeObject *type, Py_ssize_t count, PyObject *method, PyObject *instance) {
    Py_ssize_t items = ((Py_ssize_t)sizeof(wengert_element_count) - type->tp_basicsize) / type->tp_itemsize, n = 0;
    PyObject *made = type->tp_alloc(type, items + 1);
    digit *digits;
    if (!made) return NULL;
#if PY_VERSION_HEX >= 0x030C0000
    digits = ((PyLongObject *)made)->long_value.ob_digit;
#else
    digits = ((PyLongObject *)made)->ob_digit;
#endif
    for (; count; count >>= PyLong_SHIFT) digits[n++] = (digit)(count & PyLong_MASK);
#if PY_VERSION_HEX >= 0x030C0000
    ((PyLongObject *)made)->long_value.lv_tag = n ? (uintptr_t)n << 3 : 1; /* 1: zero; sign bits 0: positive */
#else
    Py_SET_SIZE(made, n);
#endif
    WENGERT_COUNT(made)->method = Py_NewRef(method);
    WENGERT_COUNT(made)->instance = Py_NewRef(instance);
    return made;
}

#endif
