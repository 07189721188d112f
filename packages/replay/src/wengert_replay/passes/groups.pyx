"""Groups: launches over the same elements, which run block by block.

Note [Groups]
    A chain of pointwise operations on a large tensor reads and writes memory once for each of them. Members of a group
    run one behind the other on a block of elements that stays in the cache, then on the next block; what only members
    read is in a block of its own (fused.pyx) and never gets to memory.
    That is allowed where no element depends on another: each operand of a member is element by element the same memory
    as that of another, or has none in common with it; or nobody writes it. A launch between two members runs before the
    group, or behind it where it depends on a member, so that a later member joins only when it shares nothing written
    with those it overtakes. Nothing overtakes a launch where a run stops.
    A sum of all elements is a member, too: of each block, and of the blocks' sums in the order of the eager sum. So is
    arithmetic of a matrix with a row, a column or a number: its element by element operands are those of the matrix.
    So are sums of the rows or of the columns of a matrix. Other members of such a group must be arithmetic, which may
    be cut anywhere, unless rows and blocks end together (Note [Sums in tiles] in fused_run.pyx).
"""
from libc.stdint cimport int32_t
from libc.string cimport memcpy

from wengert_core.extend cimport (FLOAT32, FLOAT64, LAUNCH_POINTWISE, LAUNCH_REDUCE, MOST_OPERANDS_OF_LAUNCH,
                                  OPERAND_CONSTANT, OPERAND_WRITTEN, UNIT, PointwisePlan, ReducePlan, dtype_facts,
                                  find_reduction)
from wengert_replay.passes.kernels cimport ARITHMETIC_NONE, arithmetic_of
from wengert_replay.passes.members cimport MEMBER_COLUMN_SUMS, MEMBER_POINTWISE, MEMBER_ROW_SUMS, MEMBER_SUM
from wengert_replay.passes.schedule cimport stops

cdef enum:
    LEAST_COLUMNS = 32                 # of a matrix: a row is a call
    MOST_OPERANDS = 160                # of members: 5 of each at most
    MOST_UNCUT = 0x100000              # elements of a sum of columns that is not in sections
    MOST_STRETCHED = 4                 # sums of all elements that need a block
    MOST_BETWEEN = 32                  # launches that a group lets behind it
    MOST_BETWEEN_OPERANDS = 288        # MOST_OPERANDS_OF_LAUNCH of each

cdef struct Operand:
    size_t low
    size_t high
    Py_ssize_t step                    # 0: no element by element
    bint writes

cdef struct Group:
    Py_ssize_t n                       # elements
    Py_ssize_t columns                 # of a matrix of which rows or columns are summed; 0
    int n_sums                         # of all elements
    bint is_arithmetic                 # all pointwise members are
    int n_members
    int n_operands
    int n_between
    int n_between_operands
    int32_t members[MOST_MEMBERS]
    Operand operands[MOST_OPERANDS]
    int32_t between[MOST_BETWEEN]
    Operand between_operands[MOST_BETWEEN_OPERANDS]


cdef bint has_own_dtypes(PointwisePlan* plan) noexcept:
    """Whether no operand is converted."""
    cdef int k
    for k in range(plan.n_in):
        if plan.dtypes[k] != (plan.loop.compute if k else plan.loop.first):
            return False
    return plan.dtypes[plan.n_in] == plan.loop.out


cdef Py_ssize_t elements_of_pointwise(Launch* launch) noexcept:
    """Elements of a loop that writes what lies behind each other, along one dim, or of a matrix in rows."""
    cdef PointwisePlan* plan = <PointwisePlan*> launch.plan
    cdef Py_ssize_t step, itemsize = dtype_facts().itemsize[plan.loop.out]
    cdef int k, last = plan.ndim - 1
    if plan.ndim < 1 or plan.ndim > 2 or plan.strides[plan.n_in][last] != itemsize or not has_own_dtypes(plan):
        return 0
    for k in range(plan.n_in):
        step = plan.strides[k][last]
        if step and step != dtype_facts().itemsize[plan.dtypes[k]]:
            return 0
    if plan.ndim == 1:
        return plan.shape[0]
    # Blocks cut rows: arithmetic gives the same bits wherever its loops are cut.
    if plan.strides[plan.n_in][0] != itemsize * plan.shape[1] or plan.shape[1] < LEAST_COLUMNS \
            or arithmetic_of(plan) == ARITHMETIC_NONE:
        return 0
    return plan.shape[0] * plan.shape[1]


