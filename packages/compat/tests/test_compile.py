"""wengert.compile, compiler and _dynamo beside what PyTorch 2.13 does with right and wrong arguments."""

import copy
import pickle

import pytest
import wengert as wg


def double(x):
    return 2 * x


class Scale:
    def __call__(self, x):
        return 3 * x


SETTINGS = pytest.mark.parametrize("settings", [
    {}, {"fullgraph": True}, {"dynamic": False}, {"backend": "eager"}, {"backend": "inductor"}, {"mode": "default"},
    {"options": {}}, {"recompile_limit": 3}, {"isolate_recompiles": True},
], ids=lambda settings: ",".join(settings) or "none")  # fmt: skip
PASSED_OVER = pytest.mark.parametrize(("settings", "words"), [
    ({"dynamic": True}, "dynamic=True has no meaning here: each shape is recorded"),
    ({"backend": lambda graph, inputs: graph}, "backend has no meaning here: it is not called"),
    ({"backend": "aot_eager"}, "backend has no meaning here"),
    ({"mode": "max-autotune"}, "mode has no meaning here: calls are recorded in one way"),
    ({"options": {"max_autotune": True}}, "options has no meaning here"),
    ({"name": "double"}, "name has no meaning here"), ({"shapes_spec": []}, "shapes_spec has no meaning here"),
], ids=lambda value: None if isinstance(value, str) else ",".join(value))  # fmt: skip


@SETTINGS
def test_compile_returns_a_function_that_gives_the_same(settings):
    for made in (wg.compile(double, **settings), wg.compile(**settings)(double)):
        assert made is not double
        assert (made.__name__, made.__wrapped__, made._torchdynamo_orig_callable) == ("double", double, double)
        for k in range(3):
            assert made(wg.full((2,), float(k))).tolist() == [2 * k] * 2


@PASSED_OVER
def test_a_setting_without_a_meaning_says_so_once_and_changes_nothing(settings, words):
    with pytest.warns(UserWarning, match=f"wengert.compile: {words}") as caught:
        compiled = wg.compile(double, **settings)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    for _ in range(4):
        assert compiled(wg.ones(2)).tolist() == [2, 2]
    assert wg.replay.explain(compiled).replays == 3


@PASSED_OVER
def test_a_function_that_is_not_compiled_says_nothing_of_its_settings(settings, words):
    assert wg.compile(double, disable=True, **settings) is double


def test_compile_refuses_a_backend_that_torch_does_not_have():
    with pytest.raises(RuntimeError, match=r"Invalid backend: 'own', see `torch._dynamo.list_backends"):
        wg.compile(double, backend="own")


def test_compile_refuses_dynamic_that_is_no_bool():
    with pytest.raises(AssertionError, match="Expected enable to be a bool, got <class 'str'>"):
        wg.compile(double, dynamic="yes")


def test_calls_of_a_compiled_function_are_replayed():
    compiled = wg.compile(double)
    for _ in range(4):
        compiled(wg.ones(2))
    assert wg.replay.explain(compiled).replays == 3


def test_the_eager_backend_records_nothing():
    calls = []
    compiled = wg.compile(lambda x: calls.append(1) or x * 2, backend="eager")
    for _ in range(3):
        assert compiled(wg.ones(2)).tolist() == [2, 2]
    assert len(calls) == 3


@pytest.mark.parametrize("make", [wg.compile, lambda fn, **k: wg.compile(**k)(fn)])
def test_disable_returns_the_function(make):
    assert make(double, disable=True) is double


def test_without_replay_compile_returns_the_function(monkeypatch):
    monkeypatch.setattr("wengert_compat.compiling.has_replay", lambda: False)
    model = wg.nn.Linear(2, 2)
    assert wg.compile(double, fullgraph=True) is double
    assert wg.compile(model) is model


def test_compile_takes_the_function_by_keyword():
    assert wg.compile(model=double)(wg.ones(1)).item() == 2


def test_compile_takes_what_can_be_called():
    assert wg.compile(Scale())(wg.ones(1)).item() == 3
    assert wg.compile(Scale) is Scale
    assert wg.compile(len)([1, 2]) == 2


FACTOR, SETTINGS_OF_USER = 2, {"scale": [1.0, 2.0]}


def scale_by_global(x):
    return x * FACTOR * SETTINGS_OF_USER["scale"][1]


def call_another(x):
    return scale_by_global(x) + 1


