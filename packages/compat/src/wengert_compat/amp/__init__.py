"""wengert.amp: automatic mixed precision, by name as in PyTorch.

Inside of ``autocast`` matrix products and convolutions compute in bfloat16 or float16, and losses and what else needs
range or digits in float32. Gradients of leaves have the leaves' dtypes.

>>> import wengert as wg
>>> w = wg.ones(2, 2, requires_grad=True)
>>> with wg.autocast("cpu", dtype=wg.bfloat16):
...     y = w @ w
...     loss = wg.nn.functional.mse_loss(y, wg.zeros(2, 2))
>>> y.dtype, loss.dtype
(torch.bfloat16, torch.float32)
>>> loss.backward()
>>> w.grad.dtype
torch.float32
"""

from wengert_compat.amp.autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from wengert_compat.amp.grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
