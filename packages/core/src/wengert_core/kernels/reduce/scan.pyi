# Nothing for Python: cumulative sums and products is reached by cimport, see scan.pxd.
