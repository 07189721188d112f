# Nothing for Python: see argument_shapes.pxd.
