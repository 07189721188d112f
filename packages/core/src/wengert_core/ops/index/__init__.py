"""Rows of ops that read or write at positions: indexing, gather, scatter, embedding, searching."""
