"""Rows of views, of copies of views and of their adjoints."""
