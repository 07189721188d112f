"""Fused groups: launches that run block by block, as one launch.

Note [Products with one]
    The gradient of a sum is 1 at each element, and backward begins with its products: a member less. The factor must be
    the same in each run, and the other one be made by a member before, so that a signaling NaN has become a quiet one.

Note [Blocks of a group]
    A thread has a block of its own for each value that only members of the group use, all together ROOM bytes; what
    finds none stays in memory. Blocks have UNIT elements, which is what kernels may be cut at (Note [The same result
    from any number of threads] in wengert_core/runtime/thread_pool.pxd): longer ones fall out of the first-level cache.
    A chain with its gradient on 10^7 float32 took 13.9 ms so, and 15.4 ms in blocks of 4,096. How they run:
    fused_run.pyx.
"""
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc
from libc.string cimport memcpy

from wengert_core.extend cimport (FLOAT64, GRAIN_SLOW, LAUNCH_POINTWISE, OPERAND_CONSTANT, OPERAND_READ, UNIT, Launch,
                                  PointwisePlan, ReducePlan, dtype_facts)
from wengert_replay.passes.fused_run cimport ROOM, bytes_of_sums, rows_of_piece, run_fused
from wengert_replay.passes.groups cimport (MOST_MEMBERS, columns_of_member, columns_of_sums, cuts_evenly, elements_of,
                                           kind_of_member, step_of_member)
from wengert_replay.passes.kernels cimport ARITHMETIC_MUL, arithmetic_of
from wengert_replay.passes.members cimport (MEMBER_POINTWISE, MEMBER_SUM, MOST_AHEAD, FusedPlan, Member, Side,
                                            result_of)
from wengert_replay.passes.schedule cimport Schedule
from wengert_replay.passes.slots cimport NO_VALUE, VALUE_FIXED

cdef enum:
    UNCACHED = 0x1000000               # bytes of an operand that no cache holds, or not for long
    MANY = 5                           # members between which the next block is asked for


