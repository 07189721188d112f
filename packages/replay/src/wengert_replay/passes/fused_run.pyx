"""The run of a fused group, block by block, and of sums that are its members.

Note [Sums in blocks]
    A sum adds up stretches of 1,024 elements, and combines these in pairs, pairs in pairs, and so on; the last stretch
    comes last (Note [How a reduction adds up] in wengert_core/kernels/reduce/reduce.h). A block is such a stretch, so
    that combining the sums of blocks in the same way gives the bits of the sum over all.

Note [Sums in tiles]
    Where a member sums the rows or the columns of a matrix, blocks are tiles: as many whole rows as a block has room
    for, or parts of UNIT columns of one row. A row's sum is that of its tiles, combined as above. Sums of columns take
    up a row at a time (column_sums.h): rows in fours, these in sixteens, and so on, as the eager kernel does. A piece
    of work is 256 or 1,024 rows, so that its elements are whole stretches: a sum of all elements, whose stretches begin
    within rows, puts them together in a block of its own. What is summed up in 256 rows is combined at the end.

Note [Memory that is asked for]
    The first reader of a block waits for memory while nothing is computed. So parts of the next block are asked for
    between the members, in groups with sums of rows or columns and in those of MANY members whose operands no cache
    holds. The gradient of a row and a column of 4,000 x 2,500 float32 took 7.5 ms so, and 9.2 ms without; that of a
    chain on 10^7 float32 9.0 and 10.1 ms. Groups of few members lose a tenth by it, up to a third in tiles.

Note [Results past the caches]
    A store reads its line from memory first. A result that no cache holds is made in a block, and copied from there by
    stores that read nothing. A matrix of 4,000 x 2,500 float32 times a row plus a column took 3.1 ms so, and 4.1 ms
    without; the gradient of that chain 10.1 and 11.6 ms.
"""
from libc.string cimport memcpy

from wengert_core.extend cimport UNIT, Launch, npy_intp, parallel_for
from wengert_replay.passes.members cimport (MEMBER_COLUMN_SUMS, MEMBER_POINTWISE, MEMBER_ROW_SUMS, MEMBER_SUM,
                                            FusedPlan, Member, Side, result_of)

cdef extern from "wengert_replay/passes/column_sums.h" nogil:
    cdef enum:
        FAN "WG_FAN"
        FOLD "WG_FOLD"
        MOST_LEVELS "WG_MOST_LEVELS"
        ROW_FIRST "WG_ROW_FIRST"
        ROW_FOURTH "WG_ROW_FOURTH"
        ROW_SINGLE "WG_ROW_SINGLE"
    void add_row_f32 "wg_add_row_f32"(int kind, Py_ssize_t n, const float* x, float* first, float* third, float* total)
    void add_row_f64 "wg_add_row_f64"(
        int kind, Py_ssize_t n, const double* x, double* first, double* third, double* total)
    void fold_f32 "wg_fold_f32"(Py_ssize_t n, float* into, const float* from_)
    void fold_f64 "wg_fold_f64"(Py_ssize_t n, double* into, const double* from_)

cdef extern from "wengert_replay/passes/transfers.h" nogil:
    void fetch_bytes "wg_fetch_bytes"(const char* at, const char* end)
    void stream_bytes "wg_stream_bytes"(char* to, const char* from_, Py_ssize_t n)
    void end_streams "wg_end_streams"()

cdef enum:
    LINE_WORDS = 8                     # of 8 bytes, in a line of the cache
    ARRAYS = 4                         # of FOLD rows: their sum, that of sixteen, of two rows, a row

ctypedef fused real_t:
    float
    double


