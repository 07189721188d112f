"""Saved values: read with the checks that make a wrong gradient impossible."""
from wengert_engine.node cimport Node

cdef object saved_value(Node node, int index, bint create_graph)