cdef int fuse(Launch* into, Slots slots, Py_ssize_t at, char* base) except -1:
    cdef Schedule schedule = slots.schedule
    cdef Launch* launch
    cdef int32_t group = schedule.group[schedule.order[at]]
    cdef Py_ssize_t n = elements_of(&schedule.launches[group]), end = at, size = sizeof(FusedPlan), columns = 0
    cdef FusedPlan* plan
    while end < schedule.n and schedule.group[schedule.order[end]] == group:
        launch = &schedule.launches[schedule.order[end]]
        if not schedule.dropped[schedule.order[end]]:
            size += sizeof(Member) + bytes_of_sums(kind_of_member(launch), item_of_sum(launch), n,
                                                   columns_of_sums(launch))
            columns = max(columns, columns_of_sums(launch))
        end += 1
    plan = <FusedPlan*> calloc(1, size)
    if plan == NULL:
        raise MemoryError()
    into.plan, into.run, into.kind, into.step = plan, run_fused, LAUNCH_POINTWISE, schedule.launches[group].step
    plan.n, plan.size, plan.columns, plan.members = n, size, columns, <Member*> (plan + 1)
    plan.grain, plan.rows = GRAIN_SLOW // UNIT, rows_of_piece(columns)
    if columns:
        plan.grain = max(GRAIN_SLOW // (plan.rows * columns), 1)
    for at in range(at, end):
        if not schedule.dropped[schedule.order[at]]:
            add_member(plan, slots, schedule.order[at], base)
    drop_products_with_one(plan)
    give_blocks(plan)
    assign_sums(plan)
    if columns or plan.n_members >= MANY:
        find_ahead(plan)
    return 0


cdef inline int item_of_sum(Launch* launch) noexcept:
    return 0 if launch.kind == LAUNCH_POINTWISE else dtype_facts().itemsize[(<ReducePlan*> launch.plan).code]


cdef void add_member(FusedPlan* plan, Slots slots, int32_t i, char* base) noexcept:
    """A member with all its operands in memory, or in slots."""
    cdef Launch* launch = &slots.schedule.launches[i]
    cdef Member* member = &plan.members[plan.n_members]
    cdef PointwisePlan* pointwise = <PointwisePlan*> launch.plan
    cdef ReducePlan* reduce = <ReducePlan*> launch.plan
    cdef int32_t operand = slots.schedule.cells.operands[i], value
    cdef int k
    cdef bint fixed
    cdef bint is_product = False
    member.kind, member.n_sides, member.other = kind_of_member(launch), 2, -1
    if member.kind == MEMBER_POINTWISE:
        member.fn, member.data, member.n_sides = pointwise.loop.fn, pointwise.loop.data, launch.n_operands
        if pointwise.loop.n_params:
            memcpy(member.params, pointwise.params, sizeof(member.params))
            member.data = member.params
        is_product = arithmetic_of(pointwise) == ARITHMETIC_MUL
        member.columns = columns_of_member(launch)
        for k in range(launch.n_operands if member.columns else 0):
            member.sides[k].down, member.sides[k].along = pointwise.strides[k][0], pointwise.strides[k][1]
    else:
        member.sum, member.section, member.item = reduce.fn, reduce.section, item_of_sum(launch)
        member.sides[1].along = reduce.kept[0].target if reduce.n_kept else 0
    if member.kind == MEMBER_POINTWISE:
        member.dense = step_of_member(launch, launch.n_operands - 1) == dtype_facts().itemsize[pointwise.loop.out]
    member.wanted = slots.schedule.wanted[operand + member.n_sides - 1]
    for k in range(member.n_sides):
        member.sides[k].step = step_of_member(launch, k)
        value = slots.value[operand + k]
        if launch.role[k] == OPERAND_CONSTANT:
            memcpy(member.numbers[k], launch.data[k], sizeof(member.numbers[k]))
            member.sides[k].data = <char*> member.numbers[k]
        elif value != NO_VALUE:
            member.sides[k].data = base + slots.values[slots.values[value].root].slot + slots.values[value].offset \
                + (<size_t> launch.data[k] - slots.values[value].address)
        else:
            member.sides[k].data = launch.data[k]
        fixed = launch.role[k] == OPERAND_CONSTANT \
            or value != NO_VALUE and slots.values[value].flags & VALUE_FIXED and launch.role[k] == OPERAND_READ
        if is_product and fixed and k < 2 and not has_strides(pointwise, k) \
                and is_one(pointwise.loop.compute, member.sides[k].data):
            member.other = 1 - k
    plan.n_members += 1


cdef bint is_one(int code, const char* number) noexcept:
    return (<const double*> number)[0] == 1 if code == FLOAT64 else (<const float*> number)[0] == 1


cdef bint has_strides(PointwisePlan* plan, int k) noexcept:
    cdef int i
    for i in range(plan.ndim):
        if plan.strides[k][i]:
            return True
    return False


# ---- products with one. Note [Products with one]

cdef void drop_products_with_one(FusedPlan* plan) noexcept:
    cdef int m = 0
    while m < plan.n_members:
        if plan.members[m].other >= 0 and gives_way(plan, m):
            remove_member(plan, m)
        else:
            m += 1


cdef bint gives_way(FusedPlan* plan, int m) noexcept:
    """Let the readers of a product read its factor. Returns whether that is possible."""
    cdef Side* result = result_of(&plan.members[m])
    cdef Side* factor = &plan.members[m].sides[plan.members[m].other]
    cdef bint replaced, is_made = False
    cdef int j, k, last = last_reader(plan, m, &replaced)
    for j in range(m):
        if plan.members[j].kind == MEMBER_POINTWISE and result_of(&plan.members[j]).data == factor.data:
            is_made = True
    if not is_made or not factor.step:
        return False
    if factor.data == result.data:
        return True
    if plan.members[m].wanted and not replaced:
        return False
    for j in range(m + 1, last):       # the last reader may write there
        if result_of(&plan.members[j]).data == factor.data:
            return False
    for j in range(m + 1, last + 1):
        for k in range(plan.members[j].n_sides - 1):
            if plan.members[j].sides[k].step and plan.members[j].sides[k].data == result.data:
                plan.members[j].sides[k].data = factor.data
    return True


cdef void remove_member(FusedPlan* plan, int m) noexcept:
    """Take a member out. Those behind it have addresses within themselves."""
    cdef char* own
    cdef int k
    plan.n_members -= 1
    for m in range(m, plan.n_members):
        own = <char*> &plan.members[m + 1]
        plan.members[m] = plan.members[m + 1]
        if own <= <char*> plan.members[m].data < own + sizeof(Member):
            plan.members[m].data = <char*> plan.members[m].data - sizeof(Member)
        for k in range(plan.members[m].n_sides):
            if own <= plan.members[m].sides[k].data < own + sizeof(Member):
                plan.members[m].sides[k].data -= sizeof(Member)


cdef void give_blocks(FusedPlan* plan) noexcept:
    """Give a block to each result that nobody reads behind the group. Note [Blocks of a group]"""
    cdef int busy[MOST_MEMBERS]        # by block: the last member that reads it
    cdef int m, k, last, block
    cdef bint replaced
    cdef Py_ssize_t widest = 1
    cdef bint kept
    for m in range(plan.n_members):
        for k in range(plan.members[m].n_sides):
            widest = max(widest, <Py_ssize_t> plan.members[m].sides[k].step)
    plan.nbytes = UNIT * widest
    for m in range(plan.n_members):
        if plan.members[m].kind == MEMBER_SUM and plan.columns and not cuts_evenly(plan.columns):
            plan.members[m].block, busy[plan.n_blocks] = plan.n_blocks, MOST_MEMBERS
            plan.n_blocks += 1
    for m in range(plan.n_members):
        if plan.members[m].kind != MEMBER_POINTWISE:
            continue
        last = last_reader(plan, m, &replaced)
        kept = plan.members[m].wanted and not replaced
        if kept and not is_streamed(plan, m):
            continue
        block = 0
        while block < plan.n_blocks and busy[block] >= m:
            block += 1
        if (block + 1) * plan.nbytes > ROOM:
            continue
        if block == plan.n_blocks:
            plan.n_blocks += 1
        busy[block] = max(last, m)
        if kept:
            plan.members[m].memory = result_of(&plan.members[m]).data
        move_to_block(plan, m, last, block)


cdef bint is_streamed(FusedPlan* plan, int m) noexcept:
    """Whether a result is too long for any cache. Note [Results past the caches] in fused_run.pyx"""
    return plan.members[m].dense and plan.n * result_of(&plan.members[m]).step >= UNCACHED


cdef int last_reader(FusedPlan* plan, int m, bint* replaced) noexcept:
    """The last member that reads the result of one; replaced: another then writes there."""
    cdef Side* result = result_of(&plan.members[m])
    cdef int j, k, last = m
    replaced[0] = False
    for j in range(m + 1, plan.n_members):
        for k in range(plan.members[j].n_sides - 1):
            if plan.members[j].sides[k].step and plan.members[j].sides[k].data == result.data:
                last = j
        if plan.members[j].kind == MEMBER_POINTWISE and result_of(&plan.members[j]).data == result.data:
            replaced[0] = True
            break
    return last


cdef void move_to_block(FusedPlan* plan, int m, int last, int block) noexcept:
    cdef char* data = result_of(&plan.members[m]).data
    cdef int j, k
    result_of(&plan.members[m]).data, result_of(&plan.members[m]).block = NULL, block
    for j in range(m + 1, last + 1):
        for k in range(plan.members[j].n_sides - 1):
            if plan.members[j].sides[k].step and plan.members[j].sides[k].data == data:
                plan.members[j].sides[k].data, plan.members[j].sides[k].block = NULL, block


cdef void assign_sums(FusedPlan* plan) noexcept:
    """Memory for the sums of blocks, behind the members."""
    cdef char* at = <char*> (plan.members + plan.n_members)
    cdef Member* member
    cdef int m
    for m in range(plan.n_members):
        member = &plan.members[m]
        member.sums = at
        at += bytes_of_sums(member.kind, member.item, plan.n, plan.columns)


cdef void find_ahead(FusedPlan* plan) noexcept:
    """Find the operands that lie in memory before the group. Note [Memory that is asked for] in fused_run.pyx"""
    cdef Side* side
    cdef bint is_first
    cdef int m, k, j, i
    for m in range(plan.n_members):
        for k in range(plan.members[m].n_sides - 1):
            side = &plan.members[m].sides[k]
            is_first = side.data != NULL and side.step != 0 and (plan.columns or plan.n * side.step >= UNCACHED)
            for j in range(m + 1 if is_first else 0):
                for i in range(plan.members[j].n_sides if j < m else k):
                    is_first = is_first and plan.members[j].sides[i].data != side.data
            if is_first and plan.n_ahead < MOST_AHEAD:
                plan.ahead[plan.n_ahead] = side
                plan.parts[plan.n_ahead] = (UNIT * side.step // plan.n_members + 63) & ~63
                plan.n_ahead += 1


cdef Py_ssize_t size_of_fused(Launch* launch) noexcept:
    return (<FusedPlan*> launch.plan).size
