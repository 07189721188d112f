"""States of schedulers: pickles, loading without side effects, tensors that are not shared, what is not there."""

import copy
import pickle

import pytest
import wengert as wg
from wengert.optim import lr_scheduler as lr
from wengert.optim.swa_utils import SWALR


class Decay:
    """A factor with a state."""

    def __init__(self, base):
        self.base = base

    def __call__(self, step):
        return self.base**step


SCHEDULES = [
    lambda optimizer: lr.StepLR(optimizer, 2),
    lambda optimizer: lr.MultiStepLR(optimizer, [2, 5]),
    lambda optimizer: lr.LambdaLR(optimizer, Decay(0.5)),
    lambda optimizer: lr.MultiplicativeLR(optimizer, Decay(0.5)),
    lambda optimizer: lr.CosineAnnealingLR(optimizer, 5),
    lambda optimizer: lr.CosineAnnealingWarmRestarts(optimizer, 4),
    lambda optimizer: lr.CyclicLR(optimizer, 0.1, 0.5, 2, mode="triangular2"),
    lambda optimizer: lr.CyclicLR(optimizer, 0.1, 0.5, 2, scale_fn=Decay(0.5)),
    lambda optimizer: lr.OneCycleLR(optimizer, 0.5, 20),
    lambda optimizer: SWALR(optimizer, 0.1, 4, "linear"),
    lambda optimizer: lr.SequentialLR(optimizer, [lr.ConstantLR(optimizer), lr.LambdaLR(optimizer, Decay(0.9))], [2]),
    lambda optimizer: lr.ChainedScheduler([lr.ConstantLR(optimizer), lr.ExponentialLR(optimizer, 0.9)]),
]


def sgd(rate=0.5):
    return wg.optim.SGD([wg.zeros(1, requires_grad=True)], lr=rate, momentum=0.5)


def advance(scheduler, steps):
    for _ in range(steps):
        scheduler.optimizer.step()
        scheduler.step()
    return scheduler.get_last_lr()


@pytest.mark.parametrize("make", SCHEDULES)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_goes_on_with_an_optimizer_of_its_own(make, duplicate):
    scheduler = make(sgd())
    advance(scheduler, 3)
    other = duplicate(scheduler)
    assert other.optimizer is not scheduler.optimizer
    assert advance(other, 2) != scheduler.get_last_lr()
    assert other.get_last_lr() == advance(scheduler, 2)


@pytest.mark.parametrize("make", SCHEDULES)
def test_a_state_can_be_loaded_twice(make):
    scheduler = make(sgd())
    advance(scheduler, 3)
    state = scheduler.state_dict()
    before = copy.deepcopy(state)
    for _ in range(2):
        other = make(sgd())
        other.load_state_dict(state)
        assert state == before == other.state_dict()


@pytest.mark.parametrize("make", SCHEDULES)
def test_a_state_pickles_and_holds_no_optimizer(make):
    state = make(sgd()).state_dict()
    assert pickle.loads(pickle.dumps(state)) == state
    assert "optimizer" not in state


def test_a_state_of_functions_pickles():
    scheduler = lr.LambdaLR(sgd(), lambda step: 0.5**step)
    assert pickle.loads(pickle.dumps(scheduler.state_dict()))["lr_lambdas"] == [None]


def test_rates_in_lists_are_no_views_of_the_rate():
    rate = wg.tensor(0.5)
    scheduler = lr.ExponentialLR(wg.optim.SGD([wg.zeros(1, requires_grad=True)], lr=rate), 0.5)
    base, last = scheduler.base_lrs[0], scheduler.get_last_lr()[0]
    rate.fill_(8.0)
    assert (base.item(), last.item()) == (0.5, 0.5)
    assert advance(scheduler, 1)[0].item() == rate.item() == 4.0


def test_groups_do_not_share_a_tensor_of_all_groups():
    peak = wg.tensor(0.5)
    groups = [{"params": [wg.zeros(1, requires_grad=True)]} for _ in range(2)]
    optimizer = wg.optim.SGD(groups, lr=0.1)
    lr.OneCycleLR(optimizer, peak, 10, cycle_momentum=False)
    peaks = [group["max_lr"] for group in optimizer.param_groups]
    assert len({id(one) for one in [*peaks, peak]}) == 3


@pytest.mark.parametrize(
    "make", [lambda optimizer: lr.LRScheduler(optimizer), lambda optimizer: lr.ReduceLROnPlateau(optimizer).get_lr()]
)
def test_a_scheduler_without_get_lr(make):
    with pytest.raises(NotImplementedError, match="has no get_lr"):
        make(sgd())


def test_a_sequence_cannot_begin_at_a_milestone_of_another():
    optimizer = sgd()
    inner = lr.SequentialLR(optimizer, [lr.ConstantLR(optimizer), lr.StepLR(optimizer, 1)], [2])
    outer = lr.SequentialLR(optimizer, [lr.StepLR(optimizer, 1), inner], [1])
    optimizer.step()
    with pytest.raises(NotImplementedError, match="SequentialLR has no get_lr"):
        outer.step()


def test_a_failing_get_lr_leaves_no_flag_behind():
    class Failing(lr.LRScheduler):
        def get_lr(self):
            if self.last_epoch == 1:
                raise RuntimeError("no rate")
            return self.base_lrs

    scheduler = Failing(sgd())
    scheduler.optimizer.step()
    with pytest.raises(RuntimeError, match="no rate"):
        scheduler.step()
    assert not scheduler._get_lr_called_within_step


def test_a_failing_first_step_leaves_no_flag_behind():
    class Failing(lr.ExponentialLR):
        def get_lr(self):
            raise RuntimeError("no rate")

    scheduler = Failing.__new__(Failing)
    with pytest.raises(RuntimeError, match="no rate"):
        scheduler.__init__(sgd(), 0.5)
    assert not scheduler._is_initial


def test_the_epoch_of_a_plateau_may_be_named():
    scheduler = lr.ReduceLROnPlateau(sgd())
    with pytest.warns(UserWarning, match="epoch parameter"):
        scheduler.step(metrics=1.0, epoch=7)
    assert scheduler.last_epoch == 7


def test_modules_below_the_package_have_their_public_names():
    for name in ("base", "chained", "cosine", "cyclic", "factors", "functions", "one_cycle", "plateau"):
        module = __import__(f"wengert_optim.lr_scheduler.{name}", fromlist=["__all__"])
        assert set(module.__all__) <= set(lr.__all__)


def test_a_scheduler_written_with_the_names_of_pytorch():
    class Half(lr._LRScheduler):
        def __init__(self, optimizer, floors, last_epoch=-1):
            self.floors = lr._format_param("floors", optimizer, floors)
            super().__init__(optimizer, last_epoch)

        def get_lr(self):
            lr._warn_get_lr_called_within_step(self)
            rates = lr._param_groups_val_list(self.optimizer, "lr")
            return rates if self.last_epoch == 0 else [max(rate / 2, self.floors[0]) for rate in rates]

        def rewind(self):
            self.last_epoch = 0
            with lr._enable_get_lr_call(self):
                rates = self.get_lr()
            lr._update_param_group_val(self.optimizer.param_groups[0], "lr", rates[0])

    scheduler = Half(sgd(), 0.1)
    assert advance(scheduler, 4) == [0.1]
    scheduler.rewind()
    with pytest.warns(UserWarning, match="get_last_lr"):
        scheduler.get_lr()
