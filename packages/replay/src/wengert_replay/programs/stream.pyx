"""Stream: the instructions of a program, behind each other in memory.

Note [From launches to instructions]
    Passes decide which launches run and where small values lie. A launch that is one call of a kernel on small values
    becomes an instruction of 12 to 28 bytes for the machine (machine.h); so do small products. All others stay as they
    are, moved to the slots of what they read and write, and an instruction runs each.
"""
cimport cython
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from wengert_core.extend cimport (FLOAT64, LAUNCH_ADD_ROW, LAUNCH_CALL, LAUNCH_GUARD, LAUNCH_PRODUCT,
                                  MOST_OPERANDS_OF_LAUNCH, OPERAND_CONSTANT, OPERAND_WRITTEN, AddRowPlan, ProductPlan,
                                  bytes_between, dtype_facts, free_launch)
from wengert_replay.passes.dead_code cimport drop_dead_code
from wengert_replay.instructions.marks cimport Marks
from wengert_replay.instructions.own_plans cimport OwnPlans
from wengert_replay.memory.arena cimport Arena
from wengert_replay.passes.fused cimport fuse, size_of_fused
from wengert_replay.passes.groups cimport form_groups
from wengert_replay.passes.schedule cimport ALONE, FACT_INSTRUCTION, FACT_PARAMETERS, MOST_COUNTED, instruction_plan
from wengert_replay.passes.slots cimport NO_VALUE, NUMBER_BYTES, VALUE_FIXED, VALUE_STORED, Value
from wengert_replay.recording.tracing cimport Recording
from wengert_replay.programs.operations cimport (
    HEAD_BYTES, WG_OP_ADD_ROW_F32, WG_OP_ADD_ROW_F64, WG_OP_CALL, WG_OP_CORE, WG_OP_END, WG_OP_GUARD, WG_OP_KERNEL_1,
    WG_OP_LAUNCH, WG_OP_LOAD_4, WG_OP_MOVE, WG_OP_NOP, WG_OP_PRODUCT, WG_OP_STORE_4, WG_OP_WIDE, WG_VECTOR, fill_bytes,
    find_or_add, is_core, is_move, operation_of, step_of)
from wengert_replay.trace.tables cimport room_for_another, shorten

cdef extern from "wengert_replay/programs/machine.h" nogil:
    ctypedef struct wg_kernel:
        loop_t fn
        void* data
        npy_intp steps[5]
    ctypedef struct wg_product:
        loop_t fn
        void* data
        npy_intp sizes[4]
        npy_intp steps[9]
    ctypedef struct wg_tables:
        const wg_kernel* kernels
        const wg_product* products
        char* slots
    const void* wg_run_machine(const char* at, const wg_tables* tables, int* stop)

cdef const int32_t* DISTANCES = <const int32_t*> wg_run_machine(NULL, NULL, NULL)


