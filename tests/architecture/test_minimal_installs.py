"""Each part works with only those below it installed, and says what to install when a missing one is asked for.

What is installed with the packages beside ``wengert`` is tested in test_optional_installs.py.
"""

import re
from pathlib import Path

import pytest
from small_environments import OUTSIDE, environment, error, run

CORE = ("wengert-registry", "wengert-core")
ENGINE = (*CORE, "wengert-engine")
FORMULAS = (*ENGINE, "wengert-formulas")
WENGERT = (*FORMULAS, "wengert")
GRAPH = (*WENGERT, "wengert-graph")
FUNCTIONAL = (*WENGERT, "wengert-functional")
GRADCHECK = (*WENGERT, "wengert-gradcheck")
PROFILER = (*WENGERT, "wengert-profiler")
SPECIAL = (*WENGERT, "wengert-special")
SQUARE = "x = wc.tensor([1.0, 2.0], requires_grad=True); y = (x * x).sum()"


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("core"), CORE)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("whole"), WENGERT)


@pytest.fixture(scope="module")
def with_special(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("special"), SPECIAL, outside=(*OUTSIDE, "scipy"))


@pytest.fixture(scope="module")
def with_graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("graph"), GRAPH)


@pytest.fixture(scope="module")
def with_functional(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("functional"), FUNCTIONAL)


@pytest.fixture(scope="module")
def with_profiler(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("profiler"), PROFILER)


@pytest.fixture(scope="module")
def with_gradcheck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("gradcheck"), GRADCHECK)


def test_the_folder_is_all_there_is(core: Path) -> None:
    """What the other tests rely on."""
    assert "ModuleNotFoundError" in error(core, "", "import wengert_engine")
    assert "ModuleNotFoundError" in error(core, "", "import pytest")


def test_the_registry_needs_nothing(tmp_path: Path) -> None:
    folder = environment(tmp_path, CORE[:1], outside=())
    assert run(folder, "from wengert_registry import registry; print(registry.group('devices').names())") == "()"


def test_core_is_a_tensor_library_of_its_own(core: Path) -> None:
    program = """
import wengert_core as wc
x = wc.tensor([[1.0, 2.0], [3.0, 4.0]])
x[0] += 1
print((x @ x.t()).sum(dim=0).tolist(), x.view(4).numpy().dtype, wc.promote_types(wc.int64, wc.float16) is wc.float16)
"""
    assert run(core, program) == "[31.0, 43.0] float32 True"


@pytest.mark.parametrize(
    "statement",
    [
        "wc.ones(2, requires_grad=True)",
        "wc.tensor([1.0], requires_grad=True)",
        "x.requires_grad_()",
        "x.requires_grad = True",
        "x.backward()",
    ],
)
def test_core_alone_says_what_gradients_need(core: Path, statement: str) -> None:
    text = error(core, "import wengert_core as wc; x = wc.ones(2)", statement)
    assert "'ImportError'" in text
    assert "pip install wengert-engine wengert-formulas" in text


def test_core_alone_has_no_gradients_to_show(core: Path) -> None:
    program = "import wengert_core as wc; x = wc.ones(2); print(x.requires_grad, x.grad, x.grad_fn, x.is_leaf)"
    assert run(core, program) == "False None None True"


def test_the_engine_without_formulas_names_the_operation_and_the_command(tmp_path: Path) -> None:
    folder = environment(tmp_path, ENGINE)
    text = error(folder, f"import wengert_core as wc, wengert_engine\n{SQUARE}", "y.backward()")
    assert "'RuntimeError'" in text
    assert re.search(r"derivative for aten::(sum|mul) is not implemented: ", text)
    assert "wengert-formulas is not installed: pip install wengert-formulas" in text


def test_a_custom_function_needs_no_formulas(tmp_path: Path) -> None:
    program = """
import wengert_core as wc
from wengert_engine import Function
class Double(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
x = wc.tensor([1.0, 2.0], requires_grad=True)
Double.apply(x).backward(wc.ones(2))
print(x.grad.tolist())
"""
    assert run(environment(tmp_path, ENGINE), program) == "[2.0, 2.0]"


