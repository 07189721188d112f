"""wengert-graph: the recorded graph walked, drawn, weighed and explained, and checkpointing.

Its names are mounted where torch's users look for them: ``wengert.autograd.graph`` and ``wengert.utils.checkpoint``.
"""

__version__ = "0.1.0"
