"""Functions as attributes of classes, for what is called as a method and meant as a function.

Note [Attributes of classes]
    ``class Layer: activation = wengert.tanh`` makes ``Layer().activation(x)`` a call of tanh with the layer in front:
    an op is a method of Tensor as well, so access on an instance binds it. In PyTorch compiled functions do not bind:
    the call is ``tanh(x)``. So a call that has failed is made once more without its first argument, if the class of
    this has the function among its attributes. Functions that PyTorch writes in Python (python_functions.py) do bind.
"""
from cpython.ref cimport PyObject


cdef extern from *:
    """
    /* Runs no Python: an exception may be set. */
    static int wengert_has_attribute(PyObject *instance, PyObject *value) {
        PyObject *mro = Py_TYPE(instance)->tp_mro, *key, *found;
        for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
            PyObject *names = ((PyTypeObject *)PyTuple_GET_ITEM(mro, i))->tp_dict;
            Py_ssize_t at = 0;
            while (names && PyDict_Next(names, &at, &key, &found))
                if (found == value) return 1;
        }
        return 0;
    }
    """
    bint has_attribute "wengert_has_attribute"(PyObject* instance, PyObject* value) noexcept
