# Nothing for Python: an observer is installed by cimport, see observer_hooks.pxd.
