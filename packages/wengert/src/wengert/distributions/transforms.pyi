# Written by tools/generate/module_stubs.py.
from wengert_distributions.transforms import identity_transform as identity_transform
from wengert_distributions.transforms.base import Transform as Transform
from wengert_distributions.transforms.base import _InverseTransform as _InverseTransform
from wengert_distributions.transforms.composite import ComposeTransform as ComposeTransform
from wengert_distributions.transforms.composite import IndependentTransform as IndependentTransform
from wengert_distributions.transforms.composite import ReshapeTransform as ReshapeTransform
from wengert_distributions.transforms.matrix import CorrCholeskyTransform as CorrCholeskyTransform
from wengert_distributions.transforms.matrix import LowerCholeskyTransform as LowerCholeskyTransform
from wengert_distributions.transforms.matrix import PositiveDefiniteTransform as PositiveDefiniteTransform
from wengert_distributions.transforms.partwise import CatTransform as CatTransform
from wengert_distributions.transforms.partwise import CumulativeDistributionTransform as CumulativeDistributionTransform
from wengert_distributions.transforms.partwise import StackTransform as StackTransform
from wengert_distributions.transforms.pointwise import AbsTransform as AbsTransform
from wengert_distributions.transforms.pointwise import AffineTransform as AffineTransform
from wengert_distributions.transforms.pointwise import ExpTransform as ExpTransform
from wengert_distributions.transforms.pointwise import PowerTransform as PowerTransform
from wengert_distributions.transforms.pointwise import SigmoidTransform as SigmoidTransform
from wengert_distributions.transforms.pointwise import SoftplusTransform as SoftplusTransform
from wengert_distributions.transforms.pointwise import TanhTransform as TanhTransform
from wengert_distributions.transforms.simplex import SoftmaxTransform as SoftmaxTransform
from wengert_distributions.transforms.simplex import StickBreakingTransform as StickBreakingTransform

__all__ = [
    "AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
    "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform",
    "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform",
    "SoftplusTransform", "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform",
    "_InverseTransform", "identity_transform"
]
