"""Kinds of rows that an op table can have: one module for each family of drivers."""
