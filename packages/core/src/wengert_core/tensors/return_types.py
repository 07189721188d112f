"""The types of results with several parts, by name: made when they are asked for, by ``named_tuple``.

>>> from wengert_core.tensors.return_types import aminmax
>>> aminmax([1, 2]).max
2
"""

from wengert_core.tensors.named_tuple import named_type, type_names

__getattr__, __dir__ = named_type, type_names
