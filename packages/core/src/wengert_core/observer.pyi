# Nothing for Python: an observer is installed by cimport, see observer.pxd.
