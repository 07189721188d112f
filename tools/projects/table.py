"""The projects: their versions, what they need, and what of each is run."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Tests:
    """The tests of a project, from its source distribution.

    paths: what pytest is called with, in the unpacked folder.   version: that of the source distribution, where it is
    another one than the project's.   remove: files that are taken out first.   variables: of the environment.
    """

    paths: tuple[str, ...]
    version: str = ""
    remove: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Project:
    """A project of the package index.

    needs: distributions that it imports, which are installed without their own requirements.   program: whether
    programs/NAME.py uses it.   task: what the program does.   notes: what does not run and why, for the table.
    """

    name: str
    version: str
    task: str
    needs: tuple[str, ...] = ()
    tests: Tests | None = None
    program: bool = True
    notes: str = ""

    @property
    def file(self) -> str:
        """The name of its program and of its results."""
        return self.name.lower().replace("-", "_")


SHARED = (
    "scipy==1.17.1", "mpmath==1.3.0", "tqdm==4.70.1", "packaging==26.4", "opt_einsum==3.4.0", "jaxtyping==0.3.11",
    "wadler-lindig==0.1.8", "scikit-learn==1.9.1", "joblib==1.6.0", "threadpoolctl==3.8.0", "narwhals==2.29.0",
    "typing_extensions==4.16.0", "parameterized==0.9.0", "pytest==9.2.0", "pluggy==1.7.0", "iniconfig==2.3.1",
    "pygments==2.21.0",
)  # fmt: skip
"""Packages that several projects and their tests need beside NumPy and PyTorch."""

PROJECTS = (
    Project("torchdiffeq", "0.2.5", "fits a neural ODE with gradients by the adjoint equation"),
    Project("torchsde", "0.2.6", "solves a stochastic equation; gradients through the solver and by the adjoint",
            ("trampoline==0.1.2", "boltons==26.2.0"), notes="its tests import files that are not published"),
    Project("torchcde", "0.2.5", "trains a classifier of paths", ("torchdiffeq==0.2.5", "torchsde==0.2.6")),
    Project("torchquad", "0.6.0", "integrates functions of 2 to 4 variables; derivatives of integrals",
            ("autoray==0.11.0", "loguru==0.7.3"), Tests(("tests",))),
    Project("geotorch", "0.4.0", "trains layers with orthogonal, low-rank, definite, skew and spherical weights"),
    Project("tensorly", "0.10.0", "CP, Tucker and tensor train decompositions; a CP decomposition by Adam",
            tests=Tests(("tensorly",), variables={"TENSORLY_BACKEND": "pytorch"})),
    Project("roma", "1.8.0", "converts, interpolates and registers rotations",
            tests=Tests(("test",), remove=("__init__.py",))),
    Project("POT", "0.9.7.post1", "exact, regularized, sliced and Gromov-Wasserstein transport with gradients",
            notes="its tests need a conftest.py that is not published"),
    Project("einops", "0.8.2", "a mixer of image patches made of its layers",
            tests=Tests(("einops/tests",), variables={"EINOPS_TEST_BACKENDS": "torch,numpy"})),
    Project("xitorch", "0.5.1", "roots, fixed points, eigenpairs, integrals and splines with implicit derivatives",
            tests=Tests(("xitorch/_tests",)),
            notes="two tests of complex root finders fail for some seeds, on PyTorch too; one of Monte Carlo "
                  "integration has other samples; two have other names, as `jit.script` returns the function itself"),
    Project("kornia", "0.9.0", "registers an image by a homography; warps, rotations, filters", ("kornia_rs==0.2.0",)),
    Project("pytorch-minimize", "0.1.0", "minimizes Rosenbrock's function by six methods; least squares",
            tests=Tests(("tests",))),
    Project("pypose", "0.9.5", "composes rigid motions; fits a pose by Levenberg-Marquardt"),
    Project("linear_operator", "0.6.1", "solves and differentiates structured matrices", tests=Tests(("test",)),
            notes="gradients of the triangle of a Cholesky factor that is not read are 0 here "
                  "([differences](from-torch.md)); one test replaces an attribute of Tensor; "
                  "others fail for some seeds, on PyTorch too"),
    Project("gpytorch", "1.15.2", "fits Gaussian processes, exact and with inducing points",
            ("linear_operator==0.6.1", "pyro-ppl==1.9.2", "pyro-api==0.1.2"), Tests(("test",)),
            notes="four examples fail for some seeds, on PyTorch too; three tests hold for the last bit of PyTorch's "
                  "`softplus` of 32-bit numbers"),
    Project("pyro-ppl", "1.9.2", "maximum a posteriori, a mixture by enumeration, the No-U-Turn sampler",
            ("pyro-api==0.1.2",)),
    Project("higher", "0.2.1", "learns first weights through an inner optimizer (MAML)"),
    Project("qpth", "0.0.18", "solves quadratic programs in a layer, with gradients",
            ("cvxpy-base==1.9.3", "qdldl==0.1.9.post1")),
    Project("torch-optimizer", "0.3.0", "trains a network by 14 optimizers", ("pytorch-ranger==0.1.1",),
            Tests(("tests",)), notes="the other tests fail on both sides: they are older than PyTorch 2.13"),
    Project("torchkbnufft", "1.5.2", "non-uniform Fourier transforms and a reconstruction", tests=Tests(("tests",))),
)  # fmt: skip
