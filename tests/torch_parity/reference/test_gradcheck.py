"""gradcheck and gradgradcheck: what passes, what fails, and in which words."""

import inspect
import warnings

import pytest
import wengert as torch
from wengert.autograd import Function, gradcheck, gradgradcheck
from wengert.autograd.gradcheck import GradcheckError

MISMATCH = "Jacobian mismatch for output 0 with respect to input 0,"
IMAGINARY = "While considering the imaginary part of complex outputs only, " + MISMATCH
REAL = "While considering the real part of complex outputs only, " + MISMATCH
FORWARD = "Jacobian computed with forward mode mismatch for output 0 with respect to input 0,"
NOT_DOUBLE = (
    "Input #{} requires gradient and is not a double precision floating point or complex. "
    "This check will likely fail if all the inputs are not of double precision floating point or complex. "
)
UNDEFINED = "Expected all input grads to be undefined or zero when all output grads are undefined or zero."
ZERO = "Numerical gradient for function expected to be zero"
REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
    "different values, although analytical gradient matches numerical gradient."
    "The tolerance for nondeterminism was 0.0."
)
torch.manual_seed(0)  # inputs are drawn on import; of 1,500 others PyTorch names the real part for one


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def op(forward, backward, jvp=None):
    """A Function of two lambdas: backward gets the gradient and the inputs."""

    class CustomFunction(Function):
        @staticmethod
        def forward(ctx, *inputs):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)
            return forward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            return backward(grad, *ctx.saved_tensors)

        @staticmethod
        def jvp(ctx, *tangents):
            return jvp(*tangents, *ctx.saved_tensors)

    return CustomFunction.apply


def real(*shape):
    return torch.randn(shape, dtype=torch.float64, requires_grad=True)


def complexes(*shape):
    return torch.randn(shape, dtype=torch.complex128, requires_grad=True)


square = op(lambda a: a * a, lambda g, a: g * 2 * a, lambda t, a: t * 2 * a)
half_square = op(lambda a: a * a, lambda g, a: g * a, lambda t, a: t * a)


class Exp(Function):
    """The example of the references for Function."""

    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


def test_the_functions_example():
    assert gradcheck(Exp.apply, real(3)) is True
    assert gradgradcheck(Exp.apply, real(3)) is True


def test_spellings():
    import wengert.autograd.gradcheck as imported
    from wengert.autograd.gradcheck import gradcheck as first
    from wengert.autograd.gradcheck import gradgradcheck as second

    assert imported is first is torch.autograd.gradcheck
    assert second is torch.autograd.gradgradcheck
    assert inspect.isfunction(first)
    assert issubclass(GradcheckError, RuntimeError)


