"""Whether a tensor requires grad, as users are told."""
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, dtype_facts
from wengert_core.runtime.state cimport WG_GRAD
from wengert_core.tensors.tensor cimport TF_VIEW, Tensor


# A view of a tensor that requires grad does, too, even where it has no history: when it was made under no_grad(), or
# before the base came to require grad. Nothing leads from such a view to its base: what is computed from it requires
# grad, and gives none.
cdef inline bint requires_grad(Tensor t) noexcept:
    return t.flags & WG_GRAD != 0 or (t.flags & TF_VIEW != 0 and t.base != NULL
                                      and (<Tensor> t.base).flags & WG_GRAD != 0
                                      and dtype_facts().category[t.code] >= CAT_FLOAT)
