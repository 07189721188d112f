"""Recording: the node of an operation, the values that it saves, and how users and tools read them."""
