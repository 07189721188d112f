"""Parts of class Optimizer: hyperparameters, hooks around steps, checkpoints, and PyTorch's names beside the class."""
