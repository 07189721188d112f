"""Attention and transformers against the formulas, and what masks promise."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert import nn


def numbers(*shape: int, shift: float = 0.0) -> Any:
    """float64 numbers between -1 and 1, no two of which are the same."""
    count = 1
    for size in shape:
        count *= size
    return (wg.arange(count, dtype=wg.float64) * 0.7 + shift).sin().reshape(shape)


def fill(module: Any) -> Any:
    """A module with parameters from a formula."""
    with wg.no_grad():
        for number, parameter in enumerate(module.parameters()):
            parameter.copy_(numbers(*parameter.shape, shift=number) * 0.5)
    return module


def attention(*args: Any, **options: Any) -> Any:
    return fill(nn.MultiheadAttention(*args, dtype=wg.float64, **options))


def encoder_layer(**options: Any) -> Any:
    return fill(nn.TransformerEncoderLayer(4, 2, 6, 0.0, batch_first=True, dtype=wg.float64, **options))


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 3), st.sampled_from([1, 2, 4]), st.integers(1, 4), st.integers(1, 4))
def test_attention_is_its_formula(batch: int, heads: int, queries: int, keys: int) -> None:
    module = attention(4, heads, batch_first=True)
    q, k, v = numbers(batch, queries, 4), numbers(batch, keys, 4, shift=1), numbers(batch, keys, 4, shift=2)
    output, weights = module(q, k, v, average_attn_weights=False)
    size = 4 // heads
    parts = [
        (x @ w.T + b).reshape(batch, -1, heads, size).transpose(1, 2)
        for x, w, b in zip((q, k, v), module.in_proj_weight.chunk(3), module.in_proj_bias.chunk(3), strict=True)
    ]
    expected = (parts[0] @ parts[1].transpose(2, 3) / math.sqrt(size)).softmax(-1)
    mixed = (expected @ parts[2]).transpose(1, 2).reshape(batch, queries, 4)
    wg.testing.assert_close(weights, expected)
    wg.testing.assert_close(output, mixed @ module.out_proj.weight.T + module.out_proj.bias)


@pytest.mark.parametrize("options", [
    {}, {"bias": False}, {"add_bias_kv": True, "add_zero_attn": True}, {"kdim": 3, "vdim": 2},
])  # fmt: skip
def test_derivatives_of_attention(options: dict[str, Any]) -> None:
    module = attention(4, 2, **options)
    names = [name for name, _ in module.named_parameters()]

    def call(q: Any, k: Any, v: Any, *parameters: Any) -> Any:
        return wg.func.functional_call(module, dict(zip(names, parameters, strict=True)), (q, k, v))

    inputs = numbers(2, 1, 4), numbers(3, 1, module.kdim, shift=1), numbers(3, 1, module.vdim, shift=2)
    arguments = [one.detach().clone().requires_grad_() for one in (*inputs, *module.parameters())]
    assert wg.autograd.gradcheck(call, arguments, fast_mode=True, check_forward_ad=True)
    assert wg.autograd.gradgradcheck(call, arguments, fast_mode=True)


def test_weights_are_the_same_with_and_without_being_asked_for() -> None:
    module, x = attention(4, 2), numbers(3, 2, 4)
    mask = nn.Transformer.generate_square_subsequent_mask(3, dtype=wg.float64)
    with_weights, weights = module(x, x, x, attn_mask=mask)
    without, nothing = module(x, x, x, attn_mask=mask, need_weights=False, is_causal=True)
    wg.testing.assert_close(with_weights, without)
    assert nothing is None
    assert weights.triu(1).abs().max() == 0
    wg.testing.assert_close(weights.sum(-1), wg.ones(2, 3, dtype=wg.float64))


def test_padding_is_not_seen() -> None:
    module, x = attention(4, 2, batch_first=True), numbers(1, 4, 4)
    padding = wg.tensor([[False, False, True, True]])
    masked, _ = module(x, x, x, key_padding_mask=padding)
    short, _ = module(x, x[:, :2], x[:, :2])
    wg.testing.assert_close(masked, short)


@pytest.mark.parametrize("make", [encoder_layer, lambda: nn.TransformerEncoder(encoder_layer(), 2)])
def test_a_causal_mask_hides_the_future(make: Any) -> None:
    module, x = make(), numbers(1, 4, 4).requires_grad_()
    mask = nn.Transformer.generate_square_subsequent_mask(4, dtype=wg.float64)
    (grad,) = wg.autograd.grad(module(x, mask)[:, 1].sum(), x)
    assert grad[:, 2:].abs().max() == 0
    assert grad[:, :2].abs().min() > 0


def test_rows_of_padding_are_zeros_where_nothing_is_recorded() -> None:
    module = nn.TransformerEncoder(encoder_layer(), 2).eval()
    x, padding = numbers(2, 3, 4), wg.tensor([[False, False, True], [False, True, True]])
    recorded = module(x, src_key_padding_mask=padding)
    with wg.no_grad():
        result = module(x, src_key_padding_mask=padding)
    assert result[padding].abs().max() == 0
    wg.testing.assert_close(result[~padding], recorded[~padding].detach())


def test_derivatives_of_layers() -> None:
    for options in ({}, {"norm_first": True, "activation": "gelu"}):
        layer, x = encoder_layer(**options), numbers(1, 3, 4).requires_grad_()
        assert wg.autograd.gradcheck(layer, x, fast_mode=True, check_forward_ad=True)
        assert wg.autograd.gradgradcheck(layer, x, fast_mode=True)
    decoder = fill(nn.TransformerDecoderLayer(4, 2, 6, 0.0, dtype=wg.float64))
    inputs = numbers(2, 1, 4).requires_grad_(), numbers(3, 1, 4, shift=1).requires_grad_()
    assert wg.autograd.gradcheck(decoder, inputs, fast_mode=True)
    assert wg.autograd.gradgradcheck(decoder, inputs, fast_mode=True)


def test_gradients_of_each_sample() -> None:
    layer, x = encoder_layer(), numbers(3, 4, 4)
    parameters = {name: one.detach() for name, one in layer.named_parameters()}

    def loss(parameters: Any, x: Any) -> Any:
        return wg.func.functional_call(layer, parameters, (x.unsqueeze(0),)).square().sum()

    found = wg.func.vmap(wg.func.grad(loss), (None, 0))(parameters, x)
    for sample in range(3):
        own = wg.autograd.grad(layer(x[sample : sample + 1]).square().sum(), [*layer.parameters()])
        wg.testing.assert_close([one[sample] for one in found.values()], list(own))


@pytest.mark.parametrize("make", [
    lambda: nn.MultiheadAttention(4, 2), lambda: nn.TransformerEncoderLayer(4, 2, 6),
    lambda: nn.Transformer(4, 2, 1, 1, 6, batch_first=True),
])  # fmt: skip
def test_copies_and_pickles_compute_the_same(make: Any) -> None:
    module = make().eval()
    x = numbers(3, 2, 4).float()
    inputs = {"MultiheadAttention": 3, "Transformer": 2}.get(type(module).__name__, 1)
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert repr(other) == repr(module)
        wg.testing.assert_close(other(*[x] * inputs), module(*[x] * inputs))


def test_hooks_of_parts_are_called() -> None:
    """Each part is called as a module, in evaluation too."""
    layer = encoder_layer().eval()
    called = []
    layer.self_attn.register_forward_hook(lambda *_: called.append("attention"))
    layer.linear1.register_forward_hook(lambda *_: called.append("linear"))
    with wg.no_grad():
        layer(numbers(1, 3, 4))
    assert called == ["attention", "linear"]
