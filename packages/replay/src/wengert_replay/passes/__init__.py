"""Which launches run, in which order, which of them together in blocks, and where small values lie."""
