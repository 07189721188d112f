"""Programs that are saved and loaded: the same bits as the function that was recorded."""

from __future__ import annotations

import pytest
import wengert as wg

from .exported import bits, check, last_program, reload_program, tensors

FORWARD = {
    "chain": lambda x: (x * 2 + 1).tanh().sum(),
    "views": lambda x: x.t()[1:, ::2].reshape(-1)[:3] + x[0, 0],
    "view by None and Ellipsis": lambda x: x[..., None, 1] * x[None],
    "index by tensors": lambda x: x[wg.tensor([0, 1, 1])] + x[:, [0, 2]].sum(),
    "python data": lambda x: x * wg.tensor([1.0, 2.0, 3.0, 4.0]) + wg.tensor(0.5),
    "data that is written": lambda x: wg.tensor([1.0, 2.0, 3.0, 4.0]).add_(x[0]),
    "a part of the data": lambda x: x[0, :2] + wg.tensor([1.0, 2.0, 3.0, 4.0])[2:] + wg.tensor([[1.0], [2.0]])[0],
    "in place": lambda x: wg.zeros(3, 4).add_(x)[1].mul_(2).exp(),
    "out": lambda x: wg.exp(x, out=wg.empty(3, 4)) + 1,
    "several results": lambda x: [
        (x * 1).split(2, 1)[0],
        x.max(1),
        x.sort(1).values,
        wg.stack([x, x]),
        wg.cat((x, x), 1),
    ],
    "numbers": lambda x: (x * float("inf")).nan_to_num(nan=-0.0).clamp(min=None, max=3),
    "complex": lambda x: (x * (1 + 2j)).abs() + wg.complex(x, x).angle(),
    "dtypes": lambda x: (x.to(wg.float64).sum(dtype=wg.float32), x.bool(), x.to(wg.bfloat16), x.long() + 1, x.half()),
    "factories": lambda x: wg.ones_like(x) + wg.eye(3, 4) + wg.arange(4) + wg.full((3, 4), 2.5) + wg.linspace(0, 1, 4),
    "memory format": lambda x: x.reshape(1, 3, 2, 2).contiguous(memory_format=wg.channels_last).clone(),
    "matrices": lambda x: wg.linalg.solve(x @ x.t() + 10 * wg.eye(3), x),
    "layers": lambda x: wg.nn.functional.softmax(wg.nn.functional.layer_norm(x, (4,)), dim=-1),
    "einsum": lambda x: wg.einsum("ij,kj->ik", x, x),
    "where": lambda x: wg.where(x > 0, x, -x).masked_fill(x > 1, 7),
}


@pytest.mark.parametrize("function", FORWARD.values(), ids=list(FORWARD))
def test_a_function_from_a_file_gives_the_same_bits(function):
    check(function, *tensors(3, 4))


@pytest.mark.parametrize("name", "bool uint8 int16 int64 float16 bfloat16 float64 complex64 complex128".split())
def test_every_dtype_is_stored(name):
    dtype = getattr(wg, name)
    weight = wg.tensor([[0, 1], [2, 3]]).to(dtype)
    program = check(lambda x: (x.to(dtype) == weight, weight.t().clone(), wg.tensor([1, 0]).to(dtype)), *tensors(2, 2))
    assert bits(program.tensors["w0"]) == bits(weight)


@pytest.mark.parametrize("weight", [
    wg.arange(6.0).reshape(2, 3).t(), wg.arange(12.0)[2:8].reshape(3, 2), wg.arange(3.0)[:, None].expand(3, 2),
    wg.tensor(3.0), wg.zeros(3, 0).sum(1, keepdim=True), wg.arange(24.0).reshape(3, 2, 4)[:, :, 1],
])  # fmt: skip
def test_tensors_from_outside_have_their_strides(weight):
    captured = wg.capture(lambda x: x * weight)
    captured(wg.ones(3, 2))
    program = reload_program(last_program(captured), {"weight": weight})
    assert bits(program.tensors["weight"]) == bits(weight)
    for x in (wg.ones(3, 2), wg.zeros(3, 2)):
        assert bits(program(x)) == bits(x * weight)
    if weight.numel() == 6 and 0 not in weight.stride():
        program.tensors["weight"].fill_(7)
        assert program(wg.ones(3, 2)).tolist() == [[7.0, 7.0]] * 3


