"""Questions to PyTorch and to wengert alike, and the comparison of the answers.

Only `sample_table` needs wengert; nothing here needs PyTorch.

The recorders of `tools/record` and the tests of this directory import it.
"""
