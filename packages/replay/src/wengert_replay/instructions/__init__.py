"""Parts of a stream: the marks of its operations, and the plans of launches that are instructions; turns of threads."""