@cython.binding(False)
cdef class Stream:
    """Instructions in the order in which they run, and what they run on. Note [From launches to instructions]"""

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.n_others):
            free_launch(&self.others[i])
        free(self.others)
        free(self.rows)
        free(self.sites)
        free(self.slots)
        free(self.kernels)
        free(self.products)
        free(self.parameters)

    cdef char* run(self, char* at, int* stop) noexcept nogil:
        cdef wg_tables tables
        tables.kernels, tables.products = <wg_kernel*> self.kernels, <wg_product*> self.products
        tables.slots = self.slots
        return <char*> wg_run_machine(at, &tables, stop)

    cdef char* run_until(self, char* at, char* until, int* stop) noexcept nogil:
        """An instruction that stops stands in place of the one at ``until`` meanwhile."""
        cdef int32_t* handler = <int32_t*> until
        cdef int32_t before = handler[0]
        handler[0] = DISTANCES[WG_OP_END]
        at = self.run(at, stop)
        handler[0] = before
        return at

    cdef dict facts(self):
        return {"instructions": self.n_instructions, "launches": self.n_others, "groups": self.n_groups,
                "kernels": self.n_kernels, "products": self.n_products, "bytes": self.nbytes}

    cdef int fill(self, Recording recording, Ranges kept, Py_ssize_t first, Arena arena, dict reaches) except -1:
        cdef Schedule schedule = Schedule()
        cdef Slots slots = Slots()
        schedule.lay_out(recording.recorder.launches + first, recording.recorder.n - first, kept, reaches)
        form_groups(schedule)
        schedule.note_first_writes(&recording.first_writes, first)
        drop_dead_code(schedule)
        slots.lay_out(schedule)
        return self.take(slots, first, arena)

    cdef int take(self, Slots slots, Py_ssize_t first, Arena arena) except -1:
        cdef Schedule schedule = slots.schedule
        cdef Py_ssize_t i
        self.first, self.arena, self.reaches = first, arena, schedule.reaches
        if arena is not None:
            arena.lay_out(slots)
        self.allocate_tables(schedule, slots)
        for i in range(slots.n_numbers):
            memcpy(self.slots + slots.values[i].slot, slots.numbers[i], NUMBER_BYTES)
        for i in range(schedule.n):
            self.fill_fixed(slots, <int32_t> i)
        self.encode(schedule, slots)
        for i in range(schedule.n):
            free_launch(&schedule.launches[i])
        return 0

    def allocate_tables(self, Schedule schedule, Slots slots):
        cdef Py_ssize_t i, n_others = 0, n_parameters = 0
        for i in range(schedule.n):
            if schedule.group[i] == i or not is_core(&schedule.launches[i]) \
                    and not is_move(&schedule.launches[i]):
                n_others += 1
            if schedule.facts[i] & FACT_PARAMETERS:
                n_parameters += instruction_plan(&schedule.launches[i]).loop.n_params
        self.slots, self.parameters = <char*> calloc(slots.nbytes + WG_VECTOR, 1), <char*> malloc(8 * n_parameters + 1)
        self.others = <Launch*> calloc(n_others + 1, sizeof(Launch))
        self.marks, self.plans = Marks(), OwnPlans()
        self.room = 16 * schedule.n + 256
        self.rows = <char*> malloc(self.room)
        if self.slots == NULL or self.others == NULL or self.parameters == NULL or self.rows == NULL:
            raise MemoryError()
        self.end, self.nbytes, self.n_slot_bytes = self.rows, 8 * n_parameters, slots.nbytes + WG_VECTOR

    # ---- what is the same in each run

    cdef int fill_fixed(self, Slots slots, int32_t i) noexcept:
        """Write a launch's result to its slot, if it is fixed."""
        cdef Launch* launch = &slots.schedule.launches[i]
        cdef PointwisePlan* plan
        cdef int32_t value
        cdef char* args[5]
        cdef npy_intp steps[5]
        cdef npy_intp n
        cdef int k, last = launch.n_operands - 1
        if slots.schedule.dropped[i] or last < 0 or launch.role[last] != OPERAND_WRITTEN:
            return 0
        value = slots.value[slots.schedule.cells.operands[i] + last]
        if value == NO_VALUE or not slots.values[value].flags & VALUE_FIXED or slots.values[value].root != value:
            return 0
        plan = instruction_plan(launch)
        if plan == NULL:
            fill_bytes(launch, self.slots + slots.values[value].slot, slots.values[value].nbytes)
            return 0
        for k in range(launch.n_operands):
            args[k], steps[k] = self.location_of(slots, i, k), step_of(plan, k)
        n = plan.shape[0]
        plan.loop.fn(args, &n, steps, plan.loop.data)
        return 0

    cdef char* location_of(self, Slots slots, int32_t i, int k) noexcept:
        """The address of an operand's first element when the launch runs."""
        cdef Launch* launch = &slots.schedule.launches[i]
        cdef int32_t value = slots.value[slots.schedule.cells.operands[i] + k]
        cdef char* slot
        if value == NO_VALUE:
            return launch.data[k]
        slot = self.slots + slots.values[slots.values[value].root].slot + slots.values[value].offset
        return slot if launch.role[k] == OPERAND_CONSTANT else slot + (<size_t> launch.data[k]
                                                                       - slots.values[value].address)

    # ---- instructions

    cdef int encode(self, Schedule schedule, Slots slots) except -1:
        cdef Py_ssize_t at = 0, end, nbytes, before
        cdef int32_t i
        while at < schedule.n:
            i, end = schedule.order[at], at + 1
            while schedule.group[i] != ALONE and end < schedule.n \
                    and schedule.group[schedule.order[end]] == schedule.group[i]:
                end += 1
            before = bytes_between(self.rows, self.end)
            if end > at + 1:
                self.append_group(slots, at)
            elif not schedule.dropped[i]:
                self.append_loads(slots, i)
                self.encode_launch(slots, i)
            while at < end:
                self.append_stores(slots, schedule.order[at])
                at += 1
            if before < bytes_between(self.rows, self.end):
                self.marks.add(before, schedule.launches[i].step)
        self.append_row(WG_OP_END, NULL, 0)
        nbytes = bytes_between(self.rows, self.end) - sizeof(Row)
        self.rows = shorten(self.rows, bytes_between(self.rows, self.end))
        self.marks.shrink()
        self.plans.shrink()
        self.end = self.rows + nbytes
        self.nbytes += nbytes + self.marks.nbytes + self.plans.nbytes + self.n_others * sizeof(Launch) \
            + self.n_kernels * <Py_ssize_t> sizeof(wg_kernel) + self.n_products * <Py_ssize_t> sizeof(wg_product)
        return 0

    cdef int append_loads(self, Slots slots, int32_t i) except -1:
        cdef int32_t operand = slots.schedule.cells.operands[i]
        cdef int k
        for k in range(slots.schedule.launches[i].n_operands):
            if slots.loads[operand + k]:
                self.append_transfer(slots, slots.value[operand + k], False)
        return 0

    cdef int append_stores(self, Slots slots, int32_t i) except -1:
        cdef Launch* launch = &slots.schedule.launches[i]
        cdef int32_t value
        cdef int k
        for k in range(launch.n_operands if not slots.schedule.dropped[i] else 0):
            value = slots.value[slots.schedule.cells.operands[i] + k]
            if launch.role[k] & OPERAND_WRITTEN and value != NO_VALUE and slots.values[value].flags & VALUE_STORED:
                self.append_transfer(slots, value, True)
        return 0

    cdef int append_group(self, Slots slots, Py_ssize_t at) except -1:
        """An instruction that runs the group which begins at a place in the order."""
        cdef Launch* own = &self.others[self.n_others]
        fuse(own, slots, at, self.slots)
        self.n_others, self.n_groups = self.n_others + 1, self.n_groups + 1
        self.nbytes += size_of_fused(own)
        return self.append_row(WG_OP_LAUNCH, own, self.first + slots.schedule.order[at])

    cdef int encode_launch(self, Slots slots, int32_t i) except -1:
        cdef Launch* launch = &slots.schedule.launches[i]
        cdef int32_t value = NO_VALUE
        cdef AddRowPlan* plan = <AddRowPlan*> launch.plan
        cdef uint32_t* words
        if launch.n_operands and launch.role[launch.n_operands - 1] == OPERAND_WRITTEN:
            value = slots.value[slots.schedule.cells.operands[i] + launch.n_operands - 1]
        if value != NO_VALUE and (slots.values[value].flags & VALUE_FIXED or slots.values[value].root != value):
            return 0                   # fixed, or a value that is there already
        if slots.schedule.facts[i] & FACT_INSTRUCTION:
            return self.append_kernel(slots, i, <PointwisePlan*> launch.plan)
        if launch.kind == LAUNCH_PRODUCT:
            return self.append_product(slots, i)
        if is_move(launch):
            return self.append_move(slots, i)
        if launch.kind == LAUNCH_ADD_ROW and plan.m <= MOST_COUNTED and plan.n <= MOST_COUNTED:
            words = self.append(7)
            words[0] = DISTANCES[WG_OP_ADD_ROW_F64 if plan.code == FLOAT64 else WG_OP_ADD_ROW_F32]
            words[1], words[2] = <uint32_t> plan.m, <uint32_t> plan.n
            self.put_address(words + 3, self.location_of(slots, i, 0))
            self.put_address(words + 5, self.location_of(slots, i, 1))
            return 0
        return self.append_other(slots, i, WG_OP_CALL if launch.kind == LAUNCH_CALL else
                                 WG_OP_GUARD if launch.kind == LAUNCH_GUARD else WG_OP_LAUNCH)

    cdef uint32_t* append(self, int n_words) except NULL:
        """Room for an instruction."""
        cdef char* grown
        cdef uint32_t* words
        if self.end + 4 * n_words > self.rows + self.room:
            grown = <char*> realloc(self.rows, 2 * self.room)
            if grown == NULL:
                raise MemoryError()
            self.end += bytes_between(self.rows, grown)
            self.rows, self.room = grown, 2 * self.room
        words = <uint32_t*> self.end
        self.end += 4 * n_words
        self.n_instructions += 1
        return words

    cdef int put_address(self, uint32_t* words, char* address) except -1:
        """Write an address into an instruction, and note where."""
        self.sites = <uint32_t*> room_for_another(self.sites, self.n_sites, sizeof(uint32_t))
        self.sites[self.n_sites] = <uint32_t> bytes_between(self.rows, words)
        self.n_sites += 1
        memcpy(words, &address, sizeof(address))
        return 0

    cdef int forget_sites(self) except -1:
        """Addresses are what they will be."""
        free(self.sites)
        self.sites, self.n_sites, self.arena, self.reaches = NULL, 0, None, None
        return 0

    cdef int align(self) except -1:
        """Let the next instruction begin at an address that 8 divides."""
        if <size_t> bytes_between(self.rows, self.end) & 7:
            self.append(1)[0] = DISTANCES[WG_OP_NOP]
        return 0

    cdef int append_row(self, int operation, void* data, npy_intp n) except -1:
        cdef Row* row
        self.align()
        row = <Row*> self.append(sizeof(Row) // 4)
        row.handler, row.size, row.n, row.data = DISTANCES[operation], sizeof(Row), n, data
        return 0

    cdef int append_other(self, Slots slots, int32_t i, int operation) except -1:
        """An instruction that runs a launch, or stops at it."""
        cdef Launch* launch = &slots.schedule.launches[i]
        cdef Launch* own
        cdef char* places[MOST_OPERANDS_OF_LAUNCH]
        cdef int k
        if is_core(launch):
            return self.append_core(slots, i)
        memset(places, 0, sizeof(places))
        for k in range(launch.n_operands):
            places[k] = self.location_of(slots, i, k)
        own = &self.others[self.n_others]
        own[0] = launch[0]
        self.n_others += 1
        memcpy(own.data, places, sizeof(places))
        launch.plan = NULL
        return self.append_row(operation, own, self.first + i)

    cdef int append_core(self, Slots slots, int32_t i) except -1:
        """An instruction with a launch in it, as much of it as its ``run`` reads."""
        cdef Launch* launch = &slots.schedule.launches[i]
        cdef int n_words = 2 + HEAD_BYTES // 4 + 2 * launch.n_operands, k
        cdef uint32_t* words
        self.align()
        words = self.append(n_words)
        words[0], words[1] = DISTANCES[WG_OP_CORE], <uint32_t> n_words
        memcpy(words + 2, launch, HEAD_BYTES)
        (<Launch*> (words + 2)).plan = self.plans.take(launch)
        for k in range(launch.n_operands):
            self.put_address(words + 2 + HEAD_BYTES // 4 + 2 * k, self.location_of(slots, i, k))
        return 0

    cdef int append_move(self, Slots slots, int32_t i) except -1:
        cdef uint32_t* words = self.append(6)
        words[0], words[1] = DISTANCES[WG_OP_MOVE], <uint32_t> slots.schedule.launches[i].high[0]
        self.put_address(words + 2, self.location_of(slots, i, 1))
        self.put_address(words + 4, self.location_of(slots, i, 0))
        return 0

    cdef int append_transfer(self, Slots slots, int32_t value, bint stores) except -1:
        """From memory to a value's slot; stores: to memory."""
        cdef Value* own = &slots.values[value]
        cdef bint counted = own.nbytes != 4 and own.nbytes != 8
        cdef uint32_t* words = self.append(5 if counted else 4)
        words[0] = DISTANCES[(WG_OP_STORE_4 if stores else WG_OP_LOAD_4)
                             + (2 if counted else 1 if own.nbytes == 8 else 0)]
        words[1] = <uint32_t> (slots.values[own.root].slot + own.offset)
        self.put_address(words + 2, <char*> own.address if self.arena is None or self.arena.positions[value] == NULL
                         else self.arena.positions[value])
        if counted:
            words[4] = <uint32_t> own.nbytes
        return 0

    cdef int append_kernel(self, Slots slots, int32_t i, PointwisePlan* plan) except -1:
        """A launch that is one call of its kernel."""
        cdef Launch* launch = &slots.schedule.launches[i]
        cdef int32_t operand = slots.schedule.cells.operands[i]
        cdef int k, last = launch.n_operands - 1, operation
        cdef bint in_slots = True
        cdef uint32_t* words
        for k in range(last + 1):
            in_slots = in_slots and slots.value[operand + k] != NO_VALUE
        if not in_slots:
            k = self.number_of_kernel(plan, last)
            words = self.append(4 + 2 * (last + 1))
            words[0], words[1], words[2], words[3] = DISTANCES[WG_OP_WIDE], k, <uint32_t> plan.shape[0], last + 1
            for k in range(last + 1):
                self.put_address(words + 4 + 2 * k, self.location_of(slots, i, k))
            return 0
        operation = operation_of(plan, last)
        if operation < 0:
            k = self.number_of_kernel(plan, last)
            words = self.append(4 + last)
            words[0], words[1], words[2] = DISTANCES[WG_OP_KERNEL_1 + last - 1], k, <uint32_t> plan.shape[0]
            for k in range(last + 1):
                words[3 + k] = <uint32_t> bytes_between(self.slots, self.location_of(slots, i, k))
            return 0
        words = self.append(2 + last + (plan.shape[0] > 1))
        words[0] = DISTANCES[operation]
        words[1] = <uint32_t> bytes_between(self.slots, self.location_of(slots, i, last))
        for k in range(last):
            words[2 + k] = <uint32_t> bytes_between(self.slots, self.location_of(slots, i, k))
        if plan.shape[0] > 1:
            words[2 + last] = <uint32_t> ((plan.shape[0] * dtype_facts().itemsize[plan.loop.out] + WG_VECTOR - 1)
                                          // WG_VECTOR)
        return 0

    cdef int number_of_kernel(self, PointwisePlan* plan, int last) except -1:
        """The number of a kernel in the table, where it is put."""
        cdef wg_kernel made
        cdef int k
        memset(&made, 0, sizeof(wg_kernel))
        made.fn, made.data = plan.loop.fn, plan.loop.data
        if plan.loop.n_params:
            made.data = self.parameters + self.n_parameters
            memcpy(made.data, plan.params, plan.loop.n_params * sizeof(double))
            self.n_parameters += plan.loop.n_params * sizeof(double)
        for k in range(last + 1):
            made.steps[k] = step_of(plan, k)
        return <int> find_or_add(&self.kernels, &self.n_kernels, &made, sizeof(wg_kernel))

    cdef int append_product(self, Slots slots, int32_t i) except -1:
        cdef ProductPlan* plan = <ProductPlan*> slots.schedule.launches[i].plan
        cdef wg_product made
        cdef uint32_t* words
        cdef int k
        made.fn, made.data = plan.fn, plan.loop_data
        memcpy(made.sizes, plan.sizes, sizeof(made.sizes))
        memcpy(made.steps, plan.steps, sizeof(made.steps))
        words = self.append(8)
        words[0] = DISTANCES[WG_OP_PRODUCT]
        words[1] = <uint32_t> find_or_add(&self.products, &self.n_products, &made, sizeof(wg_product))
        for k in range(3):
            self.put_address(words + 2 + 2 * k, self.location_of(slots, i, k))
        return 0
