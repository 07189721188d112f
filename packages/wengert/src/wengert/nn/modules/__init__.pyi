# Written by tools/generate/module_stubs.py.
from wengert.nn.modules import activation as activation
from wengert.nn.modules import adaptive as adaptive
from wengert.nn.modules import batchnorm as batchnorm
from wengert.nn.modules import channelshuffle as channelshuffle
from wengert.nn.modules import container as container
from wengert.nn.modules import conv as conv
from wengert.nn.modules import distance as distance
from wengert.nn.modules import dropout as dropout
from wengert.nn.modules import flatten as flatten
from wengert.nn.modules import fold as fold
from wengert.nn.modules import instancenorm as instancenorm
from wengert.nn.modules import lazy as lazy
from wengert.nn.modules import linear as linear
from wengert.nn.modules import loss as loss
from wengert.nn.modules import module as module
from wengert.nn.modules import normalization as normalization
from wengert.nn.modules import padding as padding
from wengert.nn.modules import pixelshuffle as pixelshuffle
from wengert.nn.modules import pooling as pooling
from wengert.nn.modules import rnn as rnn
from wengert.nn.modules import sparse as sparse
from wengert.nn.modules import transformer as transformer
from wengert.nn.modules import upsampling as upsampling
from wengert.nn.modules import utils as utils
from wengert_nn.activations.rectifiers import CELU as CELU
from wengert_nn.activations.rectifiers import ELU as ELU
from wengert_nn.activations.rectifiers import Hardtanh as Hardtanh
from wengert_nn.activations.rectifiers import LeakyReLU as LeakyReLU
from wengert_nn.activations.rectifiers import PReLU as PReLU
from wengert_nn.activations.rectifiers import RReLU as RReLU
from wengert_nn.activations.rectifiers import ReLU as ReLU
from wengert_nn.activations.rectifiers import ReLU6 as ReLU6
from wengert_nn.activations.rectifiers import SELU as SELU
from wengert_nn.activations.rectifiers import Threshold as Threshold
from wengert_nn.activations.smooth import GELU as GELU
from wengert_nn.activations.smooth import GLU as GLU
from wengert_nn.activations.smooth import Hardshrink as Hardshrink
from wengert_nn.activations.smooth import Hardsigmoid as Hardsigmoid
from wengert_nn.activations.smooth import Hardswish as Hardswish
from wengert_nn.activations.smooth import LogSigmoid as LogSigmoid
from wengert_nn.activations.smooth import Mish as Mish
from wengert_nn.activations.smooth import SiLU as SiLU
from wengert_nn.activations.smooth import Sigmoid as Sigmoid
from wengert_nn.activations.smooth import Softplus as Softplus
from wengert_nn.activations.smooth import Softshrink as Softshrink
from wengert_nn.activations.smooth import Softsign as Softsign
from wengert_nn.activations.smooth import Tanh as Tanh
from wengert_nn.activations.smooth import Tanhshrink as Tanhshrink
from wengert_nn.activations.softmax import LogSoftmax as LogSoftmax
from wengert_nn.activations.softmax import Softmax as Softmax
from wengert_nn.activations.softmax import Softmax2d as Softmax2d
from wengert_nn.activations.softmax import Softmin as Softmin
from wengert_nn.convolutions.forward import Conv1d as Conv1d
from wengert_nn.convolutions.forward import Conv2d as Conv2d
from wengert_nn.convolutions.forward import Conv3d as Conv3d
from wengert_nn.convolutions.lazy import LazyConv1d as LazyConv1d
from wengert_nn.convolutions.lazy import LazyConv2d as LazyConv2d
from wengert_nn.convolutions.lazy import LazyConv3d as LazyConv3d
from wengert_nn.convolutions.lazy import LazyConvTranspose1d as LazyConvTranspose1d
from wengert_nn.convolutions.lazy import LazyConvTranspose2d as LazyConvTranspose2d
from wengert_nn.convolutions.lazy import LazyConvTranspose3d as LazyConvTranspose3d
from wengert_nn.convolutions.transposed import ConvTranspose1d as ConvTranspose1d
from wengert_nn.convolutions.transposed import ConvTranspose2d as ConvTranspose2d
from wengert_nn.convolutions.transposed import ConvTranspose3d as ConvTranspose3d
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
from wengert_nn.modules.adaptive import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
from wengert_nn.modules.attention import MultiheadAttention as MultiheadAttention
from wengert_nn.modules.batchnorm import BatchNorm1d as BatchNorm1d
from wengert_nn.modules.batchnorm import BatchNorm2d as BatchNorm2d
from wengert_nn.modules.batchnorm import BatchNorm3d as BatchNorm3d
from wengert_nn.modules.batchnorm import LazyBatchNorm1d as LazyBatchNorm1d
from wengert_nn.modules.batchnorm import LazyBatchNorm2d as LazyBatchNorm2d
from wengert_nn.modules.batchnorm import LazyBatchNorm3d as LazyBatchNorm3d
from wengert_nn.modules.batchnorm import SyncBatchNorm as SyncBatchNorm
from wengert_nn.modules.channelshuffle import ChannelShuffle as ChannelShuffle
from wengert_nn.modules.container import Container as Container
from wengert_nn.modules.container import ModuleDict as ModuleDict
from wengert_nn.modules.container import ModuleList as ModuleList
from wengert_nn.modules.container import Sequential as Sequential
from wengert_nn.modules.distance import CosineSimilarity as CosineSimilarity
from wengert_nn.modules.distance import PairwiseDistance as PairwiseDistance
from wengert_nn.modules.dropout import AlphaDropout as AlphaDropout
from wengert_nn.modules.dropout import Dropout as Dropout
from wengert_nn.modules.dropout import Dropout1d as Dropout1d
from wengert_nn.modules.dropout import Dropout2d as Dropout2d
from wengert_nn.modules.dropout import Dropout3d as Dropout3d
from wengert_nn.modules.dropout import FeatureAlphaDropout as FeatureAlphaDropout
from wengert_nn.modules.flatten import Flatten as Flatten
from wengert_nn.modules.flatten import Unflatten as Unflatten
from wengert_nn.modules.fold import Fold as Fold
from wengert_nn.modules.fold import Unfold as Unfold
from wengert_nn.modules.instancenorm import InstanceNorm1d as InstanceNorm1d
from wengert_nn.modules.instancenorm import InstanceNorm2d as InstanceNorm2d
from wengert_nn.modules.instancenorm import InstanceNorm3d as InstanceNorm3d
from wengert_nn.modules.instancenorm import LazyInstanceNorm1d as LazyInstanceNorm1d
from wengert_nn.modules.instancenorm import LazyInstanceNorm2d as LazyInstanceNorm2d
from wengert_nn.modules.instancenorm import LazyInstanceNorm3d as LazyInstanceNorm3d
from wengert_nn.modules.linear import Bilinear as Bilinear
from wengert_nn.modules.linear import Identity as Identity
from wengert_nn.modules.linear import LazyLinear as LazyLinear
from wengert_nn.modules.linear import Linear as Linear
from wengert_nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions as LinearCrossEntropyOptions
from wengert_nn.modules.module import Module as Module
from wengert_nn.modules.normalization import CrossMapLRN2d as CrossMapLRN2d
from wengert_nn.modules.normalization import GroupNorm as GroupNorm
from wengert_nn.modules.normalization import LayerNorm as LayerNorm
from wengert_nn.modules.normalization import LocalResponseNorm as LocalResponseNorm
from wengert_nn.modules.normalization import RMSNorm as RMSNorm
from wengert_nn.modules.padding import CircularPad1d as CircularPad1d
from wengert_nn.modules.padding import CircularPad2d as CircularPad2d
from wengert_nn.modules.padding import CircularPad3d as CircularPad3d
from wengert_nn.modules.padding import ConstantPad1d as ConstantPad1d
from wengert_nn.modules.padding import ConstantPad2d as ConstantPad2d
from wengert_nn.modules.padding import ConstantPad3d as ConstantPad3d
from wengert_nn.modules.padding import ReflectionPad1d as ReflectionPad1d
from wengert_nn.modules.padding import ReflectionPad2d as ReflectionPad2d
from wengert_nn.modules.padding import ReflectionPad3d as ReflectionPad3d
from wengert_nn.modules.padding import ReplicationPad1d as ReplicationPad1d
from wengert_nn.modules.padding import ReplicationPad2d as ReplicationPad2d
from wengert_nn.modules.padding import ReplicationPad3d as ReplicationPad3d
from wengert_nn.modules.padding import ZeroPad1d as ZeroPad1d
from wengert_nn.modules.padding import ZeroPad2d as ZeroPad2d
from wengert_nn.modules.padding import ZeroPad3d as ZeroPad3d
from wengert_nn.modules.parameter_containers import ParameterDict as ParameterDict
from wengert_nn.modules.parameter_containers import ParameterList as ParameterList
from wengert_nn.modules.pixelshuffle import PixelShuffle as PixelShuffle
from wengert_nn.modules.pixelshuffle import PixelUnshuffle as PixelUnshuffle
from wengert_nn.modules.rnn import GRU as GRU
from wengert_nn.modules.rnn import LSTM as LSTM
from wengert_nn.modules.rnn import RNN as RNN
from wengert_nn.modules.rnn import RNNBase as RNNBase
from wengert_nn.modules.rnn_cells import GRUCell as GRUCell
from wengert_nn.modules.rnn_cells import LSTMCell as LSTMCell
from wengert_nn.modules.rnn_cells import RNNCell as RNNCell
from wengert_nn.modules.rnn_cells import RNNCellBase as RNNCellBase
from wengert_nn.modules.sparse import Embedding as Embedding
from wengert_nn.modules.sparse import EmbeddingBag as EmbeddingBag
from wengert_nn.modules.transformer import Transformer as Transformer
from wengert_nn.modules.transformer import TransformerDecoder as TransformerDecoder
from wengert_nn.modules.transformer import TransformerEncoder as TransformerEncoder
from wengert_nn.modules.transformer_layers import TransformerDecoderLayer as TransformerDecoderLayer
from wengert_nn.modules.transformer_layers import TransformerEncoderLayer as TransformerEncoderLayer
from wengert_nn.modules.upsampling import Upsample as Upsample
from wengert_nn.modules.upsampling import UpsamplingBilinear2d as UpsamplingBilinear2d
from wengert_nn.modules.upsampling import UpsamplingNearest2d as UpsamplingNearest2d
from wengert_nn.pools.adaptive import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from wengert_nn.pools.adaptive import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from wengert_nn.pools.adaptive import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from wengert_nn.pools.adaptive import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from wengert_nn.pools.adaptive import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from wengert_nn.pools.adaptive import AdaptiveMaxPool3d as AdaptiveMaxPool3d
from wengert_nn.pools.fractional import FractionalMaxPool2d as FractionalMaxPool2d
from wengert_nn.pools.fractional import FractionalMaxPool3d as FractionalMaxPool3d
from wengert_nn.pools.maximum import MaxPool1d as MaxPool1d
from wengert_nn.pools.maximum import MaxPool2d as MaxPool2d
from wengert_nn.pools.maximum import MaxPool3d as MaxPool3d
from wengert_nn.pools.maximum import MaxUnpool1d as MaxUnpool1d
from wengert_nn.pools.maximum import MaxUnpool2d as MaxUnpool2d
from wengert_nn.pools.maximum import MaxUnpool3d as MaxUnpool3d
from wengert_nn.pools.mean import AvgPool1d as AvgPool1d
from wengert_nn.pools.mean import AvgPool2d as AvgPool2d
from wengert_nn.pools.mean import AvgPool3d as AvgPool3d
from wengert_nn.pools.mean import LPPool1d as LPPool1d
from wengert_nn.pools.mean import LPPool2d as LPPool2d
from wengert_nn.pools.mean import LPPool3d as LPPool3d

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveLogSoftmaxWithLoss",
    "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AlphaDropout", "AvgPool1d", "AvgPool2d",
    "AvgPool3d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Bilinear", "CELU",
    "CTCLoss", "ChannelShuffle", "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d",
    "ConstantPad2d", "ConstantPad3d", "Container", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d",
    "ConvTranspose2d", "ConvTranspose3d", "CosineEmbeddingLoss", "CosineSimilarity", "CrossEntropyLoss",
    "CrossMapLRN2d", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "ELU", "Embedding", "EmbeddingBag",
    "FeatureAlphaDropout", "Flatten", "Fold", "FractionalMaxPool2d", "FractionalMaxPool3d", "GELU", "GLU", "GRU",
    "GRUCell", "GaussianNLLLoss", "GroupNorm", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh",
    "HingeEmbeddingLoss", "HuberLoss", "Identity", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d",
    "KLDivLoss", "L1Loss", "LPPool1d", "LPPool2d", "LPPool3d", "LSTM", "LSTMCell", "LayerNorm", "LazyBatchNorm1d",
    "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d",
    "LazyConvTranspose2d", "LazyConvTranspose3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d",
    "LazyLinear", "LeakyReLU", "Linear", "LinearCrossEntropyLoss", "LinearCrossEntropyOptions", "LocalResponseNorm",
    "LogSigmoid", "LogSoftmax", "MSELoss", "MarginRankingLoss", "MaxPool1d", "MaxPool2d", "MaxPool3d",
    "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "Mish", "Module", "ModuleDict", "ModuleList",
    "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "MultiheadAttention", "NLLLoss",
    "NLLLoss2d", "PReLU", "PairwiseDistance", "ParameterDict", "ParameterList", "PixelShuffle", "PixelUnshuffle",
    "PoissonNLLLoss", "RMSNorm", "RNN", "RNNBase", "RNNCell", "RNNCellBase", "RReLU", "ReLU", "ReLU6",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "SELU", "Sequential", "SiLU", "Sigmoid", "SmoothL1Loss", "SoftMarginLoss", "Softmax",
    "Softmax2d", "Softmin", "Softplus", "Softshrink", "Softsign", "SyncBatchNorm", "Tanh", "Tanhshrink",
    "Threshold", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer", "TripletMarginLoss", "TripletMarginWithDistanceLoss", "Unflatten", "Unfold",
    "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d"
]
