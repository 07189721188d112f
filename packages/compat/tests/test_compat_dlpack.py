"""wengert.utils.dlpack and wengert.to_dlpack, beside what PyTorch 2.13 does."""

import numpy as np
import pytest
import wengert as wg


def test_the_functions_are_the_same_under_both_names():
    assert wg.utils.dlpack.to_dlpack is wg.to_dlpack
    assert wg.utils.dlpack.from_dlpack is wg.from_dlpack


def test_a_capsule_shares_the_memory():
    x = wg.arange(3.0)
    y = wg.from_dlpack(wg.to_dlpack(x))
    y[0] = 9
    assert x.tolist() == [9.0, 1.0, 2.0]


@pytest.mark.parametrize("dtype", [wg.float64, wg.int32, wg.bool, wg.complex64, wg.bfloat16], ids=str)
def test_dtypes_are_kept(dtype):
    x = wg.ones(2, dtype=dtype)
    y = wg.from_dlpack(wg.to_dlpack(x))
    assert y.dtype is dtype
    assert y.equal(x)


def test_a_capsule_is_read_once():
    capsule = wg.to_dlpack(wg.ones(2))
    wg.from_dlpack(capsule)
    with pytest.raises(RuntimeError, match="can be consumed only once"):
        wg.from_dlpack(capsule)


def test_a_tensor_that_requires_a_gradient_gives_its_numbers():
    x = wg.ones(2, requires_grad=True)
    for tensor in (x, x * 2):
        y = wg.from_dlpack(wg.to_dlpack(tensor))
        assert y.tolist() == tensor.tolist()
        assert not y.requires_grad


@pytest.mark.parametrize("wrong", [3, None, np.ones(2)], ids=lambda x: type(x).__name__)
def test_only_tensors_give_capsules(wrong):
    with pytest.raises(TypeError, match=r"argument 'data' \(position 1\) must be Tensor, not " + type(wrong).__name__):
        wg.to_dlpack(wrong)


def test_the_tensor_is_the_only_argument():
    with pytest.raises(TypeError):
        wg.to_dlpack()
    with pytest.raises(TypeError):
        wg.to_dlpack(wg.ones(2), 1)
    with pytest.raises(TypeError):
        wg.to_dlpack(tensor=wg.ones(2))


def test_arrays_and_their_capsules_are_read():
    assert wg.utils.dlpack.from_dlpack(np.arange(3)).tolist() == [0, 1, 2]
    assert wg.utils.dlpack.from_dlpack(np.arange(3).__dlpack__()).tolist() == [0, 1, 2]


def test_types_of_devices_are_dlpacks():
    kinds = wg.utils.dlpack.DLDeviceType
    assert {kind.name: kind.value for kind in kinds} == {
        "kDLCPU": 1, "kDLCUDA": 2, "kDLCUDAHost": 3, "kDLOpenCL": 4, "kDLVulkan": 7, "kDLMetal": 8, "kDLVPI": 9,
        "kDLROCM": 10, "kDLROCMHost": 11, "kDLExtDev": 12, "kDLCUDAManaged": 13, "kDLOneAPI": 14, "kDLWebGPU": 15,
        "kDLHexagon": 16, "kDLMAIA": 17,
    }  # fmt: skip
    assert wg.ones(1).__dlpack_device__() == (kinds.kDLCPU, 0)
