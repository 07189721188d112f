"""``wengert.as_torch`` and ``python -m wengert.run``: programs that import torch run on wengert, in their process."""

import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import wengert
from wengert.torch_alias import TorchVersion


def python(*arguments: str, cwd: Path | None = None, expect: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=cwd, timeout=120
    )
    assert done.returncode == expect, done.stdout + done.stderr
    return done


def run(program: str) -> list[str]:
    begin = "import sys, wengert\ntorch = wengert.as_torch()\n"
    return python("-W", "error", "-c", begin + program).stdout.splitlines()


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script.py"


@pytest.mark.parametrize("statement", [
    "import torch", "import torch.nn.functional as F; assert F is wengert.nn.functional",
    "from torch import nn, Tensor",
    "from torch.autograd import Function, grad", "import torch.autograd.functional; torch.autograd.functional.vjp",
    "from torch.autograd.gradcheck import gradcheck", "import torch.utils.data.dataloader as d; d.DataLoader",
    "from torch.optim.lr_scheduler import StepLR", "import torch.distributions as D; D.Normal", "import torch.version",
    "from torch.func import vmap, jacrev", "from torch.nn import Module, Linear", "import torch._C, torch.linalg",
    "import torch; assert sys.modules['torch'] is torch",
])  # fmt: skip
def test_imports_find_wengert(statement: str) -> None:
    assert run(statement) == []


def test_modules_below_torch_are_wengerts_own() -> None:
    assert run("""
import torch, torch.nn.functional, torch.utils.data, torch.autograd.gradcheck, torch.optim
for name, module in [*sys.modules.items()]:
    if name.startswith("torch."):
        assert module is sys.modules["wengert" + name.removeprefix("torch")], name
        assert getattr(module, "__name__", "").startswith(("wengert", "gradcheck")), name
assert torch.Tensor is wengert.Tensor and torch.nn is wengert.nn and torch.autograd is wengert.autograd
torch.backends.cudnn.benchmark = True
print(wengert.backends.cudnn.benchmark, wengert.nn.__spec__.name, wengert.nn.__package__)
""") == ["True wengert.nn wengert.nn"]


def test_a_module_is_loaded_once_whichever_name_comes_first() -> None:
    assert run("""
import torch.optim, wengert.optim, wengert.distributions, torch.distributions
print(torch.optim is wengert.optim, torch.distributions is wengert.distributions, torch.optim.SGD is wengert.optim.SGD)
""") == ["True True True"]


def test_it_computes() -> None:
    assert run("""
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * torch.exp(x)).sum().backward()
print(torch.allclose(x.grad, (1 + x) * x.exp()), torch.autograd.grad((x ** 2).sum(), x))
""") == ["True (tensor([2., 4.]),)"]


def test_it_may_be_called_again_and_returns_the_module() -> None:
    assert run("""
import torch as imported
print(wengert.as_torch() is torch is imported, sum(type(f).__name__ == "TorchFinder" for f in sys.meta_path))
""") == ["True 1"]


def test_versions_are_pytorchs() -> None:
    assert run("""
import importlib.metadata, importlib.util, torch
from torch.version import __version__ as version
print(torch.__version__, version, torch.version.cuda, importlib.metadata.version("torch"))
print(torch.__version__ >= "2.2", torch.__version__ < (2, 13, 1), torch.__version__.split(".")[:2])
print(wengert.__version__ == wengert.version.__version__ == importlib.metadata.version("wengert"))
print([d.metadata["Name"] for d in importlib.metadata.distributions(name="torch")])
print(importlib.util.find_spec("torch").name, importlib.util.find_spec("torch.no_such_module"))
""") == [
        "2.13.0+wengert 2.13.0+wengert None 2.13.0+wengert", "True True ['2', '13']", "True", "['torch']", "torch None",
    ]  # fmt: skip


def test_plugins_are_still_found() -> None:
    assert run("""
from importlib.metadata import entry_points
print(len(entry_points(group="wengert.namespace.v1")) > 10, hasattr(torch, "compile"), torch.plugins is wengert.plugins)
""") == ["True True True"]


def test_the_module_has_wengerts_names() -> None:
    assert run("""
from torch import *
print(sin is wengert.sin, nn is wengert.nn, set(dir(torch)) >= {"sin", "nn", "Tensor"}, torch.__name__, torch.__path__)
print(hasattr(torch, "no_such_name"), hasattr(torch, "__wrapped__"), repr(torch)[:15])
try:
    torch.no_such_name
except AttributeError as error:
    print(error)
""") == ["True True True torch []", "False False <module 'torch'", "module 'wengert' has no attribute 'no_such_name'"]


