"""Interface of programs: profile, record_function, emit_nvtx, the command line."""
