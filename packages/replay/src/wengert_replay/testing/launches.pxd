"""Launches of tests, made of words. See launches.pyx."""
from wengert_core.extend cimport Launch

cdef int make_launch(Launch* launch, char* memory, tuple words) except -1