def test_engine_and_formulas_differentiate_without_the_namespace(tmp_path: Path) -> None:
    folder = environment(tmp_path, FORMULAS)
    program = f"import wengert_core as wc, wengert_engine\n{SQUARE}; y.backward(); print(x.grad.tolist())"
    assert run(folder, program) == "[2.0, 4.0]"


def test_wengert_works_with_the_four_parts_it_needs(whole: Path) -> None:
    program = f"import sys, wengert as wc\n{SQUARE}; y.backward(); print(x.grad.tolist(), 'pytest' in sys.modules)"
    assert run(whole, program) == "[2.0, 4.0] False"


def test_bfloat16_needs_nothing_beside_numpy(whole: Path) -> None:
    program = """
import wengert as wc
x = wc.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=wc.bfloat16, requires_grad=True)
(x @ x).exp().log().sum().backward()
print(x.grad.tolist(), wc.frombuffer(bytearray([128, 63]), dtype=wc.bfloat16).item())
"""
    assert run(whole, program) == "[[7.0, 11.0], [9.0, 13.0]] 1.0"


def test_importing_wengert_asks_for_numpy_only(whole: Path) -> None:
    program = """
import sys, wengert
tops = {name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)
print(*sorted(name for name in tops if not name.startswith(('_', 'wengert'))))
"""
    assert set(run(whole, program).split()) <= {*OUTSIDE, "cython_runtime"}


MISSING = [
    ("wg.autograd.functional", "functional"),
    ("wg.autograd.functional.jacobian", "functional"),
    ("wg.vmap", "functional"),
    ("wg.func.grad", "functional"),
    ("from wengert.func import jacrev", "functional"),
    ("from wengert.autograd import functional", "functional"),
    ("import wengert.autograd.functional as functional", "functional"),
    ("wg.autograd.gradcheck", "gradcheck"),
    ("from wengert.autograd import gradcheck", "gradcheck"),
    ("from wengert.autograd import gradgradcheck", "gradcheck"),
    ("from wengert.autograd.gradcheck import GradcheckError", "gradcheck"),
    ("import wengert.autograd.profiler", "profiler"),
    ("wg.autograd.profiler.profile()", "profiler"),
    ("from wengert.profiler import compare", "profiler"),
    ("import wengert.profile; wengert.profile.main(['x.py'])", "profiler"),
    ("wg.autograd.graph.walk", "graph"),
    ("from wengert.autograd.graph import saved_memory", "graph"),
    ("wg.utils.checkpoint", "graph"),
    ("import wengert.utils.checkpoint", "graph"),
    ("from wengert.utils.checkpoint import checkpoint", "graph"),
    ("from wengert.utils import checkpoint", "graph"),
    ("wg.polygamma(1, wg.ones(2))", "special"),
    ("wg.ones(2).polygamma(1)", "special"),
    ("wg.ones(2).igamma_(wg.ones(2))", "special"),
    ("from wengert import igamma", "special"),
    ("wg.i0", "special"),
    ("wg.special.i1e", "special"),
    ("from wengert.special import bessel_j0", "special"),
    ("from wengert.special import polygamma", "special"),
    ("wg.sparse_coo_tensor([[0]], [1.0])", "sparse"),
    ("wg.ones(2).to_sparse()", "sparse"),
    ("wg.sparse_csr", "sparse"),
    ("wg.sparse.mm", "sparse"),
    ("from wengert import sparse_coo", "sparse"),
    ("from wengert.sparse import softmax", "sparse"),
]


@pytest.mark.parametrize(("statement", "extra"), MISSING, ids=[statement for statement, _ in MISSING])
def test_a_missing_part_names_the_command_that_installs_it(whole: Path, statement: str, extra: str) -> None:
    text = error(whole, "import wengert as wg", statement)
    assert "'ImportError'" in text
    assert f"pip install 'wengert[{extra}]'" in text


