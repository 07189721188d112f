# Nothing for Python: what an operation may read from memory it writes into is reached by cimport, see overlap.pxd.
