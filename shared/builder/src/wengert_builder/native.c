/* All compiled modules of a package in one shared object: one file to find, map and relocate, where there were dozens.

   wengert-builder compiles every module with a PyInit_ name of its own and writes modules.h: a line MODULE("full.name",
   PyInit_..., later) for each, after those it imports; BYTECODE("full.name", "file.py", "code as marshal writes it",
   later) for one that stays Python; and PACKAGE("full.name", "folder", "docstring") for each package below whose
   __init__.py holds nothing else: a file less to find for each. This module is their finder and loader: importing it
   puts it in front of sys.meta_path and loads the others, in an order in which none waits for another. The package's
   __init__ does it first. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <marshal.h>
#include <string.h>

#define MODULE(name, init, later) PyMODINIT_FUNC init(void);
#define BYTECODE(name, file, code, later)
#define PACKAGE(name, folder, doc)
#include "modules.h"
#undef MODULE
#undef BYTECODE

static const struct {
    const char *name;
    PyObject *(*init)(void); /* NULL: there is code */
    const char *file; /* beside this one */
    const char *code;
    Py_ssize_t size;
    int later;
} MODULES[] = {
#define MODULE(name, init, later) {name, init, NULL, NULL, 0, later},
#define BYTECODE(name, file, code, later) {name, NULL, file, code, sizeof(code) - 1, later},
#include "modules.h"
#undef MODULE
#undef BYTECODE
#undef PACKAGE
    {NULL, NULL, NULL, NULL, 0, 0}};

static const struct {
    const char *name, *folder, *doc; /* the folder: beside this file */
} PACKAGES[] = {
#define MODULE(name, init, later)
#define BYTECODE(name, file, code, later)
#define PACKAGE(name, folder, doc) {name, folder, doc},
#include "modules.h"
#undef MODULE
#undef BYTECODE
#undef PACKAGE
    {NULL, NULL, NULL}};

static PyObject *make_spec; /* importlib.machinery.ModuleSpec */
static PyObject *name_code; /* _imp._fix_co_filename */

static int index_of(PyObject *name) {
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    if (text == NULL) {
        PyErr_Clear();
        return -1;
    }
    if (strncmp(text, "wengert", 7) != 0) return -1;
    for (int i = 0; MODULES[i].name != NULL; i++) {
        if (strcmp(MODULES[i].name, text) == 0) return i;
    }
    return -1;
}

/* The path of something in the folder of this file. */
static PyObject *beside(PyObject *self, const char *name) {
    PyObject *file = PyObject_GetAttrString(self, "__file__");
    Py_ssize_t end = file == NULL ? -2 : PyUnicode_FindChar(file, '/', 0, PyUnicode_GetLength(file), -1);
    PyObject *folder = end < 0 ? NULL : PyUnicode_Substring(file, 0, end);
    PyObject *path = folder == NULL ? NULL : PyUnicode_FromFormat("%U/%s", folder, name);
    if (path == NULL && !PyErr_Occurred())
        PyErr_Format(PyExc_ImportError, "%R: no folder to look for %s in", file, name);
    Py_XDECREF(folder);
    Py_XDECREF(file);
    return path;
}

static PyObject *spec_of(PyObject *self, PyObject *name) {
    int i = index_of(name);
    PyObject *file = MODULES[i].file == NULL ? PyObject_GetAttrString(self, "__file__") : beside(self, MODULES[i].file);
    if (file == NULL) return NULL;
    PyObject *names = Py_BuildValue("(s)", "origin");
    PyObject *given[] = {name, self, file};
    PyObject *spec = names == NULL ? NULL : PyObject_Vectorcall(make_spec, given, 2, names);
    Py_XDECREF(names);
    Py_DECREF(file);
    if (spec != NULL && PyObject_SetAttrString(spec, "has_location", Py_True) < 0) Py_CLEAR(spec);
    return spec;
}

static int package_of(PyObject *name) {
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    if (text == NULL) PyErr_Clear();
    for (int i = 0; text != NULL && PACKAGES[i].name != NULL; i++) {
        if (strcmp(PACKAGES[i].name, text) == 0) return i;
    }
    return -1;
}

static PyObject *package_spec(PyObject *self, PyObject *name, int package) {
    PyObject *folder = beside(self, PACKAGES[package].folder), *spec = NULL, *places = NULL;
    PyObject *origin = folder == NULL ? NULL : PyUnicode_FromFormat("%U/__init__.py", folder);
    PyObject *names = origin == NULL ? NULL : Py_BuildValue("(ss)", "origin", "is_package");
    PyObject *given[] = {name, self, origin, Py_True};
    if (names != NULL) spec = PyObject_Vectorcall(make_spec, given, 2, names);
    if (spec != NULL) places = PyObject_GetAttrString(spec, "submodule_search_locations");
    if (spec != NULL &&
        (places == NULL || PyList_Append(places, folder) < 0 ||
         PyObject_SetAttrString(spec, "has_location", Py_True) < 0))
        Py_CLEAR(spec);
    Py_XDECREF(places);
    Py_XDECREF(names);
    Py_XDECREF(origin);
    Py_XDECREF(folder);
    return spec;
}

