"""Numbers of seven bits a byte, the lowest first; the highest bit says that another byte follows."""
from libc.stdint cimport uint8_t, uint32_t


cdef inline uint8_t* write_number(uint8_t* at, uint32_t number) noexcept:
    while number >= 0x80:
        at[0] = <uint8_t> (number | 0x80)
        number >>= 7
        at += 1
    at[0] = <uint8_t> number
    return at + 1

cdef inline uint32_t read_number(const uint8_t** at) noexcept:
    cdef uint32_t number = at[0][0] & 0x7f
    cdef int shift = 7
    while at[0][0] & 0x80:
        at[0] += 1
        number |= <uint32_t> (at[0][0] & 0x7f) << shift
        shift += 7
    at[0] += 1
    return number