cdef int kind_of_member(Launch* launch) noexcept:
    cdef ReducePlan* plan = <ReducePlan*> launch.plan
    if launch.kind == LAUNCH_POINTWISE:
        return MEMBER_POINTWISE
    return MEMBER_SUM if not plan.n_kept else MEMBER_ROW_SUMS if plan.kept[0].source > plan.stride \
        else MEMBER_COLUMN_SUMS


cdef bint is_sum(ReducePlan* plan) noexcept:
    return (plan.code == FLOAT32 or plan.code == FLOAT64) and plan.fn == find_reduction("sum", plan.code, plan.code) \
        and plan.section % UNIT == 0


cdef Py_ssize_t elements_of_sums(Launch* launch) noexcept:
    """Elements of a sum of all that lies behind each other, or of sums of the rows or columns of such a matrix."""
    cdef ReducePlan* plan = <ReducePlan*> launch.plan
    cdef Py_ssize_t item = dtype_facts().itemsize[plan.code], near, columns
    if plan.n_kept > 1 or not is_sum(plan):
        return 0
    if plan.n_kept == 0:
        return plan.n if plan.stride == item else 0
    near, columns = min(plan.stride, plan.kept[0].source), columns_of_sums(launch)
    if near != item or max(plan.stride, plan.kept[0].source) != item * columns or columns < LEAST_COLUMNS:
        return 0
    if plan.stride == item and plan.section:
        return 0                       # long rows, in sections
    if plan.stride != item and not plan.section and plan.n * columns > MOST_UNCUT:
        return 0                       # of which threads take columns
    return plan.n * plan.kept[0].size


cdef Py_ssize_t columns_of_sums(Launch* launch) noexcept:
    cdef ReducePlan* plan = <ReducePlan*> launch.plan
    if launch.kind == LAUNCH_POINTWISE or not plan.n_kept:
        return 0
    return plan.n if plan.kept[0].source > plan.stride else plan.kept[0].size


cdef bint cuts_evenly(Py_ssize_t columns) noexcept nogil:
    """Whether tiles are the blocks that other kernels are cut at. Note [Sums in tiles] in fused_run.pyx"""
    return columns % UNIT == 0 or UNIT % columns == 0


cdef Py_ssize_t elements_of(Launch* launch) noexcept:
    cdef Py_ssize_t n = 0
    cdef int last = launch.n_operands - 1
    if launch.kind == LAUNCH_POINTWISE and launch.high[last] - launch.low[last] < LEAST_ELEMENTS:
        return 0                       # without a look at its plan
    if launch.kind == LAUNCH_POINTWISE:
        n = elements_of_pointwise(launch)
    elif launch.kind == LAUNCH_REDUCE:
        n = elements_of_sums(launch)
    return n if n >= LEAST_ELEMENTS else 0


cdef Py_ssize_t step_of_member(Launch* launch, int k) noexcept:
    cdef PointwisePlan* plan = <PointwisePlan*> launch.plan
    if launch.kind != LAUNCH_POINTWISE:
        return dtype_facts().itemsize[(<ReducePlan*> launch.plan).code] if k == 0 else 0
    if plan.ndim == 2 and plan.strides[k][0] != plan.strides[k][1] * plan.shape[1]:
        return 0
    return plan.strides[k][plan.ndim - 1]


cdef Py_ssize_t columns_of_member(Launch* launch) noexcept:
    cdef PointwisePlan* plan = <PointwisePlan*> launch.plan
    return plan.shape[1] if launch.kind == LAUNCH_POINTWISE and plan.ndim == 2 else 0


cdef int operands_of(Launch* launch, bint is_member, Operand* operands) noexcept:
    """Fill in the operands with memory; return their number."""
    cdef int k, n = 0
    for k in range(launch.n_operands):
        if launch.role[k] != OPERAND_CONSTANT and launch.low[k] < launch.high[k]:
            operands[n].low = <size_t> (launch.data[k] + launch.low[k])
            operands[n].high = <size_t> (launch.data[k] + launch.high[k])
            operands[n].step = step_of_member(launch, k) if is_member else 0
            operands[n].writes = launch.role[k] & OPERAND_WRITTEN != 0
            n += 1
    return n


cdef bint collide(const Operand* own, int n, const Operand* others, int n_others) noexcept:
    """Whether an element of one may be written and another's used by the other."""
    cdef int i, k
    for i in range(n):
        for k in range(n_others):
            if (own[i].writes or others[k].writes) and own[i].low < others[k].high and others[k].low < own[i].high \
                    and not (own[i].step and own[i].step == others[k].step and own[i].low == others[k].low
                             and own[i].high == others[k].high):
                return True
    return False