def test_what_wengert_lacks_is_not_found() -> None:
    assert run("""
names = "torch.distributed.rpc torch.no_such_module torch.nn.no_such_module torch.compose torch.torch_alias"
for name in names.split():
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        print(error.name, str(error).startswith(f"No module named '{name}'"))
""") == [f"torch.{name} True" for name in
         ("distributed.rpc", "no_such_module", "nn.no_such_module", "compose", "torch_alias")]


def test_names_can_be_patched() -> None:
    assert run("""
from unittest import mock
with mock.patch("torch.sin", return_value=5), mock.patch("torch.nn.functional.relu", return_value=6):
    import torch, torch.nn.functional as F
    print(torch.sin(), F.relu())
print(torch.sin is wengert.sin, F.relu is wengert.nn.functional.relu)
""") == ["5 6", "True True"]


def test_programs_read_modules_as_dicts() -> None:
    assert run("""
import torch
print("Normal" in vars(torch.distributions), "SGD" in torch.optim.__dict__)
""") == ["True True"]


def test_parts_that_are_absent_have_what_libraries_read_of_them() -> None:
    assert run("""
import torch, torch.hub
from torch.onnx import is_in_onnx_export
print(torch.hub.HASH_REGEX.search("weights-0a1b.pth").group(1), is_in_onnx_export(), hasattr(wengert, "hub"))
try:
    torch.hub.load
except AttributeError as error:
    print("torch.hub is no part of wengert" in str(error))
""") == ["0a1b False False", "True"]


def test_functorch_is_beside_torch() -> None:
    assert run("""
import torch
from functorch import grad, vmap
print(vmap(grad(torch.sin))(torch.zeros(2)))
""") == ["tensor([1., 1.])"]


def test_the_configuration_is_shown() -> None:
    assert run("""
import torch
print("wengert" in torch.__config__.show())
""") == ["True"]


def test_libraries_see_whose_tensors_they_have() -> None:
    assert run("""
import torch
print(torch.Tensor.__module__, type(torch.ones(1)).__module__)
""") == ["torch torch"]


def test_pickles_have_no_names_of_torch() -> None:
    (line,) = run("""
import pickle, torch
data = pickle.dumps([torch.ones(2), torch.float32, torch.Size([1]), torch.nn.Linear(2, 1)])
print(data.hex())
""")
    assert b"torch" not in bytes.fromhex(line)
    assert wengert.equal(pickle.loads(bytes.fromhex(line))[0], wengert.ones(2))


