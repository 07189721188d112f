"""Losses; ``wengert_nn.modules.loss`` lists them."""
