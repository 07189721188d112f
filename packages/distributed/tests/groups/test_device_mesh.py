"""DeviceMesh: ranks in an array, with a group along each dim."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from wengert_distributed.groups.device_mesh import DeviceMesh
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
NAMES = ("dp", "tp")


def mesh() -> DeviceMesh:
    return dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=NAMES)


def cube() -> DeviceMesh:
    return dist.init_device_mesh("cpu", (2, 1, 2), mesh_dim_names=("a", "b", "c"))


def ranks(group: Any) -> list[int]:
    return dist.get_process_group_ranks(group)


# What torch 2.13 gives on rank 1 of 4, with gloo.
ANSWERS: dict[str, tuple[Callable[[], Any], Any]] = {
    "repr": (lambda: repr(mesh()), "DeviceMesh((dp=2, tp=2), 'cpu', stride=(2, 1))"),
    "mesh": (lambda: (mesh().mesh.tolist(), mesh().mesh.dtype is wg.int32), ([[0, 1], [2, 3]], True)),
    "size": (lambda: (mesh().size(), mesh().size(0), mesh().size(1)), (4, 2, 2)),
    "ndim": (lambda: (mesh().ndim, mesh().shape, mesh().mesh_dim_names, mesh().device_type),
             (2, (2, 2), NAMES, "cpu")),
    "rank": (lambda: (mesh().get_rank(), mesh().get_coordinate(), mesh().get_local_rank("tp"),
                      mesh().get_local_rank(0)), (1, (0, 1), 1, 0)),
    "groups": (lambda: [ranks(mesh().get_group("tp")), ranks(mesh().get_group(0)),
                        *map(ranks, mesh().get_all_groups())], [[0, 1], [1, 3], [1, 3], [0, 1]]),
    "slice": (lambda: repr(mesh()["tp"]), "DeviceMesh((tp=2), 'cpu', stride=(1,))"),
    "part": (lambda: (mesh()["tp"].mesh.tolist(), mesh()["tp"].get_local_rank(), mesh()["tp"].get_coordinate(),
                      mesh()["dp"].mesh.tolist()), ([0, 1], 1, (1,), [1, 3])),
    "slice of all": (lambda: repr(mesh()["dp", "tp"]), "DeviceMesh((dp=2, tp=2), 'cpu', stride=(2, 1))"),
    "slice of none": (lambda: repr(mesh()[()]), "DeviceMesh((), 'cpu', stride=())"),
    "slice of slice": (lambda: repr(mesh()["tp"]["tp"]), "DeviceMesh((tp=2), 'cpu', stride=(1,))"),
    "equal": (lambda: (mesh() == mesh(), mesh() == mesh()["tp"], hash(mesh()) == hash(mesh())), (True, False, True)),
    "flatten": (lambda: repr(mesh()._flatten("all")), "DeviceMesh((all=4), 'cpu', stride=(1,))"),
    "flatten without a name": (lambda: repr(mesh()._flatten()), "DeviceMesh((dp_tp=4), 'cpu', stride=(1,))"),
    "flatten a slice": (lambda: repr(mesh()["tp"]._flatten("x")), "DeviceMesh((x=2), 'cpu', stride=(1,))"),
    "one dim": (lambda: repr(dist.init_device_mesh("cpu", (4,))), "DeviceMesh((4,), 'cpu', stride=(1,))"),
    "fewer ranks": (lambda: repr(dist.init_device_mesh("cpu", (2,))), "DeviceMesh((2,), 'cpu', stride=(1,))"),
    "the default group": (lambda: dist.init_device_mesh("cpu", (4,)).get_group() is dist.group.WORLD, True),
    "another order": (lambda: (ranks(DeviceMesh("cpu", [3, 1, 0, 2]).get_group()),
                               DeviceMesh("cpu", [3, 1, 0, 2]).get_local_rank()), ([0, 1, 2, 3], 1)),
    "some ranks": (lambda: DeviceMesh("cpu", [0, 1]).get_coordinate(), (1,)),
    "a tensor": (lambda: repr(DeviceMesh("cpu", wg.arange(4).view(2, 2), mesh_dim_names=("a", "b"))),
                 "DeviceMesh((a=2, b=2), 'cpu', stride=(2, 1))"),
    "from a group": (lambda: repr(DeviceMesh.from_group(dist.group.WORLD, "cpu")),
                     "DeviceMesh((4,), 'cpu', stride=(1,))"),
    "from a group with a name": (
        lambda: DeviceMesh.from_group(dist.group.WORLD, "cpu", mesh_dim_names=("z",))["z"].size(), 4),
    "from groups": (lambda: repr(DeviceMesh.from_group(mesh().get_all_groups(), "cpu", wg.arange(4).view(2, 2),
                                                       mesh_dim_names=NAMES)),
                    "DeviceMesh((dp=2, tp=2), 'cpu', stride=(2, 1))"),
    "three dims": (lambda: repr(cube()["a", "c"]), "DeviceMesh((a=2, c=2), 'cpu', stride=(2, 1))"),
    "three dims, two of them flat": (lambda: repr(cube()["a", "c"]._flatten("ac")),
                                     "DeviceMesh((ac=4), 'cpu', stride=(1,))"),
    "description": (lambda: mesh().get_group("tp").group_desc, "mesh_tp"),
}  # fmt: skip
DIMS = "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1."
ERRORS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "size of no dim": (lambda: mesh().size(5), IndexError, "tuple index out of range"),
    "local rank of no dim": (lambda: mesh().get_local_rank(), RuntimeError, DIMS),
    "group of no dim": (lambda: mesh().get_group(), RuntimeError, DIMS),
    "a name": (lambda: mesh().get_local_rank("zz"), KeyError, "Mesh dimension 'zz' does not exist."),
    "a number": (lambda: mesh().get_local_rank(7), IndexError, "list index out of range"),
    "group of a name": (lambda: mesh().get_group("zz"), KeyError, "Mesh dimension 'zz' does not exist."),
    "group of a number": (lambda: mesh().get_group(9), IndexError, "list index out of range"),
    "slice": (lambda: mesh()["zz"], KeyError,
              "Invalid mesh_dim_names ('zz',) specified. Valid mesh_dim_names are ['dp', 'tp']."),
    "order": (lambda: mesh()["tp", "dp"], KeyError,
              "Invalid mesh_dim_names ('tp', 'dp') specified. Mesh dim indices should be in ascending order."),
    "twice": (lambda: mesh()["tp", "tp"], RuntimeError, "Slicing overlapping dim_names ('tp', 'tp') is not allowed."),
    "an int": (lambda: mesh()[0], TypeError, "'int' object is not iterable"),
    "beyond the slice": (lambda: mesh()["tp"]["dp"], KeyError,
                         "Invalid mesh_dim_names ('dp',) specified. Valid mesh_dim_names are ['tp']."),
    "a name that is taken": (lambda: mesh()._flatten("dp"), ValueError, "dp already exists for submesh of the "),
    "no names to slice": (lambda: dist.init_device_mesh("cpu", (4,))["x"], RuntimeError,
                          "Cannot slice a DeviceMesh without mesh_dim_names!"),
    "no names to flatten": (lambda: dist.init_device_mesh("cpu", (4,))._flatten("x"), RuntimeError,
                            "Cannot flatten a DeviceMesh without mesh_dim_names!"),
    "too many": (lambda: dist.init_device_mesh("cpu", (8,)), RuntimeError,
                 "Mesh should not be bigger than default world size 4, but found 8 ranks!"),
    "other names": (lambda: dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("a",)), RuntimeError,
                    "mesh_shape and mesh_dim_names should have same length!"),
    "names twice": (lambda: dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "a")), RuntimeError,
                    "Each mesh_dim_name must be unique."),
    "a device with a number": (lambda: dist.init_device_mesh("cpu:0", (4,)), RuntimeError,
                               "Device type with index is not supported but got cpu:0."),
    "floats": (lambda: DeviceMesh("cpu", wg.ones(4)), AssertionError, "a mesh must not have a rank twice"),
    "a str": (lambda: DeviceMesh("cpu", "ab"), TypeError, "a mesh is an array of ranks"),
    "no groups": (lambda: DeviceMesh.from_group([], "cpu"), ValueError,
                  "Expects at least one ProcessGroup to be passed"),
    "groups without a mesh": (lambda: DeviceMesh.from_group(mesh().get_all_groups(), "cpu"), ValueError,
                              "Must pass mesh if passing multiple ProcessGroups"),
    "a backend of no dim": (lambda: dist.init_device_mesh("cpu", (4,), backend_override={3: "sim"}), RuntimeError,
                            "Found invalid keys in backend_override"),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_a_mesh_answers_as_torch(name: str) -> None:
    call, expected = ANSWERS[name]
    assert run_ranks(4, call)[1] == expected


@pytest.mark.parametrize("name", ERRORS)
def test_a_mesh_raises_as_torch(name: str) -> None:
    call, kind, phrase = ERRORS[name]
    errors = run_ranks(4, call, return_exceptions=True)
    for error in errors:
        assert type(error) is kind
        assert re.search(re.escape(phrase), str(error)), error


def test_sums_along_the_dims_of_a_mesh() -> None:
    def program() -> list[float]:
        whole = cube()
        flat = whole["b", "c"]._flatten("bc")
        sums = []
        for part in (whole["a"], whole["c"], whole["b"], flat, whole["bc"], whole._flatten("all")):
            x = wg.tensor(10.0 ** dist.get_rank())
            dist.all_reduce(x, group=part.get_group())
            sums.append(x.item())
        assert whole["bc"] == flat
        return sums

    assert run_ranks(4, program) == [
        [101, 11, 1, 11, 11, 1111], [1010, 11, 10, 11, 11, 1111], [101, 1100, 100, 1100, 1100, 1111],
        [1010, 1100, 1000, 1100, 1100, 1111],
    ]  # fmt: skip


def test_a_rank_outside_of_a_mesh() -> None:
    def program() -> Any:
        made = DeviceMesh("cpu", [1, 2], mesh_dim_names=("x",))
        with made as same:
            assert same is made
        if dist.get_rank() in (1, 2):
            return made.get_coordinate(), made.get_local_rank(), made["x"].size()
        with pytest.raises(RuntimeError, match=r"rank \d is not in DeviceMesh"):
            made.get_group()
        with pytest.raises(RuntimeError, match=r"rank \d is not in DeviceMesh"):
            made.get_local_rank()
        return made.get_coordinate()

    assert run_ranks(4, program) == [None, ((0,), 0, 2), ((1,), 1, 2), None]


def test_gradients_are_averaged_along_a_dim_of_a_mesh() -> None:
    def program() -> float:
        whole = mesh()
        model = wg.nn.parallel.DistributedDataParallel(wg.nn.Linear(1, 1), device_mesh=whole["dp"])
        model(wg.tensor([float(dist.get_rank())])).sum().backward()
        with pytest.raises(RuntimeError, match="Only 1D device mesh is supported, but got DeviceMesh"):
            wg.nn.parallel.DistributedDataParallel(wg.nn.Linear(1, 1), device_mesh=whole)
        with pytest.raises(RuntimeError, match="Cannot specify both process_group and device_mesh"):
            wg.nn.parallel.DistributedDataParallel(wg.nn.Linear(1, 1), process_group=dist.group.WORLD,
                                                   device_mesh=whole["dp"])  # fmt: skip
        return model.module.weight.grad.item()

    assert run_ranks(4, program) == [1.0, 2.0, 1.0, 2.0]


def test_backends_of_dims() -> None:
    def program() -> list[str]:
        made = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=NAMES, backend_override={"tp": ("sim", None)})
        return [dist.get_backend(group) for group in made.get_all_groups()]

    assert run_ranks(4, program) == [["sim", "sim"]] * 4