def test_pytorch_that_is_imported_stays(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("__version__ = '2.0.0'")
    done = python("-c", "import torch, wengert; wengert.as_torch()", cwd=tmp_path, expect=1)
    assert "RuntimeError: wengert.as_torch() came too late: PyTorch 2.0.0 has been imported, from " in done.stderr
    done = python("-c", "import wengert; wengert.as_torch(); import torch; print(torch.__version__)", cwd=tmp_path)
    assert done.stdout == "2.13.0+wengert\n"


def test_importing_wengert_changes_nothing() -> None:
    program = """
import sys, wengert
print([name for name in sys.modules if name == "torch" or name.startswith(("torch.", "wengert.torch_alias"))])
print(any(type(finder).__name__ == "TorchFinder" for finder in sys.meta_path), "as_torch" in dir(wengert))
"""
    assert python("-c", program).stdout.splitlines() == ["[]", "False True"]


def test_versions_compare_by_number() -> None:
    version = TorchVersion("2.13.0+wengert")
    assert version > "2.2" > TorchVersion("2.1.1")
    assert version != "2.13.0"
    assert version > "2.13.0"
    assert version == "2.13.0+wengert"
    assert hash(version) == hash("2.13.0+wengert")
    assert version in {"2.13.0+wengert": 1}
    assert (1, 8) < TorchVersion("1.10") <= (1, 10) < (1, 10, 1)
    assert TorchVersion("2.0.0.dev20230101") < "2.0.0" == TorchVersion("2")
    assert TorchVersion("2.0") > "2.0a1" and not TorchVersion("2.0") < "2.0rc1"  # noqa: PT018
    assert version != 3.0
    assert str(version).split("+") == ["2.13.0", "wengert"]


# ---- python -m wengert.run


FACTS = """
import sys, torch
print(sys.argv, __name__, __file__, __spec__, __package__, sys.path[0], vars(sys.modules["__main__"]) is globals())
"""


def test_a_script_runs_as_under_python(script: Path) -> None:
    script.write_text(FACTS)
    (script.parent / "torch.py").write_text("")  # what `python script.py` finds there
    arguments = ["script.py", "-m", "one", "--two=3"]
    by_run = python("-m", "wengert.run", *arguments, cwd=script.parent).stdout
    assert by_run == python(*arguments, cwd=script.parent).stdout
    assert by_run.startswith("['script.py', '-m', 'one', '--two=3'] __main__ ")


def test_a_script_in_another_directory_finds_its_neighbors(script: Path, tmp_path: Path) -> None:
    script.write_text("import neighbor")
    (script.parent / "neighbor.py").write_text("import torch; print(torch.ones(1))")
    assert python("-m", "wengert.run", str(script), cwd=Path("/")).stdout == "tensor([1.])\n"


def test_a_module_runs_as_under_python(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (tmp_path / "torch.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "part.py").write_text("value = 5")
    (package / "__main__.py").write_text(FACTS.replace("__spec__", "__spec__.name") + "from .part import value\n")
    for name in ("package", "package.__main__"):
        by_run = python("-m", "wengert.run", "-m", name, "one", cwd=tmp_path).stdout
        assert by_run == python("-m", name, "one", cwd=tmp_path).stdout
        assert "package.__main__ package" in by_run


def test_the_exit_status_is_the_programs(script: Path) -> None:
    for end, status, message in (
        ("sys.exit(5)", 5, ""), ("sys.exit('stop')", 1, "stop\n"), ("sys.exit()", 0, ""), ("os._exit(3)", 3, ""),
        ("", 0, ""),
    ):  # fmt: skip
        script.write_text(f"import os, sys, torch\n{end}\n")
        assert python("-m", "wengert.run", str(script), expect=status).stderr == message


@pytest.mark.parametrize("text", [
    "def f():\n    raise ValueError('of the program')\nf()", "x = = 3", "import no_such_module",
    "raise KeyboardInterrupt", "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError from e",
], ids=["raise", "syntax", "import", "interrupt", "chain"])  # fmt: skip
def test_tracebacks_have_the_programs_frames_only(text: str, script: Path) -> None:
    script.write_text(text)
    status = -signal.SIGINT if "Interrupt" in text else 1
    ours = python("-m", "wengert.run", "script.py", cwd=script.parent, expect=status).stderr
    assert ours == python("script.py", cwd=script.parent, expect=status).stderr
    assert ours


def test_a_hook_of_the_program_gets_the_programs_frames(script: Path) -> None:
    script.write_text("""
import sys
sys.excepthook = lambda kind, error, trace: print(kind.__name__, trace.tb_lineno, trace.tb_next)
raise ValueError
""")
    assert python("-m", "wengert.run", str(script), expect=1).stdout == "ValueError 4 None\n"


def test_what_cannot_be_run_is_said_as_python_says_it(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    for arguments, status in ((["none.py"], 2), (["-m", "none"], 1), (["-m", "package"], 1)):
        ours = python("-m", "wengert.run", *arguments, cwd=tmp_path, expect=status).stderr
        assert ours == python(*arguments, cwd=tmp_path, expect=status).stderr


def test_usage() -> None:
    assert python("-m", "wengert.run", "--help").stdout.startswith("usage: python -m wengert.run")
    assert python("-m", "wengert.run", expect=2).stderr.startswith("usage: python -m wengert.run")


def test_objects_of_the_program_are_pickled(script: Path) -> None:
    script.write_text("""
import copy, pickle, torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
net = pickle.loads(pickle.dumps(Net()))
print(type(net) is Net, Net.__module__)
""")
    assert python("-m", "wengert.run", str(script)).stdout == "True __main__\n"


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes_import_torch_too(method: str, script: Path) -> None:
    script.write_text(f"""
import torch
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __getitem__(self, index):
        return torch.full((2,), index)
    def __len__(self):
        return 3
if __name__ == "__main__":
    for batch in DataLoader(Data(), 2, num_workers=1, multiprocessing_context="{method}"):
        print(batch.tolist())
""")
    done = python("-m", "wengert.run", str(script))
    assert done.stdout.splitlines() == ["[[0, 0], [1, 1]]", "[[2, 2]]"]
