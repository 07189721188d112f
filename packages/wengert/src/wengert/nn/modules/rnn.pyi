# Written by tools/generate/module_stubs.py.
from wengert_nn.modules.rnn import GRU as GRU
from wengert_nn.modules.rnn import LSTM as LSTM
from wengert_nn.modules.rnn import RNN as RNN
from wengert_nn.modules.rnn import RNNBase as RNNBase
from wengert_nn.modules.rnn import apply_permutation as apply_permutation
from wengert_nn.modules.rnn_cells import GRUCell as GRUCell
from wengert_nn.modules.rnn_cells import LSTMCell as LSTMCell
from wengert_nn.modules.rnn_cells import RNNCell as RNNCell
from wengert_nn.modules.rnn_cells import RNNCellBase as RNNCellBase

__all__ = [
    "GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase", "apply_permutation"
]
