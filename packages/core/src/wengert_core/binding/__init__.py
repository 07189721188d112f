"""The binding of a call's arguments: schemas, names of arguments, the check of ``self``, ``__torch_function__``."""
