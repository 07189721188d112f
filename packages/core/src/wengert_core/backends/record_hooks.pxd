cdef void wrap_hooks() noexcept                     # put the usual modes around the engine's hooks