@pytest.mark.parametrize("function", [scale_by_global, call_another])
def test_globals_are_guarded(function, monkeypatch):
    compiled = wg.compile(function)
    x = wg.ones(2)
    for _ in range(3):
        assert compiled(x).tolist() == function(x).tolist()
    monkeypatch.setitem(globals(), "FACTOR", 5)
    assert compiled(x).tolist() == function(x).tolist()
    SETTINGS_OF_USER["scale"][1] = 7.0
    assert compiled(x).tolist() == function(x).tolist()
    SETTINGS_OF_USER["scale"][1] = 2.0
    assert compiled(x).tolist() == function(x).tolist()
    assert wg.replay.explain(compiled).replays >= 3


def test_closures_defaults_and_attributes_are_guarded():
    factor, offset = 2.0, wg.ones(2)

    class Model:
        def __init__(self):
            self.power = 2

        def run(self, x, *, sign=1):
            return sign * factor * x**self.power + offset

    model = Model()
    compiled = wg.compile(model.run)
    x = wg.full((2,), 3.0)

    def check():
        for _ in range(2):
            assert compiled(x).tolist() == model.run(x).tolist()

    check()
    factor = -2.0
    check()
    factor = 0.0
    check()
    factor = -0.0
    check()
    model.power = 3
    check()
    offset = wg.full((2,), 4.0)
    check()
    Model.run.__kwdefaults__["sign"] = -1
    check()
    assert wg.replay.explain(compiled).replays == 7


def test_modes_hooks_and_parameters_of_modules_are_guarded():
    wg.manual_seed(0)                  # other weights may give zeros alone behind ReLU
    model = wg.nn.Sequential(wg.nn.Linear(3, 3), wg.nn.Dropout(0.5), wg.nn.ReLU())
    compiled = wg.compile(model)
    x = wg.ones(4, 3)
    assert model.eval() is model
    expected = model(x)
    for _ in range(3):
        assert compiled(x).tolist() == expected.tolist()
    compiled.train()
    assert model[1].training
    assert any(compiled(x).tolist() != expected.tolist() for _ in range(5))
    compiled.eval()
    assert compiled(x).tolist() == expected.tolist()
    handle = model[2].register_forward_hook(lambda module, args, output: output + 1)
    assert compiled(x).tolist() == (expected + 1).tolist()
    handle.remove()
    assert compiled(x).tolist() == expected.tolist()
    model[0].weight = wg.nn.Parameter(wg.zeros(3, 3))
    assert compiled(x).tolist() == model(x).tolist()
    model[2] = wg.nn.Tanh()
    assert compiled(x).tolist() == model(x).tolist()


def test_a_compiled_module_has_the_parameters_of_the_module():
    model = wg.nn.Sequential(wg.nn.Linear(2, 3), wg.nn.Dropout(0.5))
    compiled = wg.compile(model)
    assert type(compiled).__name__ == "OptimizedModule"
    assert isinstance(compiled, wg.nn.Module)
    assert compiled._orig_mod is model
    assert list(compiled.state_dict()) == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    assert next(compiled.parameters()) is model[0].weight
    assert len(compiled) == 2
    compiled.extra = 3
    assert model.extra == 3
    del compiled.extra
    assert not hasattr(model, "extra")
    compiled.load_state_dict(compiled.state_dict())
    with pytest.raises(AttributeError, match="'Sequential' object has no attribute 'nothing'"):
        compiled.nothing  # noqa: B018
    assert repr(compiled).startswith("OptimizedModule(\n  (_orig_mod): Sequential(")