def test_writes_to_tensors_from_outside_and_arguments_are_done_and_seen():
    count, buffer = wg.zeros(()), wg.zeros(4)

    def step(x):
        count.add_(1)
        buffer[1:3].mul_(0.5).add_(x)
        x.sub_(count)
        return buffer.sum() + buffer[1]

    captured = wg.capture(step)
    captured(wg.ones(2))
    program = reload_program(last_program(captured), {"count": count, "buffer": buffer})
    versions = program.tensors["count"]._version
    for number in range(4):
        x, y = wg.full((2,), float(number)), wg.full((2,), float(number))
        assert bits(program(x)) == bits(step(y))
        assert bits([x, program.tensors["buffer"], program.tensors["count"]]) == bits([y, buffer, count])
    assert program.tensors["count"]._version == versions + 4
    program.tensors["count"].fill_(10)
    count.fill_(10)
    assert bits(program(wg.ones(2))) == bits(step(wg.ones(2)))


def test_tensors_that_share_memory_share_it_in_a_loaded_program():
    whole = wg.arange(6.0)
    part, words = whole[2:5], whole.view(wg.int32)[:1]

    def step(x):
        part.add_(x)
        return whole * 2, words.clone()

    captured = wg.capture(step)
    captured(wg.ones(3))
    program = reload_program(last_program(captured), {"whole": whole, "part": part})
    assert bits(program(wg.ones(3))) == bits(step(wg.ones(3)))
    assert bits(program(wg.ones(3))) == bits(step(wg.ones(3)))


def test_random_numbers_are_drawn_from_the_same_generators():
    own = wg.Generator().manual_seed(3)
    function = lambda x: (wg.nn.functional.dropout(x, 0.5), wg.randn(2, generator=own), wg.empty(2).uniform_(2, 3))  # noqa: E731
    step = wg.capture(function)
    step(wg.ones(8))
    program = reload_program(last_program(step))
    assert len(program.generators) == 1
    for seed in range(4):
        wg.manual_seed(seed)
        expected = bits(function(wg.ones(8))), wg.get_rng_state().tolist()
        wg.manual_seed(seed)
        assert (bits(program(wg.ones(8))), wg.get_rng_state().tolist()) == expected


def test_arguments_and_results_keep_their_structure():
    def step(pair, *, options, flag=True):
        first, second = pair
        return {"a": [first * options["scale"], None, 2.5], 3: (second, "word", first + second), "same": first}

    x, y = wg.ones(2), wg.zeros(2)
    captured = wg.capture(step)
    captured([x, y], options={"scale": 2.0})
    program = reload_program(last_program(captured))
    result = program([x, y], options={"scale": 2.0})
    assert bits(result) == bits(step([x, y], options={"scale": 2.0}))
    assert result["same"] is x
    for arguments, words in [
        (((x, y),), {"options": {"scale": 2.0}}), (([x, y],), {"options": {"scale": 2}}),
        (([x, y],), {"options": {"scale": 2.0}, "flag": False}), (([x, x],), {"options": {"scale": 2.0}}), ((), {}),
        (([x, y],), {"options": {"scale": object()}}), (([x, y],), {"options": {"scale": []}}),
    ]:  # fmt: skip
        with pytest.raises(TypeError, match=r"takes \(\[a0: float32\[2\], a1: float32\[2\]\], options=\{'scale': 2"):
            program(*arguments, **words)


@pytest.mark.parametrize(("x", "words"), [
    (wg.ones(3), r"a0 must be float32\[2\], and is float32\[3\]"),
    (wg.ones(2, dtype=wg.float64), "and is float64"),
    (wg.ones(2, requires_grad=True), "that requires grad"),
    (wg.ones(4)[::2], "strides"),
])  # fmt: skip
def test_a_tensor_of_another_signature_is_refused(x, words):
    captured = wg.capture(lambda x: x * 2)
    captured(wg.ones(2))
    with pytest.raises(TypeError, match=words):
        reload_program(last_program(captured))(x)


def test_the_default_dtype_of_the_recording_counts():
    captured = wg.capture(lambda x: wg.zeros(2) + x * 0.5)
    captured(wg.ones(2, dtype=wg.int64))
    program = reload_program(last_program(captured))
    wg.set_default_dtype(wg.float64)
    try:
        assert [program(wg.ones(2, dtype=wg.int64)).dtype for _ in range(2)] == [wg.float32] * 2
        assert wg.get_default_dtype() is wg.float64
    finally:
        wg.set_default_dtype(wg.float32)
