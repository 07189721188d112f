"""Pooling layers; ``wengert_nn.modules.pooling`` lists them."""