def test_a_compiled_module_is_trained_as_the_module_is():
    def train(wrap):
        wg.manual_seed(0)
        model = wg.nn.Sequential(wg.nn.Linear(3, 8), wg.nn.BatchNorm1d(8), wg.nn.Tanh(), wg.nn.Linear(8, 1))
        wrapped = wrap(model)
        optimizer = wg.optim.SGD(wrapped.parameters(), lr=0.1)
        losses = []
        for k in range(6):
            optimizer.zero_grad()
            x = wg.arange(15.0).reshape(5, 3) / (k + 10)
            loss = (wrapped(x) ** 2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses, [one.tolist() for one in model.state_dict().values()]

    made = []
    expected = train(lambda model: model)
    assert train(lambda model: made.append(wg.compile(model)) or made[0]) == expected
    assert wg.replay.explain(made[0]).replays >= 3

    def compile_in_place(model):
        model.compile()
        made.append(model)
        return model

    assert train(compile_in_place) == expected
    assert wg.replay.explain(made[1]._compiled_call_impl).replays >= 3


def test_copies_and_pickles_of_compiled_modules():
    compiled = wg.compile(wg.nn.Linear(2, 2))
    compiled(wg.ones(1, 2))
    for other in (copy.deepcopy(compiled), pickle.loads(pickle.dumps(compiled))):
        assert type(other) is type(compiled)
        assert other._orig_mod is not compiled._orig_mod
        assert other(wg.ones(1, 2)).tolist() == compiled(wg.ones(1, 2)).tolist()
    model = wg.nn.Linear(2, 2)
    model.compile()
    other = copy.deepcopy(model)
    other.weight.data.zero_()
    assert model(wg.ones(1, 2)).tolist() != other(wg.ones(1, 2)).tolist()
    assert other._compiled_call_impl is None


def test_fullgraph_raises_where_a_call_would_run_as_usual():
    compiled = wg.compile(lambda x: x.t(), fullgraph=True)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="fullgraph"):
            compiled(wg.ones(2, 2))


def test_a_call_that_is_not_replayed_gives_no_warning():
    compiled = wg.compile(lambda x: x.t())
    for _ in range(2):
        assert compiled(wg.ones(2, 3)).shape == (3, 2)
    assert wg.replay.explain(compiled).reasons


def test_a_recording_is_a_compilation():
    compiled = wg.compile(lambda x: x * (2 if wg.compiler.is_compiling() else 3))
    assert [compiled(wg.ones(1)).item() for _ in range(3)] == [2, 2, 2]
    assert wg.replay.explain(compiled).replays == 2
    assert not wg.compiler.is_compiling()


def test_reset_forgets_recordings():
    compiled = wg.compile(lambda x: x * 2)
    compiled(wg.ones(2)), compiled(wg.ones(2))
    wg.compiler.reset()
    assert wg.replay.explain(compiled).programs == []
    compiled(wg.ones(2)), compiled(wg.ones(2))
    assert wg.replay.explain(compiled).eager == 2


def test_a_list_that_the_function_appends_to_grows_with_each_call():
    seen = []

    def note(x):
        seen.append(len(seen))
        return x * 2

    compiled = wg.compile(note)
    for _ in range(5):
        compiled(wg.ones(2))
    assert seen == [0, 1, 2, 3, 4]


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


def test_compile_refuses_a_mode_that_torch_does_not_have():
    with pytest.raises(RuntimeError) as caught:
        wg.compile(double, mode="reduce_overhead")
    assert str(caught.value) == ("Unrecognized mode=reduce_overhead, should be one of: default, lite, reduce-overhead, "
                                 "max-autotune-no-cudagraphs, max-autotune")  # fmt: skip
    with pytest.warns(UserWarning, match="has no meaning here"):
        assert wg.compile(double, mode="own", backend=lambda graph, inputs: graph)(wg.ones(1)).item() == 2
    with pytest.warns(UserWarning, match="has no meaning here"):
        assert wg.compile(double, mode="reduce-overhead")(wg.ones(1)).item() == 2


def test_settings_of_compile_are_keywords():
    with pytest.raises(TypeError, match="takes from 0 to 1 positional arguments but 2 were given"):
        wg.compile(double, True)
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        wg.compile(double, foo=True)


def test_compiler_has_compile():
    assert wg.compiler.compile is wg.compile


@pytest.mark.parametrize("disable", [lambda *a, **k: wg.compiler.disable(*a, **k),
                                     lambda *a, **k: wg._dynamo.disable(*a, **k)], ids=["compiler", "_dynamo"])
def test_disable_returns_a_function_that_calls_it(disable):
    for made in (disable(double), disable()(double), disable(double, False), disable(recursive=False)(double),
                 disable(reason="slow")(double)):  # fmt: skip
        assert made._torchdynamo_orig_callable is double
        assert made.__name__ == "double"
        assert made(4) == 8
    assert disable(Scale()).__call__(2) == 6
    assert disable(Scale) is Scale
    with pytest.raises(AssertionError, match="fn must be callable"):
        disable(3)
    with pytest.raises(AssertionError, match="A callable function is expected"):
        disable()(3)


def test_wrapping_is_a_keyword_of_dynamo_alone():
    assert wg._dynamo.disable(double, wrapping=False)(3) == 6
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