def test_cuda_is_there_without_its_part(whole: Path) -> None:
    text = run(whole, "import wengert as wg, wengert.cuda; print(wg.cuda.is_available(), wengert.cuda.device_count())")
    assert text.split() == ["False", "0"]
    assert "pip install 'wengert[cuda12]'" in error(whole, "import wengert as wg", "wg.ones(1, device='cuda')")


def test_a_name_that_nobody_brings_is_an_attribute_error(whole: Path) -> None:
    assert "'AttributeError'" in error(whole, "import wengert as wg", "wg.no_such_name")
    assert "'ImportError'" in error(whole, "", "from wengert import no_such_name")
    assert "'ModuleNotFoundError'" in error(whole, "", "import wengert.no_such_module")
    assert run(whole, "import wengert as wg; print(hasattr(wg.autograd, 'no_such_name'))") == "False"


def test_special_names_that_need_no_scipy_are_there_without_it(whole: Path) -> None:
    program = """
import wengert as wg, wengert.special
x = wg.tensor([0.5], requires_grad=True)
y = wengert.special.expit(x).lgamma() + wg.special.ndtr(x).digamma().detach() + wg.mvlgamma(x + 1, 2)
y.backward()
print(wg.fft.fft(x).shape, x.grad.shape)
"""
    assert run(whole, program) == "torch.Size([1]) torch.Size([1])"


def test_the_second_derivative_of_lgamma_names_what_it_needs(whole: Path) -> None:
    setup = (
        "import wengert as wg; x = wg.ones(1, requires_grad=True)\n"
        "(g,) = wg.autograd.grad(x.lgamma(), x, create_graph=True)"
    )
    text = error(whole, setup, "wg.autograd.grad(g, x)")
    assert "'ImportError'" in text
    assert "pip install wengert-special" in text


def test_special_functions_come_with_their_part(with_special: Path) -> None:
    program = """
import sys, wengert as wg
print('scipy' in sys.modules, 'wengert_special' in sys.modules)
x = wg.tensor([0.0], requires_grad=True)
(x.i0() + wg.special.i1(x)).backward()
print(x.grad.tolist(), 'scipy' in sys.modules)
"""
    assert run(with_special, program).splitlines() == ["False False", "[0.5] True"]


def test_sparse_tensors_come_with_their_part(whole: Path, tmp_path: Path) -> None:
    lacking = error(whole, "import wengert as wg; w = wg.ones(3, 2, requires_grad=True)",
                    "wg.nn.functional.embedding(wg.tensor([1]), w, sparse=True)")  # fmt: skip
    assert "'NotImplementedError'" in lacking
    assert "pip install 'wengert[sparse]'" in lacking
    folder = environment(tmp_path, (*WENGERT, "wengert-sparse"), outside=(*OUTSIDE, "scipy"))
    program = """
import sys, wengert as wg
print('scipy' in sys.modules, 'wengert_sparse' in sys.modules)
w = wg.ones(3, 2, requires_grad=True)
wg.nn.functional.embedding(wg.tensor([1]), w, sparse=True).sum().backward()
print(w.grad.is_coalesced(), w.grad.indices().tolist(), 'scipy' in sys.modules)
x = wg.ones(200, 200).to_sparse()
print((x @ wg.ones(200, 2)).sum().item(), 'scipy' in sys.modules)
print((x @ x).to_dense().sum().item(), 'scipy' in sys.modules)
"""
    assert run(folder, program).splitlines() == ["False False", "True [[1]] False", "80000.0 False", "8000000.0 True"]


def test_special_works_without_the_namespace(tmp_path: Path) -> None:
    folder = environment(tmp_path, (*FORMULAS, "wengert-special"), outside=(*OUTSIDE, "scipy"))
    program = """
import wengert_core as wc, wengert_engine
from wengert_registry import registry
i1 = registry.group("ops").get("special").ops["special.i1"]
x = wc.tensor([0.0], requires_grad=True)
i1(x).backward()
print(x.grad.tolist())
"""
    assert run(folder, program) == "[0.5]"


