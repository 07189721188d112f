"""Figures of wengert-distributed on one machine, beside mpi4py and PyTorch with gloo, and a model of more ranks.

``python -m tools.scaling --torch /path/to/python/with/torch --page`` measures all and writes the page.
"""
