"""Recurrent networks against the formulas, and everything that is done with their gradients."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert import nn
from wengert_nn.functional import recurrence
from wengert_nn.functional.recurrent import lstm_cell
from wengert_nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

KINDS = ("RNN", "LSTM", "GRU")
CELLS = {"RNN": "RNNCell", "LSTM": "LSTMCell", "GRU": "GRUCell"}


def numbers(*shape: int, shift: float = 0.0) -> Any:
    """float64 numbers between -1 and 1, no two of which are the same."""
    count = 1
    for size in shape:
        count *= size
    return (wg.arange(count, dtype=wg.float64) * 0.7 + shift).sin().reshape(shape)


def network(kind: str, *args: Any, **options: Any) -> Any:
    """A float64 network with parameters from a formula."""
    module = getattr(nn, kind)(*args, dtype=wg.float64, **options)
    with wg.no_grad():
        for number, parameter in enumerate(module.parameters()):
            parameter.copy_(numbers(*parameter.shape, shift=number) * 0.5)
    return module


def tensors_of(result: Any) -> list[Any]:
    """The outputs and the state of a network as a list."""
    output, state = result
    output = output.data if isinstance(output, PackedSequence) else output
    return [output, *(state if isinstance(state, tuple) else (state,))]


def weighted_sum(result: Any) -> Any:
    """A number that depends on all elements of outputs and state, on each in another way."""
    return sum((one * numbers(*one.shape, shift=0.3).to(one.device)).sum() for one in tensors_of(result))


def gradients(module: Any, result: Any, *inputs: Any) -> Any:
    return wg.autograd.grad(weighted_sum(result), [*inputs, *module.parameters()])


def naive_lstm(x: Any, h: Any, c: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> tuple[Any, Any, Any]:
    """The formula, step by step and gate by gate."""
    size, outputs = h.shape[1], []
    for row in x:
        gate = [
            row @ w_ih[k : k + size].T + b_ih[k : k + size] + h @ w_hh[k : k + size].T + b_hh[k : k + size]
            for k in range(0, 4 * size, size)
        ]
        c = wg.sigmoid(gate[1]) * c + wg.sigmoid(gate[0]) * wg.tanh(gate[2])
        h = wg.sigmoid(gate[3]) * wg.tanh(c)
        outputs.append(h)
    return wg.stack(outputs), h, c


@settings(max_examples=20, deadline=None)
@given(*[st.integers(1, 4)] * 4)
def test_lstm_is_its_formula(steps: int, batch: int, features: int, hidden: int) -> None:
    module = network("LSTM", features, hidden)
    x, h, c = (one.requires_grad_() for one in (
        numbers(steps, batch, features), numbers(1, batch, hidden, shift=1), numbers(1, batch, hidden, shift=2)
    ))  # fmt: skip
    output, last_h, last_c = naive_lstm(x, h[0], c[0], *module.parameters())
    expected = output, (last_h.unsqueeze(0), last_c.unsqueeze(0))
    result = module(x, (h, c))
    wg.testing.assert_close(tensors_of(result), tensors_of(expected))
    wg.testing.assert_close(gradients(module, result, x, h, c), gradients(module, expected, x, h, c))


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_is_its_cell_in_a_loop(kind: str) -> None:
    module, cell = network(kind, 3, 4), network(CELLS[kind], 3, 4)
    x = numbers(5, 2, 3)
    state, outputs = None, []
    for row in x:
        state = cell(row, state)
        outputs.append(state[0] if kind == "LSTM" else state)
    output, _ = module(x)
    wg.testing.assert_close(output, wg.stack(outputs))
    loops = wg.autograd.grad((wg.stack(outputs) * numbers(5, 2, 4)).sum(), [*cell.parameters()])
    wg.testing.assert_close(wg.autograd.grad((output * numbers(5, 2, 4)).sum(), [*module.parameters()]), loops)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(KINDS), st.lists(st.integers(1, 5), min_size=1, max_size=4), st.booleans(), st.integers(1, 2))
def test_packed_sequences_are_computed_one_by_one(kind: str, lengths: list[int], both_ways: bool, layers: int) -> None:
    module = network(kind, 2, 3, layers, bidirectional=both_ways)
    x = numbers(max(lengths), len(lengths), 2).requires_grad_()
    packed = module(pack_padded_sequence(x, lengths, enforce_sorted=False))
    output, found = pad_packed_sequence(packed[0])
    assert found.tolist() == lengths
    singles = [module(x[:length, k : k + 1]) for k, length in enumerate(lengths)]
    for k, (length, single) in enumerate(zip(lengths, singles, strict=True)):
        wg.testing.assert_close(output[:length, k : k + 1], single[0])
        assert not output[length:, k].any()
        for all_states, state in zip(tensors_of(packed)[1:], tensors_of(single)[1:], strict=True):
            wg.testing.assert_close(all_states[:, k : k + 1], state)
    loss = sum((one[0] * numbers(*one[0].shape)).sum() for one in singles)
    of_packed = sum(
        (output[:length, k : k + 1] * numbers(length, 1, output.shape[2])).sum() for k, length in enumerate(lengths)
    )
    wanted = [x, *module.parameters()]
    wg.testing.assert_close(wg.autograd.grad(of_packed, wanted), wg.autograd.grad(loss, wanted))


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    *[(kind, {}) for kind in KINDS],
    *[(kind, {"bidirectional": True, "bias": False}) for kind in KINDS],
    ("RNN", {"nonlinearity": "relu"}),
    ("LSTM", {"proj_size": 1}),
]


def scalar_function(kind: str, options: dict[str, Any], is_packed: bool) -> tuple[Any, list[Any]]:
    """A function of inputs, states and parameters, and arguments for it."""
    module = network(kind, 2, 2, **options)
    names = [name for name, _ in module.named_parameters()]
    hidden = options.get("proj_size", 2)
    directions = 2 if module.bidirectional else 1
    states = [numbers(directions, 2, hidden, shift=1), numbers(directions, 2, 2, shift=2)][: 2 if kind == "LSTM" else 1]
    x = numbers(5, 2) if is_packed else numbers(3, 2, 2)

    def function(*tensors: Any) -> tuple[Any, ...]:
        state = tensors[1 : 1 + len(states)]
        given_x = PackedSequence(tensors[0], wg.tensor([2, 2, 1], device="cpu")) if is_packed else tensors[0]
        own = dict(zip(names, tensors[1 + len(states) :], strict=True))
        return tuple(tensors_of(wg.func.functional_call(module, own, (given_x, state if kind == "LSTM" else state[0]))))

    arguments = [x, *states, *[one.detach().clone() for one in module.parameters()]]
    return function, [one.requires_grad_() for one in arguments]


@pytest.mark.parametrize("is_packed", [False, True], ids=["padded", "packed"])
@pytest.mark.parametrize(("kind", "options"), OPTIONS)
def test_derivatives_of_networks(kind: str, options: dict[str, Any], is_packed: bool) -> None:
    function, arguments = scalar_function(kind, options, is_packed)
    assert wg.autograd.gradcheck(function, arguments, fast_mode=True, check_forward_ad=True, check_batched_grad=True)
    assert wg.autograd.gradgradcheck(function, arguments, fast_mode=True)


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_of_cells(kind: str) -> None:
    cell = network(CELLS[kind], 2, 2)
    x = numbers(2, 2).requires_grad_()
    h = numbers(2, 2, shift=1).requires_grad_()
    state = (h, numbers(2, 2, shift=2)) if kind == "LSTM" else h

    def function(x: Any, h: Any, *parameters: Any) -> Any:
        own = dict(zip((name for name, _ in cell.named_parameters()), parameters, strict=True))
        return wg.func.functional_call(cell, own, (x, (h, state[1]) if kind == "LSTM" else h))

    arguments = [x, h, *[one.detach().clone().requires_grad_() for one in cell.parameters()]]
    assert wg.autograd.gradcheck(function, arguments, check_forward_ad=True, check_batched_grad=True)
    assert wg.autograd.gradgradcheck(function, arguments, fast_mode=True)


@pytest.mark.parametrize(("kind", "options"), OPTIONS)
def test_the_backward_pass_of_a_layer_is_that_of_autograd(
    kind: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = network(kind, 3, 4, 2, **options)
    x = numbers(4, 2, 3).requires_grad_()
    own = gradients(module, module(x), x)
    monkeypatch.setattr(recurrence, "needs_composed_form", lambda *_: True)
    wg.testing.assert_close(own, gradients(module, module(x), x))


# ---- transforms


@pytest.mark.parametrize("kind", KINDS)
def test_vmap_over_cells_over_inputs_and_over_ensembles(kind: str) -> None:
    cells = [network(CELLS[kind], 3, 4) for _ in range(3)]
    with wg.no_grad():
        for number, cell in enumerate(cells):
            cell.weight_ih.add_(0.1 * number)
    stacked, _ = wg.func.stack_module_state(cells)

    def call(parameters: Any, x: Any) -> Any:
        return wg.func.functional_call(cells[0], parameters, (x,))

    x = numbers(2, 3)
    expected = [cell(x) for cell in cells]
    if kind == "LSTM":
        expected = [wg.stack(parts) for parts in zip(*expected, strict=True)]
    else:
        expected = wg.stack(expected)
    found = wg.func.vmap(call, (0, None))(stacked, x)
    wg.testing.assert_close([*found] if kind == "LSTM" else found, expected)
    rows = wg.func.vmap(cells[0])(x)
    wg.testing.assert_close(rows, cells[0](x))


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_of_each_sample_by_vmap(kind: str) -> None:
    module = network(kind, 3, 4, bidirectional=True)
    parameters = {name: one.detach() for name, one in module.named_parameters()}

    def loss(parameters: Any, x: Any) -> Any:
        return weighted_sum(wg.func.functional_call(module, parameters, (x.unsqueeze(1),)))

    x = numbers(5, 4, 3)
    found = wg.func.vmap(wg.func.grad(loss), (None, 1))(parameters, x)
    for sample in range(4):
        own = wg.autograd.grad(weighted_sum(module(x[:, sample : sample + 1])), [*module.parameters()])
        wg.testing.assert_close([one[sample] for one in found.values()], list(own))


@pytest.mark.parametrize("kind", KINDS)
def test_vmap_of_networks_that_are_recorded(kind: str) -> None:
    module = network(kind, 3, 4)
    x = numbers(3, 5, 2, 3).requires_grad_()
    together = wg.func.vmap(lambda x: module(x)[0])(x)
    apart = wg.stack([module(one)[0] for one in x])
    wg.testing.assert_close(together, apart)
    weights = numbers(*apart.shape)
    wanted = [x, *module.parameters()]
    wg.testing.assert_close(
        wg.autograd.grad((together * weights).sum(), wanted), wg.autograd.grad((apart * weights).sum(), wanted)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_forward_mode_agrees_with_reverse_mode(kind: str) -> None:
    module = network(kind, 3, 4)
    x = numbers(3, 1, 3)
    forward, reverse = (jacobian(lambda x: module(x)[0])(x) for jacobian in (wg.func.jacfwd, wg.func.jacrev))
    wg.testing.assert_close(forward, reverse)
    hessian = wg.func.hessian(lambda x: weighted_sum(module(x)))(x).reshape(9, 9)
    wg.testing.assert_close(hessian, hessian.T)
    assert hessian.abs().max() > 1e-3


# ---- what the engine promises for each node


@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_that_was_changed_before_backward_is_noticed(kind: str) -> None:
    module = network(kind, 3, 4)
    result = weighted_sum(module(numbers(3, 2, 3)))
    with wg.no_grad():
        module.weight_hh_l0.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.backward()


@pytest.mark.parametrize("kind", KINDS)
def test_a_graph_is_used_once_unless_it_is_retained(kind: str) -> None:
    module = network(kind, 3, 4)
    result = weighted_sum(module(numbers(3, 2, 3)))
    result.backward(retain_graph=True)
    first = [one.grad.clone() for one in module.parameters()]
    result.backward()
    wg.testing.assert_close([one.grad for one in module.parameters()], [2 * one for one in first])
    with pytest.raises(RuntimeError, match="second time"):
        result.backward()


def test_saved_tensors_pass_the_hooks() -> None:
    module, x = network("GRU", 3, 4), numbers(3, 2, 3)
    expected = gradients(module, module(x))
    packed = []

    def pack(tensor: Any) -> Any:
        packed.append(tensor.shape)
        return tensor.clone()

    with wg.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = module(x)
    assert packed
    wg.testing.assert_close(gradients(module, result), expected)


def test_checkpointed_networks_have_the_same_gradients() -> None:
    module, x = network("LSTM", 3, 4), numbers(3, 2, 3).requires_grad_()
    result = wg.utils.checkpoint.checkpoint(lambda x: module(x)[0], x, use_reentrant=False)
    expected = wg.autograd.grad(module(x)[0].sum(), [*module.parameters()])
    wg.testing.assert_close(wg.autograd.grad(result.sum(), [*module.parameters()]), expected)


def test_networks_in_several_threads() -> None:
    module = network("LSTM", 3, 4, 2)
    inputs = [numbers(5, 2, 3, shift=k).requires_grad_() for k in range(4)]
    expected = [wg.autograd.grad(weighted_sum(module(x)), x)[0] for x in inputs]
    found: dict[int, Any] = {}

    def run(k: int) -> None:
        for _ in range(5):
            found[k] = wg.autograd.grad(weighted_sum(module(inputs[k])), inputs[k])[0]

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wg.testing.assert_close([found[k] for k in range(4)], expected)


# ---- as modules


@pytest.mark.parametrize("kind", [*KINDS, *CELLS.values()])
def test_copies_and_pickles_compute_the_same(kind: str) -> None:
    module = network(kind, 3, 4)
    x = numbers(2, 3)
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert repr(other) == repr(module)
        assert other.state_dict().keys() == module.state_dict().keys()
        wg.testing.assert_close(other(x), module(x))
        assert all(one is not own for one, own in zip(other.parameters(), module.parameters(), strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_parametrized_weights_are_used(kind: str) -> None:
    class Double(nn.Module):
        def forward(self, weight: Any) -> Any:
            return 2 * weight

    module, plain, x = network(kind, 3, 4), network(kind, 3, 4), numbers(5, 2, 3)
    with wg.no_grad():
        plain.weight_hh_l0.mul_(2)
    nn.utils.parametrize.register_parametrization(module, "weight_hh_l0", Double())
    wg.testing.assert_close(tensors_of(module(x)), tensors_of(plain(x)))
    weighted_sum(module(x)).backward()
    weighted_sum(plain(x)).backward()
    wg.testing.assert_close(module.parametrizations.weight_hh_l0.original.grad, 2 * plain.weight_hh_l0.grad)


def test_dropout_between_layers_has_zeros_in_training_only() -> None:
    wg.manual_seed(0)
    module = nn.RNN(2, 50, 2, dropout=0.5)
    x = wg.ones(4, 3, 2)
    assert not wg.equal(module(x)[0], module(x)[0])
    module.eval()
    assert wg.equal(module(x)[0], module(x)[0])


def test_a_state_that_depends_on_the_input_gets_both_gradients() -> None:
    """The second derivative goes through aliases of the inputs, so that each gradient is counted once."""
    module = network("GRU", 3, 3)
    x = numbers(2, 2, 3).requires_grad_()

    def penalty(x: Any) -> Any:
        output, _ = module(x, (x[:1] * 2).tanh())
        (grad,) = wg.autograd.grad(output.sum(), x, create_graph=True)
        return (grad * grad).sum()

    (found,) = wg.autograd.grad(penalty(x), x)
    step, numeric = 1e-5, wg.zeros_like(x)
    for k in range(x.numel()):
        bump = wg.zeros(x.numel(), dtype=wg.float64)
        bump[k] = step
        high, low = (penalty((x + sign * bump.reshape(x.shape)).detach().requires_grad_()) for sign in (1, -1))
        numeric.view(-1)[k] = (high - low).detach() / (2 * step)
    wg.testing.assert_close(found, numeric, rtol=1e-5, atol=1e-7)


def test_batch_sizes_that_no_packed_sequence_has_are_refused() -> None:
    module = network("LSTM", 2, 3)
    for sizes in ([1, 2], [2, 2], [3, 0]):
        with pytest.raises(RuntimeError, match="never increase"):
            module(PackedSequence(numbers(3, 2), wg.tensor(sizes, device="cpu")))


def test_cells_refuse_what_broadcasting_would_hide() -> None:
    weights = numbers(8, 3), numbers(8, 2)
    for input_rows, h_rows, c_rows in ((1, 2, 2), (2, 1, 2), (2, 2, 1)):
        with pytest.raises(RuntimeError, match="doesn't match hidden"):
            lstm_cell(numbers(input_rows, 3), (numbers(h_rows, 2), numbers(c_rows, 2)), *weights)
