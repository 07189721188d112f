"""The operations of a program as rows, which are printed, compared and saved; tables of numbers for them."""
