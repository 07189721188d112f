"""Common subexpressions: small values that were computed before.

Note [Common subexpressions]
    A launch that is one call of a kernel on small values, with the plan and the operands of an earlier one, makes the
    same bits: its result is the earlier value, at another address, as that of a copy is (``Slots.share``). Operands are
    compared by their slots, which hold one value from the launch that makes it to the last that reads it; a slot whose
    value was updated in place counts no more. Derivatives are full of such launches: of 26,000 launches of three bodies
    2,900, of 1,500 of Rosenbrock's function 340.
"""
cimport cython
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free

from wengert_core.extend cimport OPERAND_CONSTANT, Launch
from wengert_replay.passes.slots cimport NO_VALUE, VALUE_UPDATED, Value

cdef enum:
    FIRST_ROOM = 1024


@cython.overflowcheck(False)
cdef inline uint64_t mix(uint64_t hash_, uint64_t word) noexcept nogil:
    hash_ = (hash_ ^ word) * <uint64_t> 0x9e3779b97f4a7c15
    return hash_ ^ hash_ >> 29


@cython.overflowcheck(False)            # modulo 2 ** 32
cdef inline uint64_t position_of(const Value* values, int32_t value, const Launch* launch, int k) noexcept:
    """A number that says where an operand is: the value whose slot it has, and its place there."""
    cdef uint32_t distance = 0
    if launch.role[k] != OPERAND_CONSTANT:
        distance = <uint32_t> values[value].offset \
            + <uint32_t> (<size_t> (launch.data[k] + launch.low[k]) - values[value].address)
    return <uint64_t> values[value].root << 32 | distance


cdef inline bint is_settled(Slots slots, int32_t value) noexcept:
    """Whether the slot of a value has held nothing else since the value was made."""
    return value != NO_VALUE and value >= slots.forgotten \
        and not slots.values[slots.values[value].root].flags & VALUE_UPDATED


@cython.overflowcheck(False)
cdef uint64_t hash_of(Slots slots, int32_t i) noexcept:
    """0: it is not compared."""
    cdef Launch* launch = &slots.schedule.launches[i]
    cdef const int32_t* value = slots.value + slots.schedule.cells.operands[i]
    cdef uint64_t found = <size_t> launch.plan
    cdef int k
    for k in range(launch.n_operands - 1):
        if value[k] == NO_VALUE or launch.role[k] != OPERAND_CONSTANT and not is_settled(slots, value[k]):
            return 0
        found = mix(found, position_of(slots.values, value[k], launch, k))
    return found | 1


cdef bint are_alike(Slots slots, int32_t i, int32_t j) noexcept:
    cdef Launch* own = &slots.schedule.launches[i]
    cdef Launch* other = &slots.schedule.launches[j]
    cdef const int32_t* value = slots.value + slots.schedule.cells.operands[i]
    cdef const int32_t* others = slots.value + slots.schedule.cells.operands[j]
    cdef int k
    if own.plan != other.plan:
        return False
    for k in range(own.n_operands - 1):
        if position_of(slots.values, value[k], own, k) != position_of(slots.values, others[k], other, k):
            return False
    return True


cdef inline int32_t result_of(Slots slots, int32_t i) noexcept:
    return slots.value[slots.schedule.cells.operands[i] + slots.schedule.launches[i].n_operands - 1]


@cython.binding(False)
cdef class CommonParts:
    """The launches of a program that a later one may repeat."""

    def __dealloc__(self):
        free(self.items)

    cdef int lay_out(self, Py_ssize_t n) except -1:
        self.room = FIRST_ROOM
        while self.room < 2 * n:
            self.room *= 2
        self.items = <CommonPart*> calloc(self.room, sizeof(CommonPart))
        if self.items == NULL:
            raise MemoryError()
        return 0

    cdef int32_t find(self, Slots slots, int32_t i) noexcept:
        cdef uint64_t hash_ = hash_of(slots, i)
        cdef CommonPart* part
        cdef int32_t value
        self.hash, self.at = <uint32_t> hash_, <Py_ssize_t> (hash_ >> 32 & <uint64_t> (self.room - 1))
        if not hash_:
            return NO_VALUE
        while self.items[self.at].hash:
            part = &self.items[self.at]
            if part.hash == self.hash and are_alike(slots, i, part.launch):
                value = result_of(slots, part.launch)
                return value if is_settled(slots, value) else <int32_t> NO_VALUE
            self.at = self.at + 1 & (self.room - 1)
        return NO_VALUE

    cdef void add(self, int32_t i) noexcept:
        """Note the launch that was looked for last, which has made a value; of launches that are alike the last counts.
        """
        if self.hash:
            self.items[self.at].hash, self.items[self.at].launch = self.hash, i
