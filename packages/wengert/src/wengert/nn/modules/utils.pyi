# Written by tools/generate/module_stubs.py.
from wengert_nn.base.utils import _list_with_default as _list_with_default
from wengert_nn.base.utils import _ntuple as _ntuple
from wengert_nn.base.utils import _pair as _pair
from wengert_nn.base.utils import _quadruple as _quadruple
from wengert_nn.base.utils import _reverse_repeat_tuple as _reverse_repeat_tuple
from wengert_nn.base.utils import _single as _single
from wengert_nn.base.utils import _triple as _triple
from wengert_nn.base.utils import consume_prefix_in_state_dict_if_present as consume_prefix_in_state_dict_if_present

__all__ = [
    "_list_with_default", "_ntuple", "_pair", "_quadruple", "_reverse_repeat_tuple", "_single", "_triple",
    "consume_prefix_in_state_dict_if_present"
]
