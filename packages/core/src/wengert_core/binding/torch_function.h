/* Not 0 once there has been a tensor of a subclass (bit 0), or a mode (bit 1), that is asked by __torch_function__:
   looked at by every call. In torch_function.pyx. */
#ifndef WENGERT_TORCH_FUNCTION_H
#define WENGERT_TORCH_FUNCTION_H
#include <Python.h>

extern __attribute__((visibility("hidden"))) unsigned int wengert_subclasses;

/* An object whose reference is given up to the caller. */
static inline PyObject *wengert_owned(PyObject *o) { return o; }
#endif
