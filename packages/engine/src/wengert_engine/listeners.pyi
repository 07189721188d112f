# Nothing for Python: see listeners.pxd.
