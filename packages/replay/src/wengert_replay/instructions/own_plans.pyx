"""Plans of launches that are instructions: a loop of a function makes the same ones again and again.

Equal plans are kept once where that is soon found and their bytes are known: those of copies and fills, and of most
other kernels. A kernel may write to its plan while it runs; those of a stream run one after the other. Plans of
pointwise launches are shared by their driver.
"""
cimport cython
from libc.stdlib cimport free
from libc.string cimport memcmp, memset

from wengert_core.extend cimport LAUNCH_COPY, LAUNCH_FILL, CopyLaunch, FillPlan, bytes_between, dtype_facts, free_launch
from wengert_replay.trace.tables cimport room_for_another, shorten

cdef enum:
    MOST_COMPARED = 32                 # plans
    MOST_COPY_DIMS = 8                 # of wengert_core/exchange/copy_launch.pxd


cdef Py_ssize_t settle(Launch* launch) noexcept:
    """Set what is unused in a plan to 0, and return the bytes by which it is compared; 0 where they are unknown."""
    cdef CopyLaunch* copy = <CopyLaunch*> launch.plan
    cdef FillPlan* fill = <FillPlan*> launch.plan
    cdef int k
    if launch.kind == LAUNCH_COPY:
        for k in range(copy.ndim, MOST_COPY_DIMS):
            copy.shape[k] = copy.target[k] = copy.source[k] = 0
        return sizeof(CopyLaunch)
    if launch.kind == LAUNCH_FILL:
        for k in range(fill.ndim, MOST_COPY_DIMS):
            fill.shape[k] = fill.strides[k] = 0
        k = dtype_facts().itemsize[fill.dtype]
        memset(fill.number + k, 0, sizeof(fill.number) - k)
        memset(<char*> (&fill.large + 1), 0, bytes_between(&fill.large + 1, fill.shape))
        return sizeof(FillPlan)
    for k in range(launch.n_operands):     # a number of masked_fill lies in its plan
        if <char*> launch.plan <= launch.data[k] < <char*> launch.plan + 8 * launch.plan_words:
            return 0
    return 8 * launch.plan_words


@cython.binding(False)
cdef class OwnPlans:
    """The plans of a stream."""

    def __dealloc__(self):
        cdef Launch owner
        cdef Py_ssize_t i
        for i in range(self.n + self.n_others):
            owner.plan = self.items[i].plan if i < self.n else self.others[i - self.n]
            free_launch(&owner)
        free(self.items)
        free(self.others)

    cdef void* take(self, Launch* launch) except? NULL:
        cdef Py_ssize_t nbytes = settle(launch), k
        cdef void* plan = launch.plan
        if plan == NULL:
            return NULL
        if not nbytes:
            self.others = <void**> room_for_another(self.others, self.n_others, sizeof(void*))
            self.others[self.n_others] = plan
            self.n_others += 1
        else:
            for k in range(self.n - 1, max(self.n - MOST_COMPARED, <Py_ssize_t> 0) - 1, -1):
                if self.items[k].nbytes == nbytes and memcmp(self.items[k].plan, plan, nbytes) == 0:
                    free_launch(launch)
                    return self.items[k].plan
            self.items = <OwnPlan*> room_for_another(self.items, self.n, sizeof(OwnPlan))
            self.items[self.n].plan, self.items[self.n].nbytes = plan, nbytes
            self.n += 1
        self.nbytes += nbytes + (sizeof(OwnPlan) if nbytes else sizeof(void*))
        launch.plan = NULL
        return plan

    cdef int shrink(self) except -1:
        """Give back the room that is not used."""
        self.items = <OwnPlan*> shorten(<char*> self.items, self.n * sizeof(OwnPlan))
        self.others = <void**> shorten(<char*> self.others, self.n_others * sizeof(void*))
        return 0
