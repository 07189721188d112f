"""Error messages of the engine and of vmap, one function each."""