static PyObject *find_spec(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    if (n < 1) {
        PyErr_SetString(PyExc_TypeError, "find_spec(name, path=None, target=None) needs a name");
        return NULL;
    }
    if (index_of(args[0]) >= 0) return spec_of(self, args[0]);
    int i = package_of(args[0]);
    if (i < 0) Py_RETURN_NONE;
    return package_spec(self, args[0], i);
}

static int copy_attribute(PyObject *module, const char *name, PyObject *spec, const char *source) {
    PyObject *value = PyObject_GetAttrString(spec, source);
    int failed = PyModule_AddObjectRef(module, name, value);
    Py_XDECREF(value);
    return failed;
}

static PyObject *create_module(PyObject *self, PyObject *spec) {
    PyObject *name = PyObject_GetAttrString(spec, "name");
    if (name == NULL) return NULL;
    int i = index_of(name);
    int package = i < 0 ? package_of(name) : -1;
    if (package >= 0) {
        PyObject *module = PyModule_NewObject(name);
        if (module != NULL &&
            (PyModule_SetDocString(module, PACKAGES[package].doc) < 0 ||
             PyModule_AddObjectRef(module, "__loader__", self) < 0 ||
             copy_attribute(module, "__file__", spec, "origin") < 0 ||
             copy_attribute(module, "__package__", spec, "name") < 0 ||
             copy_attribute(module, "__path__", spec, "submodule_search_locations") < 0))
            Py_CLEAR(module);
        Py_DECREF(name);
        return module;
    }
    if (i < 0) {
        PyErr_Format(PyExc_ImportError, "%R is not one of the modules in this file", name);
        Py_DECREF(name);
        return NULL;
    }
    if (MODULES[i].code != NULL) {
        PyObject *module = PyModule_NewObject(name);
        Py_DECREF(name);
        if (module != NULL &&
            (PyModule_AddObjectRef(module, "__loader__", self) < 0 ||
             copy_attribute(module, "__file__", spec, "origin") < 0 ||
                               copy_attribute(module, "__package__", spec, "parent") < 0))
            Py_CLEAR(module);
        return module;
    }
    Py_DECREF(name);
    PyObject *definition = MODULES[i].init(); /* borrowed, by PEP 489 */
    return definition == NULL ? NULL : PyModule_FromDefAndSpec((PyModuleDef *)definition, spec);
}

static PyObject *run_bytecode(int i, PyObject *module) {
    PyObject *scope = PyModule_GetDict(module), *file = PyModule_GetFilenameObject(module), *result = NULL;
    PyObject *code = file == NULL ? NULL : PyMarshal_ReadObjectFromString(MODULES[i].code, MODULES[i].size);
    PyObject *given[] = {code, file}; /* tracebacks and debuggers find the lines */
    PyObject *named = code == NULL ? NULL : PyObject_Vectorcall(name_code, given, 2, NULL);
    if (named != NULL && PyDict_SetItemString(scope, "__builtins__", PyEval_GetBuiltins()) == 0)
        result = PyEval_EvalCode(code, scope, scope);
    Py_XDECREF(named);
    Py_XDECREF(code);
    Py_XDECREF(file);
    return result;
}

static PyObject *exec_module(PyObject *self, PyObject *module) {
    PyModuleDef *definition = PyModule_GetDef(module);
    if (definition == NULL && !PyErr_Occurred()) {
        PyObject *name = PyModule_GetNameObject(module);
        int i = name == NULL ? -1 : index_of(name);
        Py_XDECREF(name);
        if (i >= 0 && MODULES[i].code != NULL) return run_bytecode(i, module);
        if (name != NULL) Py_RETURN_NONE; /* a package: nothing to execute */
    }
    if (definition == NULL || PyModule_ExecDef(module, definition) < 0) return NULL;
    Py_RETURN_NONE;
}

