from wengert.comparing import assert_allclose as assert_allclose
from wengert.comparing import assert_close as assert_close
from wengert.making import make_tensor as make_tensor
