"""Jobs of LAPACK and their launches: see lapack_launch.pxd."""
from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.drivers.linalg.lapack cimport WG_NO_MEMORY, WG_NO_SUCH_ROW
from wengert_core.runtime.blas_lookup cimport enter_one_thread, leave_one_thread
from wengert_core.runtime.launches cimport LAUNCH_DONE, LAUNCH_FAILED, OPERAND_READ, OPERAND_WRITTEN, Launch
from wengert_core.runtime.thread_pool cimport LARGE, parallel_for
from wengert_core.tensors.tensor cimport Tensor

from wengert_core.drivers.linalg.linalg_error import LinAlgError

cdef enum:
    SHARE = 0x20000                    # multiplications worth a thread of their own: 5 to 10 for a nanosecond
    N_POINTERS = 8                     # in a wg_factoring

cdef struct FactoringPlan:
    Factoring how
    wg_factoring job
    signed char operands[N_POINTERS]   # where the job's pointers come from; -1: it has none there


cdef void run_factoring(Factoring* f) noexcept nogil:
    if f.alone:
        enter_one_thread()
    if f.count * f.work < LARGE:
        f.body(0, f.count, f.job)
    else:
        parallel_for(f.count, 1 + SHARE // f.work, f.body, f.job)
    if f.alone:
        leave_one_thread()


cdef int check_failure(str name, wg_factoring* job) except -1:
    if job.failed == WG_NO_SUCH_ROW:
        raise RuntimeError(f"{name}: pivots must be between 1 and {job.n} inclusive, the number of rows; "
                           "lu_factor gives such ones")
    if job.failed == WG_NO_MEMORY:
        raise MemoryError(f"{name}: no memory for LAPACK's copy of a {job.m} x {job.n} matrix")
    return 0


cdef char** pointer_of(wg_factoring* job, int i) noexcept nogil:
    """One of a job's pointers to matrices."""
    if i == 0:
        return <char**> &job.a.data
    if i == 1:
        return <char**> &job.b.data
    if i == 2:
        return <char**> &job.p.data
    if i == 3:
        return &job.out
    if i == 4:
        return &job.second
    if i == 5:
        return &job.values
    return <char**> (&job.pivots if i == 6 else &job.info)


cdef int run_launch(Launch* launch) noexcept nogil:
    cdef FactoringPlan* plan = <FactoringPlan*> launch.plan
    cdef int i
    for i in range(N_POINTERS):
        if plan.operands[i] >= 0:
            pointer_of(&plan.job, i)[0] = launch.data[plan.operands[i]]
    plan.job.failed, plan.how.job = 0, &plan.job
    run_factoring(&plan.how)
    return LAUNCH_FAILED if plan.job.failed else LAUNCH_DONE


cdef int fail_launch(Launch* launch) except -1:
    check_failure("linalg", &(<FactoringPlan*> launch.plan).job)
    raise LinAlgError("linalg: LAPACK has not found the eigenvalues or singular values of a matrix")


cdef int tell_factoring(Factoring* f, tuple reads, tuple writes) except -1:
    cdef FactoringPlan plan
    cdef FactoringPlan* own
    cdef Launch* made
    cdef Tensor t
    cdef int i, k
    plan.how, plan.job = f[0], f.job[0]
    made = tell_kernel(run_launch, &plan, sizeof(FactoringPlan))
    made.fail = fail_launch
    for t in reads:
        add_tensor(made, t, OPERAND_READ)
    for t in writes:
        add_tensor(made, t, OPERAND_WRITTEN)
    own = <FactoringPlan*> made.plan
    for i in range(N_POINTERS):
        own.operands[i] = -1
        for k in range(made.n_operands):
            if made.data[k] == pointer_of(&own.job, i)[0]:
                own.operands[i] = <signed char> k
    return 0
