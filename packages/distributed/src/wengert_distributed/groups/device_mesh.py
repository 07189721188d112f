"""Meshes of ranks: an array of ranks, and a process group along each of its dims.

Note [Axes of a mesh]
    A mesh that a program makes is a root: an array of ranks. A slice or a flattened mesh is a choice of axes of its
    root; each of its dims is one axis, or several that were flattened into one. So the ranks along any dim, and all
    groups along it, follow from the root's array.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np
import wengert
from wengert import Tensor

from wengert_distributed.groups.group import ProcessGroup
from wengert_distributed.groups.initialization import init_process_group
from wengert_distributed.groups.queries import get_rank, get_world_size, is_initialized
from wengert_distributed.groups.subgroups import new_group
from wengert_distributed.groups.world import NON_GROUP_MEMBER, default_group

__all__ = ["DeviceMesh", "init_device_mesh"]

Axes = tuple[tuple[int, ...], ...]


def init_device_mesh(
    device_type: str, mesh_shape: Sequence[int], *, mesh_dim_names: Sequence[str] | None = None,
    backend_override: dict[int | str, Any] | None = None,
) -> DeviceMesh:  # fmt: skip
    """Return a mesh of the ranks in their order. All ranks call it, with the same arguments.

    device_type: "cpu" or "cuda".   mesh_shape: its product is at most the number of ranks.
    mesh_dim_names: a name for each dim, by which parts are taken.
    backend_override: backends of the groups along dims, by the dims' numbers or names.
    It calls init_process_group where that was not called. Raises RuntimeError for names that repeat or are not as many
    as dims, for a device with a number, a negative size, and for a mesh of more ranks than there are.
    PyTorch's ``torch.distributed.init_device_mesh``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> mesh = wg.distributed.init_device_mesh("cpu", (1, 1), mesh_dim_names=("dp", "tp"))
    >>> mesh["tp"], mesh.get_coordinate()
    (DeviceMesh((tp=1), 'cpu', stride=(1,)), (0, 0))
    >>> wg.distributed.destroy_process_group()
    """
    shape = tuple(int(size) for size in mesh_shape)
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError("Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names "
                               f"{mesh_dim_names}")  # fmt: skip
        if len(shape) != len(mesh_dim_names):
            raise RuntimeError("mesh_shape and mesh_dim_names should have same length! Found len(mesh_dim_names): "
                               f"{len(mesh_dim_names)} and len(mesh_shape):{len(shape)}.")  # fmt: skip
    if not device_type.isalpha():
        raise RuntimeError(f"Device type with index is not supported but got {device_type}. If you maintained a "
                           "'torch.device' object, it's recommended to pass in 'device.type'.")  # fmt: skip
    if min(shape, default=0) < 0:
        raise RuntimeError(f"the sizes of a mesh must not be negative: got {shape}")
    ranks = np.arange(math.prod(shape)).reshape(shape)
    return DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names,
                      backend_override=backends_of_dims(backend_override, len(shape), mesh_dim_names))  # fmt: skip


def backends_of_dims(overrides: dict[int | str, Any] | None, ndim: int, names: Sequence[str] | None) -> list[Any]:
    """Return the backend of the groups along each dim; None for the default group's.

    Raises RuntimeError for a dim that does not exist or is named twice.
    """
    found: list[Any] = [None] * ndim
    seen: set[int] = set()
    for key, value in (overrides or {}).items():
        dim = names.index(key) if isinstance(key, str) and names and key in names else key
        if not isinstance(dim, int) or not 0 <= dim < ndim or dim in seen:
            raise RuntimeError(f"Found invalid keys in backend_override: got {key!r}, for the dims {names or ndim}")
        seen.add(dim)
        found[dim] = value[0] if isinstance(value, tuple) else value
    return found


class DeviceMesh:
    """An array of ranks with a process group along each dim, as ``torch.distributed.device_mesh.DeviceMesh``.

    device_type: "cpu" or "cuda".   mesh: global ranks, a tensor, an array or nested lists, each rank at most once.
    mesh_dim_names: a name for each dim.   backend_override: a backend, or None, for the groups of each dim.
    All ranks make it, also those that are not in it. ``mesh["name"]`` is the part along a dim that has this rank.
    Raises RuntimeError for more ranks than there are and for one that does not exist, AssertionError for a rank that it
    has twice.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> mesh = wg.distributed.device_mesh.DeviceMesh("cpu", [[0]], mesh_dim_names=("dp", "tp"))
    >>> mesh.get_group("dp").size(), mesh.get_local_rank("tp"), mesh.shape
    (1, 0, (1, 1))
    >>> wg.distributed.destroy_process_group()
    """

    def __init__(
        self, device_type: str, mesh: Any, *, mesh_dim_names: Sequence[str] | None = None,
        backend_override: Sequence[Any] | None = None,
    ) -> None:  # fmt: skip
        ranks = np.array(mesh.tolist() if isinstance(mesh, Tensor) else mesh, order="C")
        if ranks.dtype.kind not in "iufb":
            raise TypeError(f"a mesh is an array of ranks, not {mesh!r}")
        ranks = ranks.astype(np.int32)
        if len(np.unique(ranks)) != ranks.size:
            raise AssertionError(f"a mesh must not have a rank twice: {ranks.tolist()}")
        if not is_initialized():
            init_process_group()
        size = get_world_size()
        if ranks.size > size:
            raise RuntimeError(f"Mesh should not be bigger than default world size {size}, but found "
                               f"{ranks.size} ranks!")  # fmt: skip
        if ranks.size and not 0 <= ranks.min() <= ranks.max() < size:
            raise RuntimeError(f"the mesh {ranks.tolist()} has ranks that do not exist: they are 0 to {size - 1}")
        self._root = self
        self._flattened: dict[str, DeviceMesh] = {}
        names = tuple(mesh_dim_names) if mesh_dim_names else None
        self._set(device_type, ranks, tuple((axis,) for axis in range(ranks.ndim)), names)
        backends = backend_override or [None] * ranks.ndim
        self._groups = [
            group_along(ranks, axes, f"mesh_{names[dim] if names else f'dim_{dim}'}", backends[dim])
            for dim, axes in enumerate(self._axes)
        ]

    def _set(self, device_type: str, ranks: Any, axes: Axes, names: tuple[str, ...] | None) -> None:
        """Set what a mesh consists of, but its groups. Note [Axes of a mesh]"""
        self._device_type, self._ranks, self._axes, self._names = device_type, ranks, axes, names
        self._own = part_with(ranks, axes, get_rank())

    def _part(self, axes: Axes, names: tuple[str, ...], groups: list[Any]) -> DeviceMesh:
        """Return a mesh of some axes of this one's root."""
        made = DeviceMesh.__new__(DeviceMesh)
        made._root, made._flattened, made._groups = self._root, self._root._flattened, groups
        made._set(self._device_type, self._ranks, axes, names)
        return made

    # ---- what it is

    @property
    def device_type(self) -> str:
        """The kind of its devices."""
        return self._device_type

    @property
    def mesh(self) -> Tensor:
        """The global ranks, int32; of a part, those of the part that has this rank."""
        return wengert.tensor(self._own.tolist(), dtype=wengert.int32).view(self._own.shape)

    @property
    def mesh_dim_names(self) -> tuple[str, ...] | None:
        """The names of the dims."""
        return self._names

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return int(self._own.ndim)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of ranks along each dim."""
        return tuple(self._own.shape)

    def size(self, mesh_dim: int | None = None) -> int:
        """Return the number of ranks, of all or along a dim. Raises IndexError for a dim that is not there."""
        return int(self._own.size) if mesh_dim is None else self.shape[mesh_dim]

    def __repr__(self) -> str:
        sizes = [str(size) for size in self.shape]
        if self._names:
            text = f"({', '.join(f'{name}={size}' for name, size in zip(self._names, sizes, strict=True))})"
        else:
            text = str(self.shape)
        strides = tuple(self._ranks.strides[axes[-1]] // self._ranks.itemsize for axes in self._axes)
        return f"DeviceMesh({text}, '{self._device_type}', stride={strides})"

    def _key(self) -> tuple[Any, ...]:
        return self._device_type, self._names, self._axes, self._ranks.shape, self._ranks.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceMesh) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: no operation takes its mesh from a context."""

    # ---- where this rank is

    def get_rank(self) -> int:
        """Return the global rank."""
        return get_rank()

    def get_coordinate(self) -> tuple[int, ...] | None:
        """Return the place of this rank, None where it is not in the mesh."""
        places = np.argwhere(self._own == get_rank())
        return tuple(int(index) for index in places[0]) if len(places) else None

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """Return the place of this rank along a dim.   mesh_dim: its number or name; not needed for one dim.

        Raises RuntimeError where several dims are there and none is named, or where this rank is not in the mesh,
        KeyError for a name and IndexError for a number that is not there.
        """
        dim = self._dim(mesh_dim)
        coordinate = self.get_coordinate()
        if coordinate is None:
            raise RuntimeError(f"rank {get_rank()} is not in {self}")
        return coordinate[dim]

    # ---- groups

    def get_group(self, mesh_dim: int | str | None = None) -> Any:
        """Return the process group along a dim that has this rank.   mesh_dim and errors: as for get_local_rank."""
        group = self._groups[self._dim(mesh_dim)]
        if group is None:
            raise RuntimeError(f"rank {get_rank()} is not in {self}")
        return group

    def get_all_groups(self) -> list[Any]:
        """Return the process groups along all dims. Raises RuntimeError where this rank is not in the mesh."""
        return [self.get_group(dim) for dim in range(self.ndim)]

    def _dim(self, mesh_dim: int | str | None) -> int:
        if mesh_dim is None:
            if self.ndim > 1:
                raise RuntimeError(
                    f"Found the DeviceMesh have {self.ndim} dimensions. Optional kwarg `mesh_dim` needs to be "
                    "specified when device_mesh.ndim > 1. If you want to get the list of all the ProcessGroups in the "
                    "DeviceMesh, please use `get_all_groups()` instead."
                )
            return 0
        if isinstance(mesh_dim, str):
            if self._names is None or mesh_dim not in self._names:
                raise KeyError(f"Mesh dimension '{mesh_dim}' does not exist. Available mesh dimensions are: "
                               f"mesh_dim_names={self._names}")  # fmt: skip
            return self._names.index(mesh_dim)
        if not -self.ndim <= mesh_dim < self.ndim:
            raise IndexError(f"list index out of range: dim {mesh_dim} of {self}")
        return int(mesh_dim)

    # ---- parts

    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> DeviceMesh:
        """Return the part along some dims, in their order, that has this rank. No group is made.

        Raises KeyError for names that are not there or in another order, RuntimeError for dims that overlap, and where
        dims have no names.
        """
        if self._names is None:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        if names == self._names:
            return self
        known = {name: (axes, group) for name, axes, group in zip(self._names, self._axes, self._groups, strict=True)}
        inside = {axis for axes in self._axes for axis in axes}
        for name, mesh in self._root._flattened.items():
            if set(mesh._axes[0]) <= inside:
                known.setdefault(name, (mesh._axes[0], mesh._groups[0]))
        if any(name not in known for name in names):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are {list(known)}.")
        axes = tuple(known[name][0] for name in names)
        flat = [axis for each in axes for axis in each]
        if len(set(flat)) < len(flat):
            raise RuntimeError(f"Slicing overlapping dim_names {names} is not allowed.")
        if flat != sorted(flat):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Mesh dim indices should be in ascending order.")
        return self._part(axes, names, [known[name][1] for name in names])

    def _flatten(self, mesh_dim_name: str | None = None, backend_override: Any = None) -> DeviceMesh:
        """Return a mesh of one dim with all ranks of this one. All ranks call it; the root knows it by its name.

        mesh_dim_name: the names of this one's dims, joined by "_", without it.
        Raises RuntimeError where dims have no names, ValueError for a name that a dim of the root has.
        """
        if self._names is None:
            raise RuntimeError("Cannot flatten a DeviceMesh without mesh_dim_names!")
        name = "_".join(self._names) if mesh_dim_name is None else mesh_dim_name
        if self.ndim == 1 and name == self._names[0]:
            return self
        if name in (self._root._names or ()):
            raise ValueError(
                f"{name} already exists for submesh of the {self._root}. The mesh_dim_names of submesh and flattened "
                f"mesh are {self._root._names}. Please specify another valid mesh_dim_name."
            )
        axes = tuple(axis for each in self._axes for axis in each)
        known = self._root._flattened.get(name)
        if known is not None and known._axes == (axes,):
            return known
        if self.ndim == 1:
            group = self._groups[0]
        else:
            group = group_along(self._ranks, axes, f"mesh_{name}", backend_override)
        made = self._part((axes,), (name,), [group])
        self._root._flattened[name] = made
        return made

    @staticmethod
    def from_group(
        group: Any, device_type: str, mesh: Any = None, *, mesh_dim_names: Sequence[str] | None = None
    ) -> DeviceMesh:
        """Return a mesh over groups that are there: of one group, or of a list with one for each dim.

        mesh: the ranks; needed for a list. Raises ValueError without it, for none, and for ranks that differ,
        TypeError for what is no group.
        """
        groups = list(group) if isinstance(group, (list, tuple)) else [group]
        if not all(isinstance(one, ProcessGroup) for one in groups):
            raise TypeError(f"a mesh is made of process groups, not {group!r}")
        if not groups:
            raise ValueError("Expects at least one ProcessGroup to be passed")
        if mesh is None:
            if isinstance(group, (list, tuple)) and len(groups) > 1:
                raise ValueError("Must pass mesh if passing multiple ProcessGroups")
            mesh = list(groups[0].ranks)
        ranks = np.array(mesh.tolist() if isinstance(mesh, Tensor) else mesh, np.int32, order="C")
        if len(groups) == 1 and sorted(ranks.flatten().tolist()) != sorted(groups[0].ranks):
            raise ValueError(f"Invalid mesh {ranks.tolist()} for ProcessGroup with ranks {list(groups[0].ranks)}")
        if ranks.ndim != len(groups):
            raise ValueError("Expects mesh with ndim equal to number of ProcessGroups but got mesh "
                             f"{ranks.tolist()} and {len(groups)} ProcessGroups")  # fmt: skip
        made = DeviceMesh.__new__(DeviceMesh)
        made._root, made._flattened, made._groups = made, {}, groups
        names = tuple(mesh_dim_names) if mesh_dim_names else None
        made._set(device_type, ranks, tuple((axis,) for axis in range(ranks.ndim)), names)
        return made