@pytest.mark.parametrize(("function", "expected"), [
    (gradcheck, {"eps": 1e-6, "atol": 1e-5, "rtol": 1e-3, "raise_exception": True, "nondet_tol": 0.0,
                 "check_undefined_grad": True, "check_grad_dtypes": False, "check_batched_grad": False,
                 "check_batched_forward_grad": False, "check_forward_ad": False, "check_backward_ad": True,
                 "fast_mode": False, "masked": None}),
    (gradgradcheck, {"eps": 1e-6, "atol": 1e-5, "rtol": 1e-3, "gen_non_contig_grad_outputs": False,
                     "raise_exception": True, "nondet_tol": 0.0, "check_undefined_grad": True,
                     "check_grad_dtypes": False, "check_batched_grad": False, "check_fwd_over_rev": False,
                     "check_rev_over_rev": True, "fast_mode": False, "masked": False}),
])
def test_arguments_and_defaults(function, expected):
    parameters = inspect.signature(function).parameters
    keywords = {name: p.default for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    keywords.pop("check_sparse_nnz", None)  # of older references
    assert keywords == expected
    assert list(parameters)[:2] == ["func", "inputs"]


@pytest.mark.parametrize("options", [{}, {"fast_mode": True}, {"masked": True}, {"check_grad_dtypes": True},
                                     {"check_batched_grad": True}, {"check_forward_ad": True},
                                     {"check_forward_ad": True, "check_backward_ad": False},
                                     {"check_forward_ad": True, "check_batched_forward_grad": True},
                                     {"check_undefined_grad": False}, {"raise_exception": False},
                                     {"fast_mode": True, "check_forward_ad": True}])
@pytest.mark.parametrize("make", [real, complexes])
@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
def test_what_is_right_passes(make, options):
    a, b = make(2, 3), make(3, 2)
    assert gradcheck(lambda a, b: (a @ b, (a * a).exp()), (a, b), **options) is True
    assert a.grad is None


@pytest.mark.parametrize("options", [{}, {"fast_mode": True}, {"gen_non_contig_grad_outputs": True},
                                     {"check_fwd_over_rev": True}, {"check_batched_grad": True},
                                     {"check_fwd_over_rev": True, "check_rev_over_rev": False,
                                      "check_undefined_grad": False}])
@pytest.mark.parametrize("make", [real, complexes])
@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
def test_what_is_right_passes_the_second_order(make, options):
    assert gradgradcheck(lambda a, b: (a @ b) ** 3 + a.exp(), (make(2, 2), make(2, 2)), **options) is True


@pytest.mark.parametrize("inputs", [real(2), [real(2)], (real(2),), (real(),), (real(0),), real(3, 2).detach().t()
                                    .requires_grad_(), real(3, 2).t()])
def test_kinds_of_inputs(inputs):
    assert gradcheck(lambda a: a.exp(), inputs)


def test_arguments_that_are_no_tensors_or_need_no_gradient():
    assert gradcheck(lambda n, i, a, b: a[i] * n * b, (3, torch.tensor([0, 1]), real(2), torch.ones(2).double()))


@pytest.mark.parametrize("func", [lambda a: [a * 2, a * 3], lambda a: (a * 2, a.argmax()), lambda a: a.argmax(),
                                  lambda a: a, lambda a: a.clone().mul_(2), lambda a: (), lambda a: (a.detach(), a * 2),
                                  lambda a: torch.ones(2).double()])
def test_kinds_of_outputs(func):
    assert gradcheck(func, real(2, 3))


@pytest.mark.parametrize("options", [{}, {"fast_mode": True}])
@pytest.mark.parametrize(("func", "inputs", "text"), [
    (half_square, (real(2, 3),), MISMATCH),
    (op(lambda a: a * a, lambda g, a: None), (real(2, 3),), MISMATCH),
    (op(lambda a: a * a, lambda g, a: -2 * a * g), (real(2, 3),), MISMATCH),
    (op(lambda a, b: a @ b, lambda g, a, b: (g @ b, a.T @ g)), (real(2, 2), real(2, 2)), MISMATCH),
    (op(lambda a, b: a @ b, lambda g, a, b: (g @ b.T, 2 * (a.T @ g))), (real(2, 3), real(3, 2)),
     "Jacobian mismatch for output 0 with respect to input 1,"),
    (lambda a: (a, half_square(a)), (real(2),), "Jacobian mismatch for output 1 with respect to input 0,"),
    (lambda b, a: half_square(a), (3.0, real(2)), MISMATCH),
    (lambda a: (a.detach(), half_square(a)), (real(2),), MISMATCH),
    (op(lambda a: a * a, lambda g, a: g * 2 * a), (complexes(2),), IMAGINARY),
    (op(lambda a: a * 1, lambda g, a: torch.complex(g.real * 2, g.imag)), (complexes(2),), REAL),
    (op(lambda a: a * 1, lambda g, a: torch.complex(g.real, g.imag * 2)), (complexes(2),), IMAGINARY),
    (op(lambda a: a.real * 1, lambda g, a: 1j * g), (complexes(2),), MISMATCH),
    (op(lambda a: a * (1 + 2j), lambda g, a: (g * (1 + 2j)).real), (real(2),), IMAGINARY),
    (op(lambda a: a * (1 + 1j), lambda g, a: g.real * 3 + g.imag), (real(2),), REAL),
])
def test_a_wrong_backward_is_found(func, inputs, text, options):
    with pytest.raises(GradcheckError) as caught:
        gradcheck(func, inputs, **options)
    assert str(caught.value).startswith(text)
    assert "numerical:" in str(caught.value)
    assert "analytical:" in str(caught.value)
    assert ("The max per-element difference (slow mode) is: " in str(caught.value)) == bool(options)
    assert gradcheck(func, inputs, raise_exception=False, **options) is False


@pytest.mark.parametrize("options", [{}, {"fast_mode": True}])
@pytest.mark.parametrize(("func", "make", "text"), [
    (op(lambda a: a * a, lambda g, a: g * 2 * a, lambda t, a: t * a), real, FORWARD),
    (op(lambda a: a * a, lambda g, a: g * 2 * a.conj(), lambda t, a: 2 * t * a.conj()), complexes,
     "While considering the imaginary part of complex inputs only, " + FORWARD),
])
def test_a_wrong_jvp_is_found(func, make, text, options):
    assert gradcheck(func, make(2), **options)
    with pytest.raises(GradcheckError) as caught:
        gradcheck(func, make(2), check_forward_ad=True, **options)
    assert str(caught.value).startswith(text)


def test_a_function_without_jvp():
    with pytest.raises(NotImplementedError, match="You must implement the jvp function for custom"):
        gradcheck(Exp.apply, real(2), check_forward_ad=True)


def test_a_wrong_second_derivative_is_found():
    wrong = op(lambda a: a**3, lambda g, a: 3 * g * a * a.detach())
    assert gradcheck(wrong, real(2))
    with pytest.raises(GradcheckError, match=MISMATCH):
        gradgradcheck(wrong, real(2))
    with pytest.raises(GradcheckError, match=ZERO):
        gradgradcheck(op(lambda a: a * a, lambda g, a: (2 * g * a).detach()), real(2))


def test_an_output_that_is_detached():
    with pytest.raises(GradcheckError, match=ZERO):
        gradcheck(lambda a: a.detach() * 2, real(2))
    with torch.no_grad(), pytest.raises(GradcheckError, match=ZERO):
        gradcheck(lambda a: a * 2, real(2))


@pytest.mark.parametrize("options", [{}, {"fast_mode": True}])
def test_non_determinism(options):
    calls = []

    def drifting(grad, a):
        calls.append(1)
        return grad * 2 * a * (1 + 1e-7 * len(calls))

    func = op(lambda a: a * a, drifting)
    with pytest.raises(GradcheckError) as caught:
        gradcheck(func, real(2), **options)
    assert str(caught.value).startswith(REENTRANT)
    assert gradcheck(func, real(2), nondet_tol=1e-3, **options)


def test_a_random_function():
    with pytest.raises(GradcheckError, match=MISMATCH):
        gradcheck(torch.nn.functional.dropout, real(4, 4))


@pytest.mark.parametrize("raise_exception", [True, False])
def test_no_input_requires_grad(raise_exception):
    for inputs in (real(2).detach(), (2.0,)):
        with pytest.raises(ValueError, match="gradcheck expects at least one input tensor to require gradient, "
                                             "but none of them have requires_grad=True"):
            gradcheck(lambda a: a * 2, inputs, raise_exception=raise_exception)


@pytest.mark.parametrize("raise_exception", [True, False])
def test_expanded_input(raise_exception):
    text = "The 1th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping"
    expanded = real(3).detach().expand(2, 3)
    assert gradcheck(lambda a, b: a * b, (real(2, 3), expanded))
    with pytest.raises(RuntimeError, match=text):
        gradcheck(lambda a, b: a * b, (real(2, 3), expanded.requires_grad_()), raise_exception=raise_exception)
    assert gradcheck(lambda a: a * 2, real(1).detach().expand(1, 1).requires_grad_())


def test_overlapping_input():
    with pytest.raises(RuntimeError):  # torch: a mismatch of jacobians
        gradcheck(lambda a: a * 2, real(5).detach().as_strided((2, 3), (1, 1)).requires_grad_())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.complex64])
