"""Profiles of replays. See profiling.pyx."""
from wengert_replay.programs.stream cimport Stream

cdef char* run_profiled(Stream stream, list names, char* at, int* stop) except NULL
cdef list names_of_marks(Stream stream, steps)
