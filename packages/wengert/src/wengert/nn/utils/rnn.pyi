# Written by tools/generate/module_stubs.py.
from wengert_nn.utils.rnn import PackedSequence as PackedSequence
from wengert_nn.utils.rnn import invert_permutation as invert_permutation
from wengert_nn.utils.rnn import pack_padded_sequence as pack_padded_sequence
from wengert_nn.utils.rnn import pack_sequence as pack_sequence
from wengert_nn.utils.rnn import pad_packed_sequence as pad_packed_sequence
from wengert_nn.utils.rnn import pad_sequence as pad_sequence
from wengert_nn.utils.rnn import unpack_sequence as unpack_sequence
from wengert_nn.utils.rnn import unpad_sequence as unpad_sequence

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence",
    "pad_sequence", "unpack_sequence", "unpad_sequence"
]
