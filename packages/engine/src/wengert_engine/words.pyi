# Nothing for Python: see words.pxd.
