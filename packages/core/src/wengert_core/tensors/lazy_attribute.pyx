"""Later: what stands on Tensor for a method or property whose module has not been loaded yet."""
cimport cython
from wengert_core.tensors.tensor cimport Tensor

PROMISED = set()    # methods that a plugin brings when its op table is loaded; until then something else is on Tensor


@cython.binding(False)
cdef class Later:
    """Asked for, it has ``load(family)`` put the method itself in its place, and gives that.

    name: of the attribute.   family: what ``load`` gets: a family of ops, a module.
    """
    cdef str name
    cdef str family
    cdef object load

    def __cinit__(self, str name, str family, load):
        self.name, self.family, self.load = name, family, load

    def __repr__(self):
        return f"<Tensor.{self.name}, of '{self.family}', not loaded yet>"

    def __get__(self, instance, owner):
        replace(self)
        return getattr(owner if instance is None else instance, self.name)

    def __set__(self, instance, value):
        replace(self)
        setattr(instance, self.name, value)

    def __delete__(self, instance):
        replace(self)
        delattr(instance, self.name)


cdef object replace(Later later):
    """Have it loaded; its attribute must be there now."""
    later.load(later.family)
    if Tensor.__dict__[later.name] is later:
        raise RuntimeError(f"Tensor.{later.name}: '{later.family}' does not bring it, though it is listed so: of a "
                           "family of ops, tools/generate/op_families.py makes the list")
