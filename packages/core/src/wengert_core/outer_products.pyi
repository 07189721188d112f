# Nothing for Python: reached by cimport, see outer_products.pxd.
