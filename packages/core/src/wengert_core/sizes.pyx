"""Size: the type of a tensor's shape."""
from wengert_core.methods import member


class Size(tuple):
    """The sizes of a tensor: a tuple with torch.Size's name and ``numel``."""

    __slots__ = ()

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

    def numel(self):
        """The product of the sizes."""
        n = 1
        for size in self:
            n *= size
        return n

    def __getitem__(self, index):
        part = tuple.__getitem__(self, index)
        return Size(part) if isinstance(index, slice) else part

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))


for _name in ("__repr__", "numel", "__add__"):     # not __getitem__, which is called most: tuple's looks at self itself
    setattr(Size, _name, member(Size, _name, vars(Size)[_name]))
