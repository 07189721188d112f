"""wengert.compile, compiler and _dynamo beside what PyTorch 2.13 does with right and wrong arguments."""

import pytest
import wengert as wg


def double(x):
    return 2 * x


class Scale:
    def __call__(self, x):
        return 3 * x


@pytest.mark.parametrize("settings", [
    {}, {"fullgraph": True}, {"dynamic": True}, {"backend": "eager"}, {"backend": lambda graph, inputs: graph},
    {"mode": "max-autotune"}, {"options": {"max_autotune": True}}, {"disable": True}, {"name": "double"},
    {"recompile_limit": 3}, {"isolate_recompiles": True},
], ids=lambda settings: ",".join(settings) or "none")  # fmt: skip
def test_compile_returns_the_function(settings):
    assert wg.compile(double, **settings) is double
    assert wg.compile(**settings)(double) is double


def test_compile_takes_the_function_by_keyword():
    assert wg.compile(model=double) is double


def test_compile_takes_what_can_be_called():
    scale = Scale()
    assert wg.compile(scale) is scale
    assert wg.compile(Scale) is Scale
    assert wg.compile(len) is len


def test_a_compiled_function_is_differentiated():
    x = wg.ones(2, requires_grad=True)
    wg.compile(double)(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("wrong", [3, "double"])
def test_compile_refuses_what_cannot_be_called(wrong):
    text = f"A callable function is expected, but {type(wrong)} is provided."
    for call in (lambda: wg.compile(wrong), lambda: wg.compile(fullgraph=True)(wrong)):
        with pytest.raises(AssertionError) as caught:
            call()
        assert str(caught.value) == text


def test_a_decorator_refuses_none():
    with pytest.raises(RuntimeError, match="Model can't be None"):
        wg.compile(fullgraph=True)(None)


@pytest.mark.parametrize("options", [{}, {"max_autotune": True}], ids=str)
def test_compile_refuses_a_mode_with_options(options):
    with pytest.raises(RuntimeError, match="Either mode or options can be specified"):
        wg.compile(double, mode="default", options=options)
    with pytest.raises(RuntimeError, match="Either mode or options can be specified"):
        wg.compile(mode="default", options=options)(double)


def test_settings_of_compile_are_keywords():
    with pytest.raises(TypeError, match="takes from 0 to 1 positional arguments but 2 were given"):
        wg.compile(double, True)
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        wg.compile(double, foo=True)


def test_compiler_has_compile():
    assert wg.compiler.compile is wg.compile


@pytest.mark.parametrize("disable", [lambda *a, **k: wg.compiler.disable(*a, **k),
                                     lambda *a, **k: wg._dynamo.disable(*a, **k)], ids=["compiler", "_dynamo"])
def test_disable_returns_the_function(disable):
    assert disable(double) is double
    assert disable()(double) is double
    assert disable(double, False) is double
    assert disable(recursive=False)(double) is double
    assert disable(reason="slow")(double) is double
    assert disable(Scale) is Scale
    with pytest.raises(AssertionError, match="fn must be callable"):
        disable(3)
    with pytest.raises(AssertionError, match="A callable function is expected"):
        disable()(3)


def test_wrapping_is_a_keyword_of_dynamo_alone():
    assert wg._dynamo.disable(double, wrapping=False) is double
    with pytest.raises(TypeError, match="wrapping"):
        wg.compiler.disable(double, wrapping=False)


def test_allow_in_graph_takes_a_function_or_several():
    assert wg._dynamo.allow_in_graph is wg.compiler.allow_in_graph
    assert wg.compiler.allow_in_graph(double) is double
    assert wg.compiler.allow_in_graph([double]) == [double]
    assert wg.compiler.allow_in_graph((double, len)) == [double, len]
    for wrong in (3, [3]):
        with pytest.raises(AssertionError, match="allow_in_graph expects a callable"):
            wg.compiler.allow_in_graph(wrong)


def test_a_constant_result_is_not_assumed():
    results = iter([1, 2])
    draw = wg.compiler.assume_constant_result(lambda: next(results))
    assert (draw(), draw()) == (1, 2)
    with pytest.raises(AttributeError, match="int"):
        wg.compiler.assume_constant_result(3)


def test_nothing_is_compiling():
    answers = [wg.compiler.is_compiling(), wg.compiler.is_dynamo_compiling(), wg.compiler.is_exporting(),
               wg._dynamo.is_compiling()]
    assert [answer is False for answer in answers] == [True] * 4


def test_what_there_is_nothing_to_do_for():
    assert wg.compiler.reset() is None
    assert wg._dynamo.reset() is None
    assert wg.compiler.cudagraph_mark_step_begin() is None
    assert wg._dynamo.graph_break() is None
    assert wg._dynamo.graph_break(msg="here") is None