def test_few_digits_are_warned_about(dtype):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gradcheck(lambda a, b: a * b, (real(2), torch.ones(2, dtype=dtype, requires_grad=True)), atol=10)
    assert [(w.category, str(w.message)) for w in caught] == [(UserWarning, NOT_DOUBLE.format(1))]


def test_float32_fails():
    with pytest.warns(UserWarning, match="is not a double precision"), pytest.raises(GradcheckError, match=MISMATCH):
        gradcheck(lambda a: a.exp(), torch.linspace(1, 2, 9).requires_grad_())


@pytest.mark.parametrize("value", [3.0, None, {"a": 1}])
def test_outputs_that_are_no_tensors(value):
    with pytest.raises(AttributeError, match=f"'{type(value).__name__}' object has no attribute 'requires_grad'"):
        gradcheck(lambda a: value, real(2))
    with pytest.raises(AttributeError, match="'str' object has no attribute 'requires_grad'"):
        gradcheck(lambda a: (a * 2, "text"), real(2))


@pytest.mark.parametrize("options", [{}, {"check_undefined_grad": False}, {"fast_mode": True}])
def test_a_backward_that_does_not_multiply_with_its_gradient(options):
    """The gradient of a scalar is 1: what ignores it is right by accident."""
    ignores = op(lambda a: (a * a).sum(), lambda g, a: 2 * a)
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(ignores, real(3), **options)
    assert not gradcheck(ignores, real(3), raise_exception=False, **options)
    adds = op(lambda a: a * a, lambda g, a: 2 * g * a + 1e-9)
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(adds, real(3), **options)


