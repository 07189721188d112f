"""Convolution layers; ``wengert_nn.modules.conv`` lists them."""
