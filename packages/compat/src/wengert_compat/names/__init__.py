"""Names of PyTorch that programs load: modules with other names of what is there, classes of what is not."""
