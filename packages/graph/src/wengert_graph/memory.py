"""saved_memory: who holds how much memory until backward."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from wengert_core.extend import Tensor

from wengert_graph.labels import short
from wengert_graph.recomputing import Holder
from wengert_graph.walking import walk


class Held(NamedTuple):
    """One saved value that occupies memory."""

    op: str  # the node's name
    node: int  # the step of the walk
    name: str  # 'self', 'result', ...
    line: str  # the line that recorded the node, '' where anomaly mode was off
    what: str  # 'float32[2, 3]'
    nbytes: int  # of the values themselves
    storage: int  # index into Memory.storages


class Block(NamedTuple):
    """A piece of memory that saved values lie in."""

    nbytes: int
    leaf: bool  # belongs to a leaf of the graph: it lives anyway


class Row(NamedTuple):
    """What the saved values of one group hold. alone: bytes that no other group holds."""

    name: str
    nodes: int
    tensors: int
    nbytes: int
    alone: int


class Memory:
    """What a graph holds for its derivatives. Printed, or shown by a notebook, as a table by operation.

    ``held``: every saved tensor; ``storages``: the pieces of memory they lie in, each counted once however many tensors
    and views share it; ``by_op``, ``by_line``, ``by_storage``: tables, the largest first. ``nbytes``: all together;
    ``leaf_nbytes``: how much of that belongs to leaves, and lives anyway.

    >>> import wengert as wg
    >>> memory = wg.autograd.graph.saved_memory(wg.ones(4, requires_grad=True).exp())
    >>> memory.nbytes, memory.by_op[0].name, memory.held[0].what
    (16, 'ExpBackward0', 'float32[4]')
    """

    def __init__(self, root: Any) -> None:
        self.held: list[Held] = []
        self.storages: list[Block] = []
        leaves: set[int] = set()
        found: list[tuple[Any, ...]] = []
        keep: list[Any] = []  # storages seen: their addresses stay theirs
        for step in walk(root):
            if step.leaf is not None:
                leaves.add(_memory_key(step.leaf, keep)[0])
            for saved in step.saved:
                found += [(step.name, step.number, saved.name, step.line or "", one) for one in _arrays(saved.value)]
        index: dict[int, int] = {}
        for op, node, name, line, array in found:
            address, nbytes = _memory_key(array, keep)
            if address not in index:
                index[address] = len(self.storages)
                self.storages.append(Block(nbytes, address in leaves))
            what = short(array.dtype, array.shape)
            self.held.append(Held(op, node, name, line, what, int(array.nbytes), index[address]))

    @property
    def nbytes(self) -> int:
        """Bytes of all storages together."""
        return sum(block.nbytes for block in self.storages)

    @property
    def leaf_nbytes(self) -> int:
        """Bytes of the storages that belong to leaves."""
        return sum(block.nbytes for block in self.storages if block.leaf)

    @property
    def by_op(self) -> list[Row]:
        """A row for each kind of operation."""
        return self._rows(lambda one: one.op)

    @property
    def by_line(self) -> list[Row]:
        """A row for each line of the program; '' where none is known: they are recorded in anomaly mode only."""
        return self._rows(lambda one: one.line)

    @property
    def by_storage(self) -> list[Row]:
        """A row for each piece of memory, named by what lies in it."""
        rows: dict[int, list[Held]] = {}
        for one in self.held:
            rows.setdefault(one.storage, []).append(one)
        table = []
        for storage, ones in rows.items():
            names = ", ".join(dict.fromkeys(f"{one.op}.{one.name} {one.what}" for one in ones))
            nbytes = self.storages[storage].nbytes
            table.append(Row(names, len({one.node for one in ones}), len(ones), nbytes, nbytes))
        return sorted(table, key=lambda row: (-row.nbytes, row.name))

    def _rows(self, group: Callable[[Held], str]) -> list[Row]:
        groups: dict[str, list[Held]] = {}
        users: dict[int, set[str]] = {}
        for one in self.held:
            groups.setdefault(group(one), []).append(one)
            users.setdefault(one.storage, set()).add(group(one))
        rows = []
        for name, ones in groups.items():
            size_of = {one.storage: self.storages[one.storage].nbytes for one in ones}
            alone = sum(nbytes for storage, nbytes in size_of.items() if len(users[storage]) == 1)
            rows.append(Row(name, len({one.node for one in ones}), len(ones), sum(size_of.values()), alone))
        return sorted(rows, key=lambda row: (-row.nbytes, row.name))

    def summary(self) -> str:
        """One sentence."""
        text = f"{size(self.nbytes)} in {len(self.storages)} storages are held by {len(self.held)} saved tensors"
        return text + (f", {size(self.leaf_nbytes)} of it in leaves" if self.leaf_nbytes else "")

    def table(self, by: str = "op") -> str:
        """A text table by 'op', 'line' or 'storage'."""
        cells = [HEAD, *_cells(self._table(by))]
        widths = [max(len(row[i]) for row in cells) for i in range(len(HEAD))]
        lines = ["  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                           for i, (cell, width) in enumerate(zip(row, widths, strict=True))) for row in cells]
        return "\n".join(line.rstrip() for line in lines)

    def _table(self, by: str) -> list[Row]:
        if by not in TABLES:
            from wengert_core.extend import short_repr
            raise ValueError(f"a table can be made by {', '.join(TABLES)}, not by {short_repr(by)}")
        rows: list[Row] = getattr(self, f"by_{by}")
        return rows

    def __str__(self) -> str:
        return f"{self.summary()}\n\n{self.table()}"

    def __repr__(self) -> str:
        return f"<Memory: {self.summary()}>"

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        rows = [HEAD, *_cells(self._table("op"))]
        lines = ["<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"
                 for row, tag in zip(rows, ["th", *["td"] * (len(rows) - 1)], strict=True)]
        return f"<p>{html.escape(self.summary())}</p><table>{''.join(lines)}</table>"


HEAD = ("saved by", "nodes", "tensors", "memory", "there alone")
TABLES = ("op", "line", "storage")


def saved_memory(root: Any) -> Memory:
    """How much memory the graph behind ``root`` holds for its derivatives, and who holds it.

    root: as for walk. A storage is counted once, with all its bytes, however many saved tensors are views of it. What
    hooks have packed is counted where it is a tensor or an array, or a tuple, list or dict of these; what a checkpoint
    will compute again counts with the arguments it is computed from.

    >>> import wengert as wg
    >>> x = wg.ones(1000, requires_grad=True)
    >>> print(wg.autograd.graph.saved_memory((x.exp() * x).sum()))
    7.8 KiB in 2 storages are held by 3 saved tensors, 3.9 KiB of it in leaves
    <BLANKLINE>
    saved by      nodes  tensors   memory  there alone
    MulBackward0      1        2  7.8 KiB      3.9 KiB
    ExpBackward0      1        1  3.9 KiB          0 B
    """
    return Memory(root)


def size(nbytes: int) -> str:
    """Bytes for people.

    >>> size(999), size(4000), size(3 * 2**30)
    ('999 B', '3.9 KiB', '3.0 GiB')
    """
    if nbytes < 1000:
        return f"{nbytes} B"
    value, unit = nbytes / 1024, "KiB"
    for larger in ("MiB", "GiB", "TiB"):
        if value >= 1000:
            value, unit = value / 1024, larger
    return f"{value:.1f} {unit}"


def _cells(rows: list[Row]) -> list[tuple[str, ...]]:
    return [(row.name or "(unknown)", str(row.nodes), str(row.tensors), size(row.nbytes), size(row.alone))
            for row in rows]


def _arrays(value: Any) -> Iterator[Any]:
    """The tensors and arrays in a saved value."""
    if isinstance(value, Tensor | np.ndarray):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _arrays(one)
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _arrays(one)
    elif isinstance(value, Holder):
        yield from _arrays(value.held_values())


def _memory_key(array: Any, keep: list[Any]) -> tuple[int, int]:
    """(what identifies the memory, its bytes) of a tensor or an array."""
    owner: Any
    if isinstance(array, Tensor):
        owner = array.untyped_storage()
        address, nbytes = owner.data_ptr(), owner.size()
    else:
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        address, nbytes = owner.ctypes.data, owner.nbytes
    keep.append(owner)
    return (address, nbytes) if nbytes else (-id(owner), 0)
