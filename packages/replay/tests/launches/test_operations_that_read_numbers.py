"""Operations whose arguments decide how they compute: labels, ignored targets, offsets are no guards of programs."""

from __future__ import annotations

import pytest
import wengert as wg

explain = wg.replay.explain
F = wg.nn.functional


def smooth(kind, options):
    def step(w, k):
        x, target = wg.randn(5, 4).to(kind), wg.randint(0, 4, (5,))
        target[: k % 4] = 1
        return F.cross_entropy(x * w.to(kind), target, label_smoothing=0.1, ignore_index=1, **options)

    return step


def ctc(is_flat, **options):
    def step(w, k):
        x, targets = wg.randn(7, 2, 4), wg.randint(1, 4, (5,) if is_flat else (2, 3))
        return F.ctc_loss((x * w).log_softmax(2), targets, (7, 5), (3, 2), **options)

    return step


def bags(mode, **options):
    def step(w, k):
        entries, offsets = wg.randint(0, 6, (6,)), wg.tensor([0, 1 + k % 3, 4])
        weights = wg.randn(6) if mode == "sum" else None
        table = w * wg.ones(6, 1)
        return F.embedding_bag(entries, table, offsets, mode=mode, per_sample_weights=weights, **options).square().sum()

    return step


STEPS = {
    **{f"smoothed labels, {kind}, {name}": smooth(getattr(wg, kind), options)
       for kind in ("float32", "float64", "float16", "bfloat16")
       for name, options in {"mean": {}, "sum": {"reduction": "sum"},
                             "weights": {"weight": wg.ones(4).to(getattr(wg, kind))}}.items()},
    "all ignored": lambda w, k: F.cross_entropy(
        wg.ones(2, 4) * w, wg.zeros(2, dtype=wg.int64), label_smoothing=0.1, ignore_index=0),
    "CTC": ctc(False), "CTC of labels in a row": ctc(True), "CTC, sum": ctc(False, reduction="sum"),
    "CTC without infinity": ctc(False, zero_infinity=True),
    "sums of bags": bags("sum"), "means of bags": bags("mean"), "maxima of bags": bags("max"),
    "padded bags": bags("mean", padding_idx=2), "bags with a last offset": bags("mean", include_last_offset=True),
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_each_call_is_replayed_with_the_bits_of_an_eager_one(name):
    """The tensors of a step are drawn by it: random numbers of a replay are those of an eager call."""
    step, seen = STEPS[name], []
    for is_captured in (False, True):
        wg.manual_seed(1)
        w = wg.ones(4, requires_grad=True)

        def train(k, w=w):
            w.grad = None
            loss = step(w, k)
            loss.backward()
            return loss.detach()

        called = wg.capture(train, quiet=True, max_programs=8) if is_captured else train
        seen.append([])
        for k in range(24):
            loss = called(k % 4)
            seen[-1].append((repr(loss.tolist()), repr(w.grad.tolist())))
    assert seen[1] == seen[0]
    assert explain(called).replays >= 24 - 9
    assert explain(called).programs[-1].n_branches == 0


WRONG = {
    "a first offset": wg.tensor([1, 2]), "a last offset": wg.tensor([0, 9]), "offsets that fall": wg.tensor([0, 4, 2]),
}  # fmt: skip


@pytest.mark.parametrize("max_norm", [None, 1.0])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_offsets_are_an_error_in_a_replay_too(name, max_norm):
    table = wg.ones(6, 3) * 2

    def function(entries, offsets):
        return F.embedding_bag(entries, table, offsets, max_norm=max_norm)

    captured = wg.capture(function, quiet=True)
    right = wg.tensor([0, 2, 3][: len(WRONG[name])])
    for _ in range(3):
        captured(wg.arange(6), right)
    words = []
    for called in (function, captured):
        with pytest.raises(RuntimeError) as caught:
            called(wg.arange(6), WRONG[name])
        words.append(str(caught.value).splitlines()[0])
    assert words[0] == words[1]
    assert captured(wg.arange(6), right).tolist() == function(wg.arange(6), right).tolist()


def test_labels_that_are_no_classes_are_an_error_in_a_replay_too():
    w = wg.ones(4, requires_grad=True)

    def function(x, targets):
        w.grad = None
        loss = F.ctc_loss((x * w).log_softmax(2), targets, (7, 5), (3, 2))
        loss.backward()
        return loss.detach()

    captured = wg.capture(function, quiet=True)
    x, right = wg.randn(7, 2, 4), wg.ones(2, 3, dtype=wg.int64)
    for _ in range(3):
        captured(x, right)
    for called in (function, captured):
        with pytest.raises(RuntimeError, match="targets are classes"):
            called(x, right * 4)
    assert captured(x, right).tolist() == function(x, right).tolist()
