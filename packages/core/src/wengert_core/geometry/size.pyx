"""Size: the type of a tensor's shape."""
from operator import index

from wengert_core.binding.checked_methods import member


def whole(items):
    """The items as ints; TypeError for one that is none."""
    found = []
    for i, item in enumerate(items):
        try:
            found.append(index(item))
        except TypeError:
            raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(item).__name__}')") from None
    return tuple(found)


class Size(tuple):
    """Sizes of a tensor: a tuple of ints with torch.Size's name and ``numel``; sums and multiples of it are Sizes."""

    __slots__ = ()

    def __new__(cls, sizes=(), /):
        return tuple.__new__(cls, whole(sizes))

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

    def numel(self):
        """The product of the sizes."""
        n = 1
        for size in self:
            n *= size
        return n

    def __getitem__(self, key):
        part = tuple.__getitem__(self, key)
        return tuple.__new__(Size, part) if isinstance(key, slice) else part

    def __add__(self, other):
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size(tuple.__add__(self, other))

    def __radd__(self, other):
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times):
        if not hasattr(type(times), "__index__"):
            return NotImplemented
        try:
            return tuple.__new__(Size, tuple.__mul__(self, times))
        except MemoryError:
            raise MemoryError(f"Size of {len(self)} sizes, repeated {times} times, does not fit into memory: "
                              "repeat it less often") from None

    __rmul__ = __mul__


# not __getitem__, which is called most: tuple's looks at self itself
for _name in ("__repr__", "numel", "__add__", "__radd__", "__mul__", "__rmul__"):
    setattr(Size, _name, member(Size, _name, vars(Size)[_name]))
