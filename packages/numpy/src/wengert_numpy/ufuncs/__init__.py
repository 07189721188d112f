"""Ufuncs of NumPy and SciPy: which op each is, the dtypes of its loops, and its methods."""
