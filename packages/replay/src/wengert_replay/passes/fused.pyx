"""Fused groups: launches that run block by block, as one launch.

Note [Blocks of a group]
    A thread has a block of its own for each value that only members of the group use, all together ROOM bytes; what
    finds none stays in memory. Blocks have UNIT elements, which is what kernels may be cut at (Note [The same result
    from any number of threads] in wengert_core/runtime/thread_pool.pxd): longer ones fall out of the first-level cache.
    A chain with its gradient on 10^7 float32 took 13.9 ms so, and 15.4 ms in blocks of 4,096.

Note [Sums in blocks]
    A sum adds up stretches of 1,024 elements, and combines these in pairs, pairs in pairs, and so on; the last stretch
    comes last (Note [How a reduction adds up] in wengert_core/kernels/reduce/reduce.h). A block is such a stretch, so
    that combining the sums of blocks in the same way gives the bits of the sum over all.
"""
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc
from libc.string cimport memcpy

from wengert_core.extend cimport (GRAIN_SLOW, LAUNCH_POINTWISE, OPERAND_CONSTANT, UNIT, FLOAT64, PointwisePlan,
                                  ReducePlan, parallel_for)
from wengert_replay.passes.groups cimport MOST_MEMBERS, columns_of_member, elements_of, step_of_member
from wengert_replay.passes.schedule cimport Schedule
from wengert_replay.passes.slots cimport NO_VALUE

cdef enum:
    ROOM = 0x10000                     # bytes of the blocks of a thread
    ROOM_WORDS = 0x2000                # of 8 bytes


# ---- making

