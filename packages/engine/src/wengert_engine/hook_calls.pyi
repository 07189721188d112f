# Nothing for Python: reached by cimport, see hook_calls.pxd.