cdef bint is_arithmetic(Launch* launch) noexcept:
    return launch.kind != LAUNCH_POINTWISE or arithmetic_of(<PointwisePlan*> launch.plan) != ARITHMETIC_NONE


cdef bint has_tiles_for(Group* group, Launch* launch) noexcept:
    """Whether a launch may run in the tiles of a group, and the group in those of the launch."""
    cdef Py_ssize_t columns = columns_of_sums(launch)
    if columns and group.columns and columns != group.columns:
        return False
    columns = max(columns, group.columns)
    return not columns or cuts_evenly(columns) \
        or group.is_arithmetic and is_arithmetic(launch) and group.n_sums < MOST_STRETCHED


cdef bint fits(Group* group, Launch* launch, Py_ssize_t n, const Operand* operands, int n_operands) noexcept:
    return group.n == n and group.n_members < MOST_MEMBERS and has_tiles_for(group, launch) \
        and not collide(operands, n_operands, group.operands, group.n_operands) \
        and not collide(operands, n_operands, group.between_operands, group.n_between_operands)


cdef void join(Group* group, Launch* launch, int32_t i, const Operand* operands, int n_operands) noexcept:
    group.columns = max(group.columns, columns_of_sums(launch))
    group.n_sums += kind_of_member(launch) == MEMBER_SUM
    group.is_arithmetic = group.is_arithmetic and is_arithmetic(launch)
    group.members[group.n_members] = i
    group.n_members += 1
    memcpy(group.operands + group.n_operands, operands, n_operands * sizeof(Operand))
    group.n_operands += n_operands


cdef void let_behind(Group* group, int32_t i, const Operand* operands, int n_operands) noexcept:
    group.between[group.n_between] = i
    group.n_between += 1
    memcpy(group.between_operands + group.n_between_operands, operands, n_operands * sizeof(Operand))
    group.n_between_operands += n_operands


cdef Py_ssize_t close(Schedule schedule, Group* group, Py_ssize_t at) noexcept:
    """Put a group and what it let behind into the order, from a place on; return the place behind."""
    cdef int k
    if group.n_members == 1:           # no group: all stay as they were recorded, so that memory is given back early
        for at in range(group.members[0], at + 1 + group.n_between):
            schedule.order[at] = <int32_t> at
        at += 1
        clear(group)
        return at
    for k in range(group.n_members):
        schedule.order[at] = group.members[k]
        schedule.group[group.members[k]] = group.members[0]
        at += 1
    for k in range(group.n_between):
        schedule.order[at] = group.between[k]
        at += 1
    clear(group)
    return at


cdef void clear(Group* group) noexcept:
    group.n_members = group.n_operands = group.n_between = group.n_between_operands = group.n_sums = 0
    group.columns, group.is_arithmetic = 0, True


cdef bint depends(Group* group, const Operand* operands, int n_operands) noexcept:
    """Whether a launch has to stay behind a group: it shares something written with it, or with what is behind it."""
    return collide(operands, n_operands, group.operands, group.n_operands) \
        or collide(operands, n_operands, group.between_operands, group.n_between_operands)


cdef int form_groups(Schedule schedule) except -1:
    """Find groups, and bring their members together. Note [Groups]"""
    cdef Group group
    cdef Operand operands[MOST_OPERANDS_OF_LAUNCH]
    cdef Launch* launch
    cdef Py_ssize_t n, at = 0
    cdef int32_t i
    cdef int n_operands
    clear(&group)
    for i in range(<int32_t> schedule.n):          # the order is that of the recording until here
        launch = &schedule.launches[i]
        n = elements_of(launch)
        n_operands = operands_of(launch, n > 0, operands) if n or group.n_members else 0
        if group.n_members and n and fits(&group, launch, n, operands, n_operands):
            join(&group, launch, i, operands, n_operands)
            continue
        if n and group.n_members and columns_of_sums(launch):
            n, n_operands = 0, operands_of(launch, False, operands)    # that it does not fit closes no group
        if group.n_members and (n or stops(launch) or group.n_between == MOST_BETWEEN
                                or launch.fail != NULL and depends(&group, operands, n_operands)):
            at = close(schedule, &group, at)
        if n:
            group.n = n
            join(&group, launch, i, operands, n_operands)
        elif group.n_members and depends(&group, operands, n_operands):
            let_behind(&group, i, operands, n_operands)
        else:
            schedule.order[at] = i     # in front of the group that is open
            at += 1
    close(schedule, &group, at)
    return 0
