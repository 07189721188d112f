"""wengert-cuda: NVIDIA's GPUs as devices of wengert, by CuPy, which is imported when a device is asked for."""

from wengert_cuda.device import CudaDevice

__version__ = "0.1.0"

__all__ = ["CudaDevice"]