def test_an_optional_part_is_loaded_when_one_of_its_names_is_used(with_graph: Path) -> None:
    program = """
import sys, wengert as wg
print('wengert_graph' in sys.modules, 'walk' in dir(wg.autograd.graph), 'walk' in vars(wg.autograd.graph))
x = wg.ones(2, requires_grad=True)
print(*[step.name for step in wg.autograd.graph.walk(x * x)])
print(sorted(name for name in sys.modules if name.startswith('wengert_graph')), 'walk' in vars(wg.autograd.graph))
"""
    first, second, third = run(with_graph, program).splitlines()
    assert first == "False True False"
    assert second == "MulBackward0 AccumulateGrad"
    assert third == "['wengert_graph', 'wengert_graph.source', 'wengert_graph.walking'] True"


@pytest.mark.parametrize("statement", [
    "import wengert as wg; checkpoint = wg.utils.checkpoint.checkpoint",
    "import wengert.utils.checkpoint as module; checkpoint = module.checkpoint",
    "from wengert.utils.checkpoint import checkpoint",
    "from wengert.utils import checkpoint as module; checkpoint = module.checkpoint",
    "import wengert.utils; checkpoint = wengert.utils.checkpoint.checkpoint",
])
def test_checkpoint_is_found_in_every_way_of_importing_it(with_graph: Path, statement: str) -> None:
    program = f"""
{statement}
import sys, wengert
x = wengert.ones(2, requires_grad=True)
checkpoint(wengert.exp, x, use_reentrant=False).sum().backward()
print(x.grad.tolist() == x.exp().tolist(), sys.modules['wengert.utils.checkpoint'].checkpoint is checkpoint)
"""
    assert run(with_graph, program) == "True True"


@pytest.mark.parametrize("statement", [
    "import wengert as wg; jacobian, grad = wg.autograd.functional.jacobian, wg.func.grad",
    "from wengert.autograd.functional import jacobian; from wengert.func import grad",
    "from wengert.autograd import functional as F; from wengert import func as f; jacobian, grad = F.jacobian, f.grad",
    "import wengert.autograd.functional as F; import wengert.func as f; jacobian, grad = F.jacobian, f.grad",
])
def test_functional_is_found_in_every_way_of_importing_it(with_functional: Path, statement: str) -> None:
    program = f"""
import sys, wengert
before = 'wengert_functional' in sys.modules
{statement}
x = wengert.ones(2)
print(before, jacobian(wengert.exp, x).shape, grad(lambda x: (x * x).sum())(x).tolist())
"""
    assert run(with_functional, program) == "False torch.Size([2, 2]) [2.0, 2.0]"


def test_functional_works_without_the_namespace(tmp_path: Path) -> None:
    folder = environment(tmp_path, (*FORMULAS, "wengert-functional"))
    program = """
import wengert_core as wc, wengert_engine
from wengert_functional.functional import hvp
print(hvp(lambda x: (x * x * x).sum(), wc.tensor([1.0, 2.0]), wc.tensor([1.0, 1.0]))[1].tolist())
"""
    assert run(folder, program) == "[6.0, 12.0]"


@pytest.mark.parametrize("statement", [
    "import wengert as wg; profile, record_function = wg.autograd.profiler.profile, wg.profiler.record_function",
    "from wengert.autograd.profiler import profile, record_function",
    "from wengert.autograd import profiler as p; profile, record_function = p.profile, p.record_function",
    "import wengert.autograd.profiler as p; profile, record_function = p.profile, p.record_function",
    "from wengert.profiler import profile, record_function",
])
def test_the_profiler_is_found_in_every_way_of_importing_it(with_profiler: Path, statement: str) -> None:
    program = f"""
import sys, wengert
before = 'wengert_profiler' in sys.modules
{statement}
with profile() as prof, record_function('label'):
    wengert.ones(2).exp()
print(before, [event.name for event in prof.function_events], 'nvtx' in sys.modules)
"""
    assert run(with_profiler, program) == "False ['label', 'aten::ones', 'aten::exp'] False"


