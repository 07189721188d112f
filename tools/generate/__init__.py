"""Files and lists that are written from the op tables, and facts for authors of their documentation."""