cdef int fuse(Launch* into, Slots slots, Py_ssize_t at, char* base) except -1:
    cdef Schedule schedule = slots.schedule
    cdef int32_t group = schedule.group[schedule.order[at]]
    cdef Py_ssize_t n = elements_of(&schedule.launches[group]), end = at, nbytes = sizeof(FusedPlan), sums
    cdef FusedPlan* plan
    sums = (n // UNIT + 1) * sizeof(double)
    while end < schedule.n and schedule.group[schedule.order[end]] == group:
        if not schedule.dropped[schedule.order[end]]:
            nbytes += sizeof(Member) + (sums if schedule.launches[schedule.order[end]].kind != LAUNCH_POINTWISE else 0)
        end += 1
    plan = <FusedPlan*> calloc(1, nbytes)
    if plan == NULL:
        raise MemoryError()
    into.plan, into.run, into.kind, into.step = plan, run_fused, LAUNCH_POINTWISE, schedule.launches[group].step
    plan.n, plan.members = n, <Member*> (plan + 1)
    for at in range(at, end):
        if not schedule.dropped[schedule.order[at]]:
            add_member(plan, slots, schedule.order[at], base)
    give_blocks(plan)
    plan.grain = GRAIN_SLOW // UNIT
    assign_sums(plan, sums)
    return 0


cdef void add_member(FusedPlan* plan, Slots slots, int32_t i, char* base) noexcept:
    """A member with all its operands in memory, or in slots."""
    cdef Launch* launch = &slots.schedule.launches[i]
    cdef Member* member = &plan.members[plan.n_members]
    cdef PointwisePlan* pointwise = <PointwisePlan*> launch.plan
    cdef ReducePlan* reduce = <ReducePlan*> launch.plan
    cdef int32_t operand = slots.schedule.cells.operands[i], value
    cdef int k
    if launch.kind == LAUNCH_POINTWISE:
        member.fn, member.data = pointwise.loop.fn, pointwise.loop.data
        if pointwise.loop.n_params:
            memcpy(member.params, pointwise.params, sizeof(member.params))
            member.data = member.params
        member.columns = columns_of_member(launch)
        for k in range(launch.n_operands if member.columns else 0):
            member.sides[k].down, member.sides[k].along = pointwise.strides[k][0], pointwise.strides[k][1]
    else:
        member.sum, member.is_double, plan.section = reduce.fn, reduce.code == FLOAT64, reduce.section
    member.n_sides = launch.n_operands if launch.kind == LAUNCH_POINTWISE else 2
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
    plan.n_members += 1


cdef void give_blocks(FusedPlan* plan) noexcept:
    """Give a block to each result that nobody reads behind the group. Note [Blocks of a group]"""
    cdef int busy[MOST_MEMBERS]        # by block: the last member that reads it
    cdef int m, k, last, block
    cdef bint replaced
    cdef Py_ssize_t widest = 1
    for m in range(plan.n_members):
        for k in range(plan.members[m].n_sides):
            widest = max(widest, <Py_ssize_t> plan.members[m].sides[k].step)
    plan.nbytes = UNIT * widest
    for m in range(plan.n_members):
        if plan.members[m].fn == NULL:
            continue
        last = last_reader(plan, m, &replaced)
        if plan.members[m].wanted and not replaced:
            continue
        block = 0
        while block < plan.n_blocks and busy[block] >= m:
            block += 1
        if (block + 1) * plan.nbytes > ROOM:
            continue
        if block == plan.n_blocks:
            plan.n_blocks += 1
        busy[block] = max(last, m)
        move_to_block(plan, m, last, block)


cdef int last_reader(FusedPlan* plan, int m, bint* replaced) noexcept:
    """The last member that reads the result of one; replaced: another then writes there."""
    cdef Side* result = result_of(&plan.members[m])
    cdef int j, k, last = m
    replaced[0] = False
    for j in range(m + 1, plan.n_members):
        for k in range(plan.members[j].n_sides - 1):
            if plan.members[j].sides[k].step and plan.members[j].sides[k].data == result.data:
                last = j
        if plan.members[j].fn != NULL and result_of(&plan.members[j]).data == result.data:
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


cdef inline Side* result_of(Member* member) noexcept nogil:
    return &member.sides[member.n_sides - 1]


cdef void assign_sums(FusedPlan* plan, Py_ssize_t nbytes) noexcept:
    """Memory for the sums of blocks, behind the members."""
    cdef char* at = <char*> (plan.members + plan.n_members)
    cdef int m
    for m in range(plan.n_members):
        if plan.members[m].fn == NULL:
            plan.members[m].sums = at
            at += nbytes


cdef void redirect_fused(Launch* launch, char* low, Py_ssize_t nbytes, char* to) noexcept nogil:
    cdef FusedPlan* plan = <FusedPlan*> launch.plan
    cdef Side* side
    cdef int m, k
    if launch.run != run_fused:
        return
    for m in range(plan.n_members):
        for k in range(plan.members[m].n_sides):
            side = &plan.members[m].sides[k]
            if low <= side.data < low + nbytes:
                side.data = to + (side.data - low)


cdef Py_ssize_t size_of_fused(Launch* launch) noexcept:
    cdef FusedPlan* plan = <FusedPlan*> launch.plan
    cdef Py_ssize_t nbytes = sizeof(FusedPlan) + plan.n_members * sizeof(Member)
    cdef int m
    for m in range(plan.n_members):
        nbytes += (plan.n // UNIT + 1) * sizeof(double) if plan.members[m].fn == NULL else 0
    return nbytes


# ---- running

cdef int run_fused(Launch* launch) noexcept nogil:
    cdef FusedPlan* plan = <FusedPlan*> launch.plan
    cdef int m
    parallel_for((plan.n + UNIT - 1) // UNIT, plan.grain, run_blocks, plan)
    for m in range(plan.n_members):
        if plan.members[m].fn == NULL:
            if plan.members[m].is_double:
                finish_sum(plan, &plan.members[m], <double*> plan.members[m].sums)
            else:
                finish_sum(plan, &plan.members[m], <float*> plan.members[m].sums)
    return 0


cdef void run_blocks(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef double room[ROOM_WORDS]
    cdef FusedPlan* plan = <FusedPlan*> ctx
    cdef Py_ssize_t b, count
    cdef int m
    for b in range(begin, end):
        count = min(<Py_ssize_t> UNIT, plan.n - b * UNIT)
        for m in range(plan.n_members):
            run_member(plan, &plan.members[m], b, count, <char*> room)


cdef inline void run_member(FusedPlan* plan, Member* member, Py_ssize_t b, npy_intp count, char* room) noexcept nogil:
    cdef char* args[5]
    cdef npy_intp steps[5]
    cdef int k
    if member.columns:
        run_rows(plan, member, b * UNIT, count, room)
        return
    for k in range(member.n_sides):
        steps[k] = member.sides[k].step
        args[k] = room + member.sides[k].block * plan.nbytes if member.sides[k].data == NULL \
            else member.sides[k].data + b * UNIT * steps[k]
    if member.fn != NULL:
        member.fn(args, &count, steps, member.data)
    else:
        member.sum(args[0], 1, 0, count, steps[0], member.sums + b * (8 if member.is_double else 4), 0)


cdef void run_rows(FusedPlan* plan, Member* member, Py_ssize_t first, Py_ssize_t count, char* room) noexcept nogil:
    """Elements of a matrix, from the first on: parts of rows."""
    cdef char* args[5]
    cdef npy_intp steps[5]
    cdef Py_ssize_t row = first // member.columns, column = first % member.columns, done = 0
    cdef npy_intp n
    cdef Side* side
    cdef int k
    while done < count:
        n = min(member.columns - column, count - done)
        for k in range(member.n_sides):
            side = &member.sides[k]
            steps[k] = side.along
            args[k] = room + side.block * plan.nbytes + done * side.along if side.data == NULL \
                else side.data + row * side.down + column * side.along
        member.fn(args, &n, steps, member.data)
        done, row, column = done + n, row + 1, 0


ctypedef fused real_t:
    float
    double


cdef real_t combine(const real_t* sums, Py_ssize_t n) noexcept nogil:
    """The sum of blocks. Note [Sums in blocks]"""
    cdef real_t waiting[64]
    cdef real_t total = sums[0]
    cdef int top = 0
    cdef Py_ssize_t b, k
    for b in range(n - 1):
        total = sums[b]
        k = b + 1
        while not k & 1:
            top -= 1
            total = waiting[top] + total
            k >>= 1
        waiting[top] = total
        top += 1
    total = sums[n - 1]
    while top > 0:
        top -= 1
        total = waiting[top] + total
    return total


cdef void finish_sum(FusedPlan* plan, Member* member, real_t* sums) noexcept nogil:
    cdef Py_ssize_t n_blocks = (plan.n + UNIT - 1) // UNIT
    cdef Py_ssize_t each = plan.section // UNIT if plan.section else n_blocks
    cdef Py_ssize_t n_sections = (n_blocks + each - 1) // each, s
    cdef real_t* target = <real_t*> result_of(member).data
    for s in range(n_sections):
        sums[s] = combine(sums + s * each, min(each, n_blocks - s * each))
    if n_sections == 1:
        target[0] = sums[0]
    else:
        member.sum(<char*> sums, 1, 0, n_sections, sizeof(real_t), <char*> target, 0)