def test_the_profiler_works_without_formulas_and_namespace(tmp_path: Path) -> None:
    folder = environment(tmp_path, (*ENGINE, "wengert-profiler"))
    program = """
import wengert_core as wc, wengert_engine
from wengert_profiler.torch_names.profiler import profile
with profile() as prof:
    wc.ones(2).exp()
print([row.key for row in prof.key_averages()])
"""
    assert run(folder, program) == "['aten::ones', 'aten::exp']"


def test_ranges_name_the_package_that_they_need(with_profiler: Path) -> None:
    for name, extra in (("nvtx", "nvtx"), ("itt", "itt")):
        text = error(with_profiler, "import wengert as wg", f"wg.autograd.profiler.emit_{name}().__enter__()")
        assert "'ImportError'" in text
        assert f"pip install 'wengert-profiler[{extra}]'" in text


@pytest.mark.parametrize("statement", [
    "import wengert; check = wengert.autograd.gradcheck",
    "from wengert.autograd import gradcheck as check",
    "from wengert.autograd.gradcheck import gradcheck as check",
    "import wengert.autograd.gradcheck as check",
    "from wengert.autograd.gradcheck import gradgradcheck; from wengert.autograd import gradcheck as check",
    "from wengert.autograd import gradgradcheck, gradcheck as check; import wengert.autograd.gradcheck",
])
def test_gradcheck_is_a_function_in_every_way_of_importing_it(with_gradcheck: Path, statement: str) -> None:
    program = f"""
{statement}
import sys, types, wengert
from wengert.autograd.gradcheck import GradcheckError
x = wengert.ones(2, dtype=wengert.float64, requires_grad=True)
print(check(wengert.exp, x), type(check) is types.FunctionType, check is wengert.autograd.gradcheck,
      issubclass(GradcheckError, RuntimeError), 'hypothesis' in sys.modules)
"""
    assert run(with_gradcheck, program) == "True True True True False"


def test_what_gradcheck_can_do_without_names_its_extra(with_gradcheck: Path) -> None:
    assert "wengert-gradcheck[hypothesis]" in error(with_gradcheck, "", "import wengert_gradcheck.strategies")
    assert "wengert-gradcheck[formulas]" in error(
        with_gradcheck, "", "from wengert_gradcheck import check_formula; check_formula('mul')")


def test_a_name_in_a_module_is_no_module(with_graph: Path) -> None:
    assert "'ModuleNotFoundError'" in error(with_graph, "", "import wengert.autograd.graph.walk")
    assert "'AttributeError'" in error(with_graph, "import wengert as wg", "wg.autograd.graph.no_such_name")
    assert "'AttributeError'" in error(with_graph, "import wengert as wg", "wg.utils.no_such_name")


def test_graph_works_without_formulas_and_namespace(tmp_path: Path) -> None:
    folder = environment(tmp_path, (*ENGINE, "wengert-graph"))
    program = f"""
import wengert_core as wc, wengert_engine
from wengert_graph.walking import walk
{SQUARE}
print(*[step.name for step in walk(y)])
"""
    assert run(folder, program) == "NotImplemented NotImplemented AccumulateGrad"  # there are no formulas


def test_a_strangers_names_are_mounted_where_its_entries_say(tmp_path: Path) -> None:
    folder = environment(tmp_path, WENGERT)
    (folder / "acme.py").write_text("ONE = 1\ndef twice(x):\n    return 2 * x\n", encoding="utf-8")
    (folder / "acme_inner.py").write_text("TWO = 2\n", encoding="utf-8")
    metadata = folder / "acme-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(
        "[wengert.namespace.v1]\nacme = acme\nacme.inner = acme_inner\nautograd.graph.twice = acme:twice\n"
        "elsewhere.twice = acme:twice\n",
        encoding="utf-8",
    )
    program = """
import sys, wengert as wg
before = 'acme' in sys.modules
import wengert.acme.inner, wengert.elsewhere
from wengert.autograd.graph import twice, Node
print(before, wengert.acme.ONE, wengert.acme.inner.TWO, twice(3), wg.elsewhere.twice(4), wg.acme.twice is twice)
"""
    assert run(folder, program) == "False 1 2 6 8 True"
