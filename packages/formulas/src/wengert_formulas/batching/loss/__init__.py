"""Batching rules of losses."""
