"""Number types, their promotion, and Python numbers as operands."""
