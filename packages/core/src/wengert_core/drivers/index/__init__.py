"""Drivers of ops that read or write at positions: subscripts, gather, scatter, masks."""
