# Nothing for Python: walking an index along one dim is reached by cimport, see index_iterator.pxd.
