# Nothing for Python: running one inner loop over n dims is reached by cimport, see stretches.pxd.
