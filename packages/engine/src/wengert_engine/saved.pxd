"""Saved values: read with the checks that make a wrong gradient impossible."""
from wengert_engine.node cimport Node

cdef object saved_value(Node node, int index, bint create_graph)
cdef unsigned int versions_in(tuple values)       # the sum of the versions of the tensors among them