def test_a_backward_that_cannot_be_batched():
    """A number is taken out: backward is right, and a batch of gradients has no such number."""
    reads = op(lambda a: a * a, lambda g, a: g * 2 * a if g.sum().item() else g * 0)
    assert gradcheck(reads, real(3))
    with pytest.raises(GradcheckError, match="While computing batched gradients, got: "):
        gradcheck(reads, real(3), check_batched_grad=True)
    assert not gradcheck(reads, real(3), check_batched_grad=True, raise_exception=False)
    tangents = op(lambda a: a * a, lambda g, a: g * 2 * a, lambda t, a: t * 2 * a if t.sum().item() else t * 0)
    assert gradcheck(tangents, real(3), check_forward_ad=True)
    with pytest.raises(GradcheckError, match="While computing batched gradients, got: "):
        gradcheck(tangents, real(3), check_forward_ad=True, check_batched_forward_grad=True)


class Double(Function):
    """A backward that takes no None."""

    @staticmethod
    def forward(ctx, a):
        ctx.set_materialize_grads(False)
        return a * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Ones(Double):
    """A backward that gives ones for None."""

    @staticmethod
    def backward(ctx, grad):
        return torch.ones(2, dtype=torch.float64) if grad is None else grad * 2


class DoubleOrNone(Double):
    @staticmethod
    def backward(ctx, grad):
        return None if grad is None else grad * 2


def test_undefined_gradients():
    assert gradcheck(DoubleOrNone.apply, real(2))
    with pytest.raises(TypeError, match="NoneType"):
        gradcheck(Double.apply, real(2))
    assert gradcheck(Double.apply, real(2), check_undefined_grad=False)
    note = pytest.warns(UserWarning, match="New undefined gradient support checking feature is enabled by default")
    with note, pytest.raises(GradcheckError, match=UNDEFINED):
        gradcheck(Ones.apply, real(2))
    assert gradcheck(Ones.apply, real(2), check_undefined_grad=False)


@pytest.mark.parametrize(("function", "options", "text"), [
    (gradcheck, {"check_backward_ad": False},
     "Expected at least one of check_forward_ad or check_backward_ad to be True"),
    (gradcheck, {"check_batched_grad": True, "check_backward_ad": False, "check_forward_ad": True},
     "Setting check_batched_grad=True requires check_backward_ad to be True"),
    (gradcheck, {"check_batched_forward_grad": True},
     "Setting check_batched_forward_grad=True requires check_forward_ad to be True"),
    (gradgradcheck, {"check_rev_over_rev": False},
     "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"),
    (gradgradcheck, {"check_rev_over_rev": False, "check_fwd_over_rev": True},
     "Setting check_undefined_grad=True requires check_rev_over_rev to be True"),
])
def test_options_that_do_not_fit(function, options, text):
    with pytest.raises(AssertionError, match=text):
        function(lambda a: a * 2, real(2), **options)


def test_options_go_by_name():
    with pytest.raises(TypeError, match=r"gradcheck\(\) takes 2 positional arguments but 3 were given"):
        gradcheck(lambda a: a * 2, real(2), 1e-6)


def test_errors_of_the_function_pass_through():
    for raise_exception in (True, False):
        with pytest.raises(ZeroDivisionError):
            gradcheck(lambda a: 1 / 0, real(2), raise_exception=raise_exception)
    a = real(2)
    before = a.tolist()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        gradcheck(lambda a: a.mul_(2), a)
    assert a.tolist() == before


def test_nan_is_no_agreement():
    with pytest.raises(GradcheckError, match=MISMATCH):
        gradcheck(lambda a: a / 0 * 0, real(2))


def test_grad_outputs():
    ones = torch.ones(2, dtype=torch.float64)
    for grad_outputs in (ones.clone().requires_grad_(), (ones.clone().requires_grad_(),), [ones]):
        assert gradgradcheck(lambda a: a**3, real(2), grad_outputs)
    with pytest.raises(RuntimeError, match="Mismatch in shape: grad_output"):
        gradgradcheck(lambda a: a**3, real(3), ones.requires_grad_())
    assert gradgradcheck(lambda a: (a**3, a.argmax()), real(2))
    with pytest.warns(UserWarning, match="Input #1 requires gradient and is not a double"):
        gradgradcheck(lambda a: a**3, real(2), ones.float().requires_grad_(), raise_exception=False)
