"""Activation layers; ``wengert_nn.modules.activation`` lists them."""
