"""Drivers of views, of changes of geometry in place, and of the adjoints of views."""
