"""Core's operator table: one module for each family."""
from wengert_core.ops.table import TABLE
from wengert_core.ops import arithmetic
from wengert_core.ops import views
from wengert_core.ops import indexing
from wengert_core.ops import positions
from wengert_core.ops import factories
from wengert_core.ops import conversion
from wengert_core.ops import random
from wengert_core.ops import comparison
from wengert_core.ops import bitwise
from wengert_core.ops import rounding
from wengert_core.ops import exponential
from wengert_core.ops import trigonometric
from wengert_core.ops import activations
from wengert_core.ops import complex_parts
from wengert_core.ops import reductions
from wengert_core.ops import statistics
from wengert_core.ops import scans
from wengert_core.ops import sorting
from wengert_core.ops import view_gradients
from wengert_core.ops import matmul
from wengert_core.ops import joining
from wengert_core.ops import products
from wengert_core.ops import softmax
from wengert_core.ops import class_losses
from wengert_core.ops import losses
from wengert_core.ops import nn
from wengert_core.ops import layers
from wengert_core.ops import einsum
from wengert_core.ops import operators  # after all rows that an operator calls
from wengert_core.ops import hidden

__all__ = ["TABLE"]
