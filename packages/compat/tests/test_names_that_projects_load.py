"""Names that public projects need to load: classes of what wengert does not have, and settings without effect."""

import pytest
import wengert as wg


def test_groups_of_tensors():
    """The answers are PyTorch 2.13's, whose groups are in no order."""
    group = wg.utils._foreach_utils._group_tensors_by_device_and_dtype
    a, b, c, cpu = wg.ones(2), wg.ones(3, dtype=wg.float64), wg.ones(4), wg.device("cpu")
    found = group([[a, b, c], [b, a, None], []], True)
    assert found[cpu, wg.float64] == ([[b], [a], []], [1])
    parts, numbers = found[cpu, wg.float32]
    assert [[id(one) for one in part] for part in parts] == [[id(a), id(c)], [id(b), id(None)], []]
    assert numbers == [0, 2]
    assert group([[a]]) == {(cpu, wg.float32): ([[a]], [])}
    for wrong, words in (([], "no list"), ([[]], "an empty one"), ([[a], [a, b]], r"got lists of \[1, 2\]"),
                         ([[a, None], [None, a]], "1-th Tensor is not")):  # fmt: skip
        with pytest.raises(RuntimeError, match=words):
            group(wrong)
    assert wg.utils._foreach_utils._has_foreach_support([a, None], cpu)
    assert not wg.utils._foreach_utils._has_foreach_support([wg.nn.Parameter(a)], cpu)


@pytest.mark.parametrize("name", ["Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "Transformer"])
def test_classes_of_the_tracer_have_no_instances(name):
    cls = getattr(wg.fx, name)
    assert not isinstance(wg.nn.Linear(1, 1), cls)
    with pytest.raises(RuntimeError, match=rf"fx\.{name}: wengert does not trace modules"):
        cls()


def test_tracing_is_an_error():
    with pytest.raises(RuntimeError, match=r"fx\.symbolic_trace: wengert does not trace modules"):
        wg.fx.symbolic_trace(wg.nn.Linear(1, 1))


def test_kernels_for_attention_are_settings():
    cuda, backend = wg.backends.cuda, wg.nn.attention.SDPBackend
    names = ["cudnn", "flash", "math", "mem_efficient"]

    def kernels():
        return [name for name in names if getattr(cuda, f"{name}_sdp_enabled")()]

    assert kernels() == names
    with wg.nn.attention.sdpa_kernel(backend.MATH):
        assert kernels() == ["math"]
        with wg.nn.attention.sdpa_kernel([backend.FLASH_ATTENTION, backend.CUDNN_ATTENTION], set_priority=True):
            assert kernels() == ["cudnn", "flash"]
        cuda.enable_flash_sdp(True)
        assert kernels() == ["flash", "math"]
    assert kernels() == names


def test_a_setting_that_is_no_kernel():
    with pytest.raises(AssertionError, match=r"Backend must be an instance of SDPBackend or a list"), \
            wg.nn.attention.sdpa_kernel(3):  # fmt: skip
        pass


def test_settings_come_back_behind_an_error():
    with pytest.raises(ValueError, match="in the block"), wg.nn.attention.sdpa_kernel([]):
        raise ValueError("in the block")
    assert wg.backends.cuda.math_sdp_enabled()


def test_assert_as_a_function():
    wg._assert(True, "never")
    with pytest.raises(AssertionError, match="no such size"):
        wg._assert(False, "no such size")


def test_function_modes_are_told():
    assert not wg._C._is_torch_function_mode_enabled()
    with wg.overrides.TorchFunctionMode():
        assert wg._C._is_torch_function_mode_enabled()


def test_modules_by_import():
    assert all(getattr(wg.functional, name) is getattr(wg, name) for name in wg.functional.__all__)
    assert isinstance(2, wg.types.Number)
    assert not isinstance("2", wg.types.Number)
    assert wg.fx.node.Node is wg.fx.Node