cdef Py_ssize_t rows_of_piece(Py_ssize_t columns) noexcept nogil:
    return FOLD if columns % (UNIT // FOLD) == 0 else UNIT


cdef Py_ssize_t bytes_of_sums(int kind, int item, Py_ssize_t n, Py_ssize_t columns) noexcept nogil:
    cdef Py_ssize_t rows = n // columns if columns else 0, numbers = 0
    if kind == MEMBER_SUM:
        numbers = n // UNIT + 1
    elif kind == MEMBER_ROW_SUMS:
        numbers = (rows // rows_of_piece(columns) + 1) * (columns // UNIT + 1)
    elif kind == MEMBER_COLUMN_SUMS:
        numbers = (rows + FOLD - 1) // FOLD * ARRAYS * columns
    return (numbers + 1 & ~1) * item


cdef int run_fused(Launch* launch) noexcept nogil:
    cdef FusedPlan* plan = <FusedPlan*> launch.plan
    cdef Py_ssize_t rows
    cdef int m
    if plan.columns:
        rows = plan.n // plan.columns
        parallel_for((rows + plan.rows - 1) // plan.rows, plan.grain, run_pieces, plan)
    else:
        parallel_for((plan.n + UNIT - 1) // UNIT, plan.grain, run_blocks, plan)
    for m in range(plan.n_members):
        if plan.members[m].item == 8:
            finish[double](plan, &plan.members[m], <double*> plan.members[m].sums)
        elif plan.members[m].item:
            finish[float](plan, &plan.members[m], <float*> plan.members[m].sums)
    return 0


# ---- blocks, and tiles

cdef inline char* line_in(double* words) noexcept nogil:
    """The first address of words that begins a line of the cache: vectors across two lines take twice the time."""
    return <char*> words + (-<Py_ssize_t> words & 8 * LINE_WORDS - 1)


cdef void run_blocks(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef double words[ROOM_WORDS + LINE_WORDS]
    cdef char* room = line_in(words)
    cdef FusedPlan* plan = <FusedPlan*> ctx
    cdef Py_ssize_t b, count
    cdef int m
    for b in range(begin, end):
        count = min(<Py_ssize_t> UNIT, plan.n - b * UNIT)
        for m in range(plan.n_members):
            fetch(plan, m, b * UNIT + count, count)
            if plan.members[m].kind == MEMBER_POINTWISE:
                run_pointwise(plan, &plan.members[m], b * UNIT, count, room)
            else:
                sum_up(plan, &plan.members[m], b * UNIT, count, room)
    end_streams()


cdef void run_pieces(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef double words[ROOM_WORDS + LINE_WORDS]
    cdef char* room = line_in(words)
    cdef FusedPlan* plan = <FusedPlan*> ctx
    cdef Py_ssize_t row = begin * plan.rows, stop = min(end * plan.rows, plan.n // plan.columns), column, rows
    while row < stop:
        rows = min(max(UNIT // plan.columns, <Py_ssize_t> 1), stop - row)
        column = 0
        while column < plan.columns:
            run_tile(plan, row, column, rows, room)
            column += UNIT
        row += rows
    end_streams()


cdef void run_tile(FusedPlan* plan, Py_ssize_t row, Py_ssize_t column, Py_ssize_t rows, char* room) noexcept nogil:
    """All members on a tile; several rows are whole rows."""
    cdef Py_ssize_t first = row * plan.columns + column, columns = min(<Py_ssize_t> UNIT, plan.columns - column), i
    cdef Member* member
    cdef char* data
    cdef int m
    for m in range(plan.n_members):
        fetch(plan, m, first + rows * columns, rows * columns)
        member = &plan.members[m]
        if member.kind == MEMBER_POINTWISE and member.columns == plan.columns:
            run_rows(plan, member, row, column, rows * columns, room)
            keep_result(plan, member, first, rows * columns, room)
        elif member.kind == MEMBER_POINTWISE:
            run_pointwise(plan, member, first, rows * columns, room)
        elif member.kind == MEMBER_SUM:
            sum_up(plan, member, first, rows * columns, room)
        elif member.kind == MEMBER_ROW_SUMS:
            sum_rows(plan, member, row, column, rows, address_of(plan, &member.sides[0], first, room))
        else:
            data = address_of(plan, &member.sides[0], first, room)
            for i in range(rows):
                if member.item == 8:
                    add_row[double](plan, member, row + i, column, columns, <double*> data + i * columns)
                else:
                    add_row[float](plan, member, row + i, column, columns, <float*> data + i * columns)


cdef inline void fetch(FusedPlan* plan, int m, Py_ssize_t first, Py_ssize_t count) noexcept nogil:
    """Ask for a part of the next tile's memory, before a member runs. Note [Memory that is asked for]"""
    cdef char* at
    cdef Side* side
    cdef int k
    for k in range(plan.n_ahead):
        side = plan.ahead[k]
        at = side.data + first * side.step + m * plan.parts[k]
        fetch_bytes(at, min(at + plan.parts[k], side.data + min(first + count, plan.n) * side.step))


cdef inline char* address_of(FusedPlan* plan, Side* side, Py_ssize_t first, char* room) noexcept nogil:
    """The address of an operand's element, from which on a block begins."""
    return room + side.block * plan.nbytes if side.data == NULL else side.data + first * side.step


cdef inline void run_pointwise(
    FusedPlan* plan, Member* member, Py_ssize_t first, npy_intp count, char* room
) noexcept nogil:
    cdef char* args[5]
    cdef npy_intp steps[5]
    cdef int k
    if member.columns:
        run_rows(plan, member, first // member.columns, first % member.columns, count, room)
    else:
        for k in range(member.n_sides):
            steps[k], args[k] = member.sides[k].step, address_of(plan, &member.sides[k], first, room)
        member.fn(args, &count, steps, member.data)
    keep_result(plan, member, first, count, room)


cdef inline void keep_result(
    FusedPlan* plan, Member* member, Py_ssize_t first, Py_ssize_t count, char* room
) noexcept nogil:
    """Copy a result from its block to memory. Note [Results past the caches]"""
    cdef Side* side = result_of(member)
    if member.memory != NULL:
        stream_bytes(member.memory + first * side.step, address_of(plan, side, first, room), count * side.step)


cdef void run_rows(
    FusedPlan* plan, Member* member, Py_ssize_t row, Py_ssize_t column, Py_ssize_t count, char* room
) noexcept nogil:
    """Elements of a matrix, from one on: parts of rows."""
    cdef char* args[5]
    cdef npy_intp steps[5]
    cdef Py_ssize_t done = 0
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


# ---- sums

cdef void sum_up(FusedPlan* plan, Member* member, Py_ssize_t first, Py_ssize_t count, char* room) noexcept nogil:
    """Sum up stretches of all elements. Note [Sums in tiles]"""
    cdef char* data = address_of(plan, &member.sides[0], first, room)
    cdef char* stretch = room + member.block * plan.nbytes
    cdef Py_ssize_t at = first % UNIT, n
    if at == 0 and (count == UNIT or first + count == plan.n):
        member.sum(data, 1, 0, count, member.item, member.sums + first // UNIT * member.item, 0)
        return
    while count > 0:
        n = min(UNIT - at, count)
        memcpy(stretch + at * member.item, data, n * member.item)
        first, count, data, at = first + n, count - n, data + n * member.item, at + n
        if at == UNIT or first == plan.n:
            member.sum(stretch, 1, 0, at, member.item, member.sums + (first - 1) // UNIT * member.item, 0)
            at = 0


cdef void sum_rows(
    FusedPlan* plan, Member* member, Py_ssize_t row, Py_ssize_t column, Py_ssize_t rows, char* data
) noexcept nogil:
    cdef char* target = result_of(member).data + row * result_of(member).along
    cdef char* sums = member.sums + row // plan.rows * (plan.columns // UNIT + 1) * member.item
    if plan.columns <= UNIT:
        member.sum(data, rows, plan.columns * member.item, plan.columns, member.item, target, result_of(member).along)
        return
    member.sum(data, 1, 0, min(<Py_ssize_t> UNIT, plan.columns - column), member.item,
               sums + column // UNIT * member.item, 0)
    if column + UNIT < plan.columns:
        return
    if member.item == 8:
        (<double*> target)[0] = combine[double](<double*> sums, column // UNIT + 1)
    else:
        (<float*> target)[0] = combine[float](<float*> sums, column // UNIT + 1)


cdef void add_row(
    FusedPlan* plan, Member* member, Py_ssize_t row, Py_ssize_t column, Py_ssize_t columns, real_t* x
) noexcept nogil:
    """Add a part of a row to the sums of columns."""
    cdef real_t* sums = <real_t*> member.sums + row // FOLD * ARRAYS * plan.columns + column
    cdef real_t* total = sums + plan.columns
    cdef real_t* first = total + plan.columns
    cdef real_t* third = first + plan.columns
    cdef Py_ssize_t rows = plan.n // plan.columns, i
    cdef int kind
    if member.section:
        rows = min(member.section, rows - row // member.section * member.section)
        row = row % member.section
    kind = ROW_FIRST + <int> (row % 4) if row - row % 4 + 4 <= rows else ROW_SINGLE
    if row % FAN == 0:
        for i in range(columns):
            total[i] = 0
    if row % FOLD == 0:
        for i in range(columns):
            sums[i] = 0
    if real_t is float:
        add_row_f32(kind, columns, x, first, third, total)
    else:
        add_row_f64(kind, columns, x, first, third, total)
    if row % FAN == FAN - 1 or row == rows - 1:
        fold(columns, sums, total)


cdef inline void fold(Py_ssize_t n, real_t* into, const real_t* others) noexcept nogil:
    if real_t is float:
        fold_f32(n, into, others)
    else:
        fold_f64(n, into, others)


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


cdef void finish(FusedPlan* plan, Member* member, real_t* sums) noexcept nogil:
    if member.kind == MEMBER_SUM:
        finish_sum(plan, member, sums)
    elif member.kind == MEMBER_COLUMN_SUMS:
        finish_columns(plan, member, sums)


cdef void finish_sum(FusedPlan* plan, Member* member, real_t* sums) noexcept nogil:
    cdef Py_ssize_t n_blocks = (plan.n + UNIT - 1) // UNIT
    cdef Py_ssize_t each = member.section // UNIT if member.section else n_blocks
    cdef Py_ssize_t n_sections = (n_blocks + each - 1) // each, s
    cdef real_t* target = <real_t*> result_of(member).data
    for s in range(n_sections):
        sums[s] = combine(sums + s * each, min(each, n_blocks - s * each))
    if n_sections == 1:
        target[0] = sums[0]
    else:
        member.sum(<char*> sums, 1, 0, n_sections, sizeof(real_t), <char*> target, 0)


cdef void finish_columns(FusedPlan* plan, Member* member, real_t* sums) noexcept nogil:
    """Combine what was summed up in FOLD rows, by sections, and then these."""
    cdef Py_ssize_t rows = plan.n // plan.columns, each = member.section if member.section else rows
    cdef Py_ssize_t apart = ARRAYS * plan.columns, begin = 0
    cdef Py_ssize_t of_section = (each + FOLD - 1) // FOLD * apart
    while begin < rows:
        combine_folds(plan.columns, sums + begin // FOLD * apart, apart, min(each, rows - begin))
        begin += each
    member.sum(<char*> sums, plan.columns, sizeof(real_t), (rows + each - 1) // each, of_section * sizeof(real_t),
               result_of(member).data, result_of(member).along)


cdef void combine_folds(Py_ssize_t columns, real_t* sums, Py_ssize_t apart, Py_ssize_t rows) noexcept nogil:
    """Add up sums of FOLD rows in the levels of a reduction, into the first of them."""
    cdef Py_ssize_t n = (rows + FOLD - 1) // FOLD, k = rows, i, width
    cdef int top = 0, level = 2
    while k >= FAN and top < MOST_LEVELS - 1:
        k, top = k // FAN, top + 1
    while n > 1:
        width = n if level == top else FAN
        for i in range(n):
            if i % width:
                fold(columns, sums + (i - i % width) * apart, sums + i * apart)
        n, apart, level = (n + width - 1) // width, apart * width, level + 1