/* Import a module or a package as importlib would, with a tenth of the work. */
static int load(PyObject *self, PyObject *name, PyObject *modules) {
    const char *text = PyUnicode_AsUTF8(name);
    const char *dot = text == NULL ? NULL : strrchr(text, '.');
    if (dot == NULL) return -1;
    PyObject *above = PyUnicode_FromStringAndSize(text, dot - text);
    PyObject *parent = above == NULL ? NULL : Py_XNewRef(PyDict_GetItemWithError(modules, above));
    if (parent == NULL && above != NULL && !PyErr_Occurred() && package_of(above) >= 0 &&
        load(self, above, modules) == 0)
        parent = Py_XNewRef(PyDict_GetItemWithError(modules, above));
    if (parent == NULL && above != NULL && !PyErr_Occurred()) parent = PyImport_Import(above);
    Py_XDECREF(above);
    if (parent == NULL) return -1;
    if (PyDict_GetItemWithError(modules, name) != NULL) { /* the parent has imported it */
        Py_DECREF(parent);
        return 0;
    }
    int package = package_of(name);
    PyObject *spec = package < 0 ? spec_of(self, name) : package_spec(self, name, package);
    PyObject *module = spec == NULL ? NULL : create_module(self, spec);
    PyObject *done = NULL;
    if (module != NULL && PyObject_SetAttrString(module, "__spec__", spec) == 0 &&
        PyDict_SetItem(modules, name, module) == 0) {
        done = exec_module(self, module);
        if (done == NULL) {
            PyObject *type, *value, *trace;
            PyErr_Fetch(&type, &value, &trace);
            if (PyDict_DelItem(modules, name) < 0) PyErr_Clear();
            PyErr_Restore(type, value, trace);
        } else if (PyObject_SetAttrString(parent, dot + 1, module) < 0) {
            Py_CLEAR(done);
        }
    }
    Py_XDECREF(done);
    Py_XDECREF(module);
    Py_XDECREF(spec);
    Py_DECREF(parent);
    return done == NULL ? -1 : 0;
}

/* The result of a call without arguments, as a number; -1: failed. */
static long called(PyObject *module, const char *name) {
    PyObject *result = PyObject_CallMethod(module, name, NULL);
    long number = result == NULL ? -1 : result == Py_None ? 0 : PyLong_AsLong(result);
    Py_XDECREF(result);
    return number;
}

/* What modules have made lives on. It becomes old unseen, or the next allocation would have the collector look through
   all of it. */
static int make_old(void) {
    PyObject *gc = PyImport_ImportModule("gc");
    if (gc == NULL) return -1;
    long frozen = called(gc, "get_freeze_count");
    if (frozen == 0 && called(gc, "freeze") == 0) called(gc, "unfreeze"); /* what the program has frozen stays so */
    Py_DECREF(gc);
    return PyErr_Occurred() ? -1 : 0;
}

/* Importing this module: be the first finder, and import the modules in this file, but for those marked to come
   later. */
static int execute(PyObject *self) {
    PyObject *finders = PySys_GetObject("meta_path");
    PyObject *machinery = PyImport_ImportModule("importlib.machinery");
    if (machinery == NULL) return -1;
    make_spec = PyObject_GetAttrString(machinery, "ModuleSpec");
    Py_DECREF(machinery);
    PyObject *imp = make_spec == NULL ? NULL : PyImport_ImportModule("_imp");
    if (imp != NULL) name_code = PyObject_GetAttrString(imp, "_fix_co_filename");
    Py_XDECREF(imp);
    if (name_code == NULL) return -1;
    if (finders == NULL) PyErr_SetString(PyExc_ImportError, "sys.meta_path is gone");
    if (finders == NULL || PyList_Insert(finders, 0, self) < 0) return -1;
    PyObject *modules = PyImport_GetModuleDict();
    int collecting = PyGC_Disable(); /* what modules make lives on: no garbage to look for */
    int failed = 0;
    for (int i = 0; MODULES[i].name != NULL && !failed; i++) {
        if (MODULES[i].later) continue;
        PyObject *name = PyUnicode_InternFromString(MODULES[i].name);
        failed = name == NULL || (PyDict_GetItemWithError(modules, name) == NULL && load(self, name, modules) < 0);
        Py_XDECREF(name);
    }
    if (collecting && !failed) failed = make_old() < 0;
    if (collecting) PyGC_Enable();
    return failed ? -1 : 0;
}

static PyObject *names(PyObject *self, PyObject *unused) {
    PyObject *all = PyList_New(0);
    for (int i = 0; all != NULL && MODULES[i].name != NULL; i++) {
        PyObject *name = PyUnicode_FromString(MODULES[i].name);
        if (name == NULL || PyList_Append(all, name) < 0) Py_CLEAR(all);
        Py_XDECREF(name);
    }
    return all;
}

static PyMethodDef METHODS[] = {
    {"find_spec", (PyCFunction)(void (*)(void))find_spec, METH_FASTCALL, "The spec of a module in this file, or None."},
    {"create_module", create_module, METH_O, "The module of a spec, not yet executed."},
    {"exec_module", exec_module, METH_O, "Execute a module."},
    {"names", names, METH_NOARGS, "The full names of the modules in this file."},
    {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, execute}, {0, NULL}};

static struct PyModuleDef DEFINITION = {
    PyModuleDef_HEAD_INIT, "_native", "The compiled modules of this package, in one file.", 0, METHODS, SLOTS,
    NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) {
    return PyModuleDef_Init(&DEFINITION);
}
