"""Core's operator table: one module for each family; ``whole`` has all rows."""
