"""Random programs as text, run with wengert and with PyTorch: see tools/differential.py."""
