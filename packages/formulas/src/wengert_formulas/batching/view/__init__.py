"""Batching rules of views and of their adjoints."""
