"""Common subexpressions: small values that were computed before.

Note [Common subexpressions]
    A launch that is one call of a kernel on small values, with the plan and the operands of an earlier one, makes the
    same bits: its result is the earlier value, at another address, as that of a copy is (``Slots.share``). Operands are
    compared by their slots, which hold one value from the launch that makes it to the last that reads it; a slot whose
    value was updated in place counts no more. Derivatives are full of such launches: of 26,000 launches of three bodies
    2,900, of 1,500 of Rosenbrock's function 340.
"""
cimport cython
from libc.stdlib cimport calloc, free

from wengert_core.extend cimport OPERAND_CONSTANT, Launch
from wengert_replay.passes.slots cimport NO_VALUE, VALUE_UPDATED, Value

cdef enum:
    FIRST_ROOM = 1024


@cython.overflowcheck(False)
cdef inline uint64_t mix(uint64_t hash_, uint64_t word) noexcept nogil:
    hash_ = (hash_ ^ word) * <uint64_t> 0x9e3779b97f4a7c15
    return hash_ ^ hash_ >> 29


cdef inline uint64_t position_of(Slots slots, int32_t i, int k) noexcept:
    """A number that says where an operand is: the value whose slot it has, and its place there."""
    cdef Value* value = &slots.values[slots.value[slots.schedule.cells.operands[i] + k]]
    cdef Launch* launch = &slots.schedule.launches[i]
    cdef uint64_t distance = 0
    if launch.role[k] != OPERAND_CONSTANT:
        distance = value.offset + (<size_t> (launch.data[k] + launch.low[k]) - value.address)
    return <uint64_t> value.root << 32 | distance & 0xffffffff


cdef inline bint is_settled(Slots slots, int32_t value) noexcept:
    """Whether the slot of a value has held nothing else since the value was made."""
    return value != NO_VALUE and value >= slots.forgotten \
        and not slots.values[slots.values[value].root].flags & VALUE_UPDATED


cdef uint64_t hash_of(Slots slots, int32_t i) noexcept:
    """0: it is not compared."""
    cdef Launch* launch = &slots.schedule.launches[i]
    cdef uint64_t found = <size_t> launch.plan
    cdef int32_t value
    cdef int k
    for k in range(launch.n_operands - 1):
        value = slots.value[slots.schedule.cells.operands[i] + k]
        if launch.role[k] != OPERAND_CONSTANT and not is_settled(slots, value):
            return 0
        if value == NO_VALUE:
            return 0
        found = mix(found, position_of(slots, i, k))
    return found | 1


cdef bint are_alike(Slots slots, int32_t i, int32_t j) noexcept:
    cdef Launch* launch = &slots.schedule.launches[i]
    cdef int k
    if launch.plan != slots.schedule.launches[j].plan:
        return False
    for k in range(launch.n_operands - 1):
        if position_of(slots, i, k) != position_of(slots, j, k):
            return False
    return True


@cython.binding(False)
cdef class CommonParts:
    """The launches of a program that a later one may repeat."""

    def __dealloc__(self):
        free(self.items)

    cdef int32_t find(self, Slots slots, int32_t i) noexcept:
        cdef uint64_t hash_ = hash_of(slots, i)
        cdef CommonPart* part
        cdef Py_ssize_t at
        if not hash_ or not self.room:
            return NO_VALUE
        at = hash_ >> 20 & <uint64_t> (self.room - 1)
        while self.items[at].hash:
            part = &self.items[at]
            if part.hash == hash_ and are_alike(slots, i, part.launch):
                return part.value if is_settled(slots, part.value) else <int32_t> NO_VALUE
            at = at + 1 & (self.room - 1)
        return NO_VALUE

    cdef int add(self, Slots slots, int32_t i, int32_t value) except -1:
        """Note that a launch has made a value; of launches that are alike the last counts."""
        cdef uint64_t hash_ = hash_of(slots, i)
        cdef Py_ssize_t at
        if not hash_:
            return 0
        if 2 * self.n >= self.room:
            self.grow()
        at = hash_ >> 20 & <uint64_t> (self.room - 1)
        while self.items[at].hash and not (self.items[at].hash == hash_
                                           and are_alike(slots, i, self.items[at].launch)):
            at = at + 1 & (self.room - 1)
        self.n += self.items[at].hash == 0
        self.items[at].hash, self.items[at].launch, self.items[at].value = hash_, i, value
        return 0

    cdef int grow(self) except -1:
        cdef CommonPart* before = self.items
        cdef Py_ssize_t room = self.room, i, at
        cdef CommonPart* made = <CommonPart*> calloc(4 * room or FIRST_ROOM, sizeof(CommonPart))
        if made == NULL:
            raise MemoryError()
        self.items, self.room = made, 4 * room or FIRST_ROOM
        for i in range(room):
            if before[i].hash:
                at = before[i].hash >> 20 & <uint64_t> (self.room - 1)
                while made[at].hash:
                    at = at + 1 & (self.room - 1)
                made[at] = before[i]
        free(before)
        return 0