def rows_along(ranks: Any, axes: Sequence[int]) -> Any:
    """Return the ranks along some axes, one row for each place on the others."""
    others = [axis for axis in range(ranks.ndim) if axis not in axes]
    return ranks.transpose([*others, *axes]).reshape(-1, math.prod(ranks.shape[axis] for axis in axes))


def part_with(ranks: Any, axes: Axes, rank: int) -> Any:
    """Return the ranks along some dims, at the place of a rank on the others: at their beginning where it is in none.

    axes: the axes of each dim.
    """
    flat = [axis for each in axes for axis in each]
    rows = rows_along(ranks, flat)
    places = np.argwhere(rows == rank)
    row = rows[places[0][0] if len(places) else 0]
    return row.reshape([math.prod(ranks.shape[axis] for axis in each) for each in axes])


def group_along(ranks: Any, axes: Sequence[int], description: str, backend: str | None) -> ProcessGroup | None:
    """Return the group along some axes that has this rank, None where it is in none. All ranks call it."""
    rows = rows_along(ranks, axes)
    if len(rows) == 1 and rows.size == get_world_size() and backend is None:
        return default_group()
    own = None
    for row in rows.tolist():
        group = new_group(row, backend=backend, group_desc=description)
        if group != NON_GROUP_MEMBER:
            own = group
    return own
