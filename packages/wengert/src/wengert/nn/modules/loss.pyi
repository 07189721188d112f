# Written by tools/generate/module_stubs.py.
from wengert_nn.losses.base import _Loss as _Loss
from wengert_nn.losses.base import _WeightedLoss as _WeightedLoss
from wengert_nn.losses.classification import BCELoss as BCELoss
from wengert_nn.losses.classification import BCEWithLogitsLoss as BCEWithLogitsLoss
from wengert_nn.losses.classification import CTCLoss as CTCLoss
from wengert_nn.losses.classification import CrossEntropyLoss as CrossEntropyLoss
from wengert_nn.losses.classification import LinearCrossEntropyLoss as LinearCrossEntropyLoss
from wengert_nn.losses.classification import NLLLoss as NLLLoss
from wengert_nn.losses.classification import NLLLoss2d as NLLLoss2d
from wengert_nn.losses.margins import CosineEmbeddingLoss as CosineEmbeddingLoss
from wengert_nn.losses.margins import HingeEmbeddingLoss as HingeEmbeddingLoss
from wengert_nn.losses.margins import MarginRankingLoss as MarginRankingLoss
from wengert_nn.losses.margins import MultiLabelMarginLoss as MultiLabelMarginLoss
from wengert_nn.losses.margins import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from wengert_nn.losses.margins import MultiMarginLoss as MultiMarginLoss
from wengert_nn.losses.margins import SoftMarginLoss as SoftMarginLoss
from wengert_nn.losses.margins import TripletMarginLoss as TripletMarginLoss
from wengert_nn.losses.margins import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from wengert_nn.losses.regression import GaussianNLLLoss as GaussianNLLLoss
from wengert_nn.losses.regression import HuberLoss as HuberLoss
from wengert_nn.losses.regression import KLDivLoss as KLDivLoss
from wengert_nn.losses.regression import L1Loss as L1Loss
from wengert_nn.losses.regression import MSELoss as MSELoss
from wengert_nn.losses.regression import PoissonNLLLoss as PoissonNLLLoss
from wengert_nn.losses.regression import SmoothL1Loss as SmoothL1Loss

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss",
    "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "LinearCrossEntropyLoss", "MSELoss",
    "MarginRankingLoss", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss",
    "NLLLoss2d", "PoissonNLLLoss", "SmoothL1Loss", "SoftMarginLoss", "TripletMarginLoss",
    "TripletMarginWithDistanceLoss", "_Loss", "_WeightedLoss"
]
