"""Anomaly mode: what it prints and raises, with nan, errors in backward, double backward."""

import warnings

import pytest
import wengert as torch
from wengert import autograd

WARNING = "Error detected in {}. Traceback of forward call that caused the error:"


class MyFunc(autograd.Function):
    @staticmethod
    def forward(ctx, inp):
        return inp.clone()

    @staticmethod
    def backward(ctx, gO):
        raise RuntimeError("Some error in backward")


class Nan(autograd.Function):
    @staticmethod
    def forward(ctx, inp):
        return inp.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad * float("nan")


def run_fn(a):
    out = MyFunc.apply(a)
    return out.sum()


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_the_example_of_the_reference():
    inp = torch.rand(10, 10, requires_grad=True)
    out = run_fn(inp)
    with pytest.raises(RuntimeError) as raised:
        out.backward()
    assert str(raised.value) == "Some error in backward"
    with autograd.detect_anomaly():
        inp = torch.rand(10, 10, requires_grad=True)
        out = run_fn(inp)
        with (pytest.warns(UserWarning, match=WARNING.format("MyFuncBackward")) as caught,
              pytest.raises(RuntimeError, match="Some error in backward")):
            out.backward()
    text = str(caught[0].message)
    assert "in test_the_example_of_the_reference\n    out = run_fn(inp)" in text
    assert "in run_fn\n    out = MyFunc.apply(a)" in text


def test_entering_warns():
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled. This mode will increase the runtime and "
                                         "should only be enabled for debugging."), autograd.detect_anomaly():
        pass


def test_flags():
    assert not torch.is_anomaly_enabled()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with autograd.detect_anomaly():
            assert (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()) == (True, True)
        with autograd.detect_anomaly(check_nan=False):
            assert (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()) == (True, False)
    assert not torch.is_anomaly_enabled()


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_nan_is_an_error():
    x = torch.tensor([-1.0], requires_grad=True)
    with autograd.detect_anomaly():
        y = (x * 0).sqrt() * 0
        with (pytest.warns(UserWarning, match=WARNING.format("SqrtBackward0")),
              pytest.raises(RuntimeError, match=r"Function 'SqrtBackward0' returned nan values in its 0th output.")):
            y.sum().backward()


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_nan_from_a_custom_function():
    x = torch.ones(1, requires_grad=True)
    with autograd.detect_anomaly():
        y = Nan.apply(x)
        with (pytest.warns(UserWarning, match=WARNING.format("NanBackward")),
              pytest.raises(RuntimeError, match=r"Function 'NanBackward' returned nan values in its 0th output.")):
            y.backward()


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_check_nan_false():
    x = torch.ones(1, requires_grad=True)
    with autograd.detect_anomaly(check_nan=False):
        Nan.apply(x).backward()
    assert x.grad.isnan().all()


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_which_output_is_nan():
    class Second(autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * b

        @staticmethod
        def backward(ctx, g):
            return g, g * float("nan")

    a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    with autograd.detect_anomaly():
        y = Second.apply(a, b)
        with (pytest.warns(UserWarning, match=WARNING.format("SecondBackward")),
              pytest.raises(RuntimeError, match=r"Function 'SecondBackward' returned nan values in its 1th output.")):
            y.backward()


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_forward_without_the_mode_has_no_traceback():
    x = torch.ones(1, requires_grad=True)
    y = Nan.apply(x)
    with (autograd.detect_anomaly(),
          pytest.warns(UserWarning, match=r"Error detected in NanBackward. No forward pass information available. "
                                          r"Enable detect anomaly during forward pass for more information."),
          pytest.raises(RuntimeError, match="returned nan values")):
        y.backward()


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_double_backward_shows_both_tracebacks():
    def forward_line(x):
        return (x * 0).sqrt()

    def backward_line(y, x):
        return torch.autograd.grad(y.sum(), x, create_graph=True)[0]

    x = torch.ones(1, requires_grad=True)
    with autograd.detect_anomaly(check_nan=False):
        slope = backward_line(forward_line(x), x)
    with (autograd.detect_anomaly(), pytest.warns(UserWarning, match="Traceback of forward call that") as caught,
          pytest.raises(RuntimeError, match="nan values")):
        slope.sum().backward()
    texts = [str(w.message) for w in caught if "Anomaly Detection" not in str(w.message)]
    assert "Traceback of forward call that caused the error:" in texts[0]
    assert "in backward_line" in texts[0]
    assert any("Previous calculation was induced by SqrtBackward0. Traceback of forward call that induced the previous "
               "calculation:" in text and "in forward_line" in text for text in texts[1:])


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_modified_saved_tensor_shows_the_forward_line():
    def saving_line(x):
        return x.exp()

    x = torch.ones(2, requires_grad=True)
    with autograd.detect_anomaly():
        y = saving_line(x)
        y.add_(1)
        with (pytest.warns(UserWarning, match=WARNING.format("ExpBackward0")) as caught,
              pytest.raises(RuntimeError, match=r"Hint: the backtrace further above shows the operation that failed to "
                                                r"compute its gradient. The variable in question was changed in there "
                                                r"or anywhere later. Good luck!")):
            y.sum().backward()
    assert "in saving_line" in str(caught[0].message)


def test_set_detect_anomaly_as_context_manager():
    with autograd.set_detect_anomaly(True):
        assert torch.is_anomaly_enabled()
        with autograd.set_detect_anomaly(False):
            assert not torch.is_anomaly_enabled()
        assert torch.is_anomaly_enabled()
    assert not torch.is_anomaly_enabled()


def test_set_detect_anomaly_as_function():
    autograd.set_detect_anomaly(True, check_nan=False)
    try:
        assert (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()) == (True, False)
    finally:
        autograd.set_detect_anomaly(False)
    assert not torch.is_anomaly_enabled()


def test_the_names_are_in_their_module():
    assert autograd.anomaly_mode.detect_anomaly is autograd.detect_anomaly
    assert autograd.anomaly_mode.set_detect_anomaly is autograd.set_detect_anomaly


def test_gradients_are_the_same():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with autograd.set_detect_anomaly(True):
        (x * x).exp().sum().backward()
    expected = torch.autograd.grad((x * x).exp().sum(), x)[0]
    assert torch.equal(x.grad, expected)
