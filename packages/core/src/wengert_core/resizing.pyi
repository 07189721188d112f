# Nothing for Python: resize_ and out= are reached by calling operations, see resizing.pxd.
