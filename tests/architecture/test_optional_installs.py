"""Each optional package works with what is installed with it alone, as by ``pip install 'wengert[nn]'``."""

from pathlib import Path

import pytest
from small_environments import environment, requirements_of, run

PROGRAMS = {
    "nn": """
from wengert import nn
model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.0), nn.LSTM(4, 2))
values, state = model(wg.ones(5, 3))
values.sum().backward()
nn.TransformerEncoderLayer(4, 2, batch_first=True)(wg.ones(1, 2, 4)).sum().backward()
assert "LSTM(4, 2)" in repr(model)
try:
    model[0].weight = 3
except TypeError as error:
    assert "cannot assign 'int' as parameter 'weight'" in str(error)
""",
    "optim": """
for name in wg.optim.__all__:
    kind = getattr(wg.optim, name)
    if not isinstance(kind, type) or name in ("Optimizer", "SparseAdam"):
        continue
    weight = wg.ones(2, 2, requires_grad=True)
    optimizer = kind([weight])
    def loss():
        optimizer.zero_grad()
        result = (weight * weight).sum()
        result.backward()
        return result
    optimizer.step(loss)
    assert not wg.equal(weight, wg.ones(2, 2)), name
    scheduler = wg.optim.lr_scheduler.StepLR(optimizer, 1)
    optimizer.step(loss)
    scheduler.step()
""",
    "distributions": """
d = wg.distributions
assert d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 1.0)).item() == 0.5
for one in (d.Bernoulli(0.5), d.Dirichlet(wg.ones(3)), d.OneHotCategorical(wg.ones(3)), d.Gamma(1.0, 1.0)):
    assert one.log_prob(one.sample()).isfinite().all()
""",
    "serialization": """
import io
file = io.BytesIO()
wg.save({"a": wg.ones(2)}, file)
file.seek(0)
assert wg.load(file)["a"].tolist() == [1.0, 1.0]
""",
    "data": """
from wengert.utils.data import DataLoader, TensorDataset
assert [len(x) for (x,) in DataLoader(TensorDataset(wg.ones(5, 2)), batch_size=2, shuffle=True)] == [2, 2, 1]
""",
    "replay": """
step = wg.capture(lambda x: (x * x).sum())
assert [step(wg.ones(3)).item() for _ in range(3)] == [3.0] * 3
""",
    "compat": """
assert wg.typename(wg.ones(1)) == "torch.FloatTensor"
with wg.autocast("cpu"):
    assert (wg.ones(2, 2) @ wg.ones(2, 2)).dtype is wg.bfloat16
""",
    "numpy": """
import numpy as np
x = wg.ones(3, requires_grad=True)
np.sum(np.exp(x) * 2).backward()
assert x.grad.shape == (3,)
""",
    "distributed": """
wg.distributed.init_process_group("self")
wg.distributed.all_reduce(wg.ones(2))
wg.distributed.destroy_process_group()
""",
    "functional": "assert wg.func.grad(wg.sin)(wg.tensor(0.0)).item() == 1.0",
    "gradcheck": "assert wg.autograd.gradcheck(wg.sin, wg.ones(2, dtype=wg.float64, requires_grad=True))",
    "graph": "assert [step.name for step in wg.autograd.graph.walk(wg.ones(1, requires_grad=True).exp())]",
    "profiler": """
with wg.autograd.profiler.profile() as prof:
    wg.ones(1).exp()
assert "aten::exp" in prof.key_averages().table()
""",
    "special": "assert wg.special.i1(wg.zeros(1)).item() == 0.0",
    "sparse": "assert wg.eye(2).to_sparse().values().tolist() == [1.0, 1.0]",
}
OF_OTHER_EXTRAS = {
    "optim": ["wengert_optim.swa_utils"],
    "numpy": ["wengert_numpy.array_api.special", "wengert_numpy.autograd_scipy"],
    "distributed": [
        "wengert_distributed.optim", "wengert_distributed.parallel.data_parallel",
        "wengert_distributed.parallel.data_parallel_checks", "wengert_distributed.tensor_parallel.modules",
    ],
    "gradcheck": ["wengert_gradcheck.strategies"],
}  # fmt: skip
"""Modules that need another extra; each says which (SciPy's are asked for by SciPy's own name)."""
IMPORT_ALL = """
import importlib, pkgutil, {module}
for found in pkgutil.walk_packages({module}.__path__, "{module}."):
    if ".testing" in found.name or found.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(found.name)
    except ImportError as error:
        assert "pip install" in str(error) or "scipy" in str(error), (found.name, error)
        print(found.name)
"""


def install(folder: Path, extra: str) -> Path:
    """Make an environment with what ``wengert[extra]`` installs."""
    needed = dict.fromkeys([*requirements_of("wengert"), *requirements_of(f"wengert-{extra}")])
    ours = [name for name in needed if name.startswith("wengert")]
    return environment(folder, ours, [name for name in needed if name not in ours])


@pytest.mark.parametrize("extra", PROGRAMS)
def test_an_extra_works_by_itself(tmp_path: Path, extra: str) -> None:
    run(install(tmp_path, extra), f"import wengert as wg\n{PROGRAMS[extra]}")


@pytest.mark.parametrize("extra", PROGRAMS)
def test_all_modules_can_be_imported_or_say_what_to_install(tmp_path: Path, extra: str) -> None:
    found = run(install(tmp_path, extra), "import wengert\n" + IMPORT_ALL.format(module=f"wengert_{extra}"))
    assert found.split() == OF_OTHER_EXTRAS.get(extra, [])
