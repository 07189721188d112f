# Written by tools/generate/module_stubs.py.

