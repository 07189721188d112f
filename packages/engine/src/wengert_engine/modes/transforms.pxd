"""Transforms of functions: what other modules ask of them."""

cdef int running_transforms() noexcept                     # how many transforms of functions run in this thread
