"""Functions of ``torch.nn.functional`` that are composed of wengert's operations, and masks of attention."""
