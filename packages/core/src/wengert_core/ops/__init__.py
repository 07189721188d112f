"""Core's op table, a room for each family; names over all families."""
