# Nothing for Python: the steps that all drivers share are reached by cimport, see driving.pxd.
