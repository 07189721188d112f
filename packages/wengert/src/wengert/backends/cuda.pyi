from wengert_compat.backends.cuda import cudnn_sdp_enabled as cudnn_sdp_enabled
from wengert_compat.backends.cuda import enable_cudnn_sdp as enable_cudnn_sdp
from wengert_compat.backends.cuda import enable_flash_sdp as enable_flash_sdp
from wengert_compat.backends.cuda import enable_math_sdp as enable_math_sdp
from wengert_compat.backends.cuda import enable_mem_efficient_sdp as enable_mem_efficient_sdp
from wengert_compat.backends.cuda import flash_sdp_enabled as flash_sdp_enabled
from wengert_compat.backends.cuda import is_built as is_built
from wengert_compat.backends.cuda import math_sdp_enabled as math_sdp_enabled
from wengert_compat.backends.cuda import matmul as matmul
from wengert_compat.backends.cuda import mem_efficient_sdp_enabled as mem_efficient_sdp_enabled

__all__ = [
    "cudnn_sdp_enabled", "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp",
    "flash_sdp_enabled", "is_built", "math_sdp_enabled", "matmul", "mem_efficient_sdp_enabled",
]
