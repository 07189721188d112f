"""The rows that an operator table can have: one module for each family."""
