"""What the two kinds of convolution's kernels share: the geometry, the tables of offsets, the padded source."""
from libc.stdint cimport int32_t

from wengert_core.kernels.linalg.register_tiles cimport wg_tiles
from wengert_core.runtime.launches cimport Launch
from wengert_core.runtime.thread_pool cimport body_fn
from wengert_core.tensors.tensor cimport Tensor

cdef extern from "wengert_core/kernels/nn/convolution.h" nogil:
    ctypedef struct wg_conv:
        const wg_tiles* tiles
        Py_ssize_t images, groups, m, channels, taps, positions, row
        const char* source
        const char* limit
        Py_ssize_t source_image, source_channel
        const int32_t* base
        const int32_t* tap
        const char* weights
        const char* bias
        char* out
        Py_ssize_t out_image, out_channel
        const int32_t* out_offset
        Py_ssize_t row_panels, all_panels, panels, column_blocks, deep, m_block, m_blocks
        Py_ssize_t row_block, row_blocks, chunk, chunks
        int failed
    ctypedef struct wg_border:
        const char* from_ "from"
        char* to
        Py_ssize_t inside[3]
        Py_ssize_t outside[3]
        Py_ssize_t before[3]
        Py_ssize_t item, split
    ctypedef struct wg_turner:
        wg_border border
        Py_ssize_t channels
    ctypedef struct wg_weigher:
        const wg_tiles* tiles
        Py_ssize_t images, positions, groups, m, channels, taps
        const char* source
        const char* above
        char* grad
        Py_ssize_t source_image
        const int32_t* base
        const int32_t* run
        Py_ssize_t runs, run_taps, lane_blocks, m_block, m_blocks, chunk, chunks
        char* parts
        int failed
    enum:
        WG_DEEP, WG_DEEPEST, WG_WIDE, WG_SLACK
    void wg_pad_planes(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_turn_rows(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_pack_above_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_pack_above_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_weigh_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_weigh_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_pack_weights_f32(
        const wg_conv* p, const float* source, Py_ssize_t group_step, Py_ssize_t m_step, Py_ssize_t channel_step,
        const int32_t* chosen, float* to
    )
    void wg_pack_weights_f64(
        const wg_conv* p, const double* source, Py_ssize_t group_step, Py_ssize_t m_step, Py_ssize_t channel_step,
        const int32_t* chosen, double* to
    )
    void wg_fill_bias_f32(const wg_conv* p)
    void wg_fill_bias_f64(const wg_conv* p)
    void wg_conv_units_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_conv_units_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_conv_direct_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_conv_direct_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_conv_weight_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_conv_weight_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)

cdef enum:
    WITHOUT_GIL = 0x10000              # multiplications from which on the GIL is released
    WORTH_A_THREAD = 0x80000           # multiplications that take 20 to 50 us
    ENOUGH_UNITS = 24                  # units to share out, where there is work for so many

cdef struct Axis:                      # one dim of a convolution; those in front that are not there have sizes 1
    Py_ssize_t wide                    # size of the input of a convolution
    Py_ssize_t narrow                  # size of its output
    Py_ssize_t kernel, stride, padding, dilation

cdef struct Geometry:
    int ndim                           # 1 to 3
    Axis axes[3]                       # the last ndim of them
    Py_ssize_t images, groups
    Py_ssize_t wide_channels, narrow_channels      # of a group
    bint held                          # Note [What a kernel holds]: the GIL may be given up

cdef struct Reading:                   # how one dim of a source is read for a row of positions
    Py_ssize_t positions, step         # positions, and how far they are apart in the source
    Py_ssize_t taps
    Py_ssize_t first, between          # of position 0 in the result, and from one to the next
    int32_t* offset                    # of each tap in the source, before padding
    int32_t* chosen                    # the tap's number in the kernel


cdef struct Source:                    # a padded copy of a tensor of images, or the tensor where no padding is needed
    char* given                        # the tensor's elements
    char* data                         # what is read: those, or the copy
    char* limit                        # the end of what may be read
    Py_ssize_t inside[3]
    Py_ssize_t before[3]
    Py_ssize_t size[3]                 # padded
    Py_ssize_t planes, item
    Py_ssize_t channel                 # elements
    Py_ssize_t split                   # rows are laid out by residues of this: the stride in the last dim
    Py_ssize_t nbytes                  # of the copy; 0: there is none

# First ``start``, then ``widen`` for each reading, then ``settle``; then, with memory for the copy, ``fill_source``.
cdef void start_source(Source* s, Tensor t, Py_ssize_t* inside) noexcept
cdef void widen(Source* s, int axis, Reading* r) noexcept
cdef int settle_source(Source* s, Py_ssize_t split, bint slack) except -1    # slack: room behind it is wanted
cdef void fill_source(Source* s, char* given, char* copy, bint held) noexcept nogil
cdef const wg_tiles* tiles() noexcept nogil           # the registers to compute with
cdef void wide_reading(Axis* a, Reading* r) noexcept nogil
cdef void narrow_reading(Axis* a, Py_ssize_t residue, Reading* r) noexcept nogil
cdef void fill_tables(
    wg_conv* p, Reading* r, Py_ssize_t* size, Py_ssize_t* before, Py_ssize_t* kernel, Py_ssize_t* target, int32_t* base,
    int32_t* out_offset, int32_t* tap, int32_t* chosen
) noexcept nogil
cdef Py_ssize_t at_least(Py_ssize_t a, Py_ssize_t b) noexcept nogil
# held: several threads may work. Note [What a kernel holds] in dispatch/keep_alive.pxd
cdef void share_out(body_fn body, Py_ssize_t units, Py_ssize_t work, void* ctx, bint held) noexcept nogil
cdef void share_pieces(body_fn body, Py_ssize_t units, Py_ssize_t grain, void* ctx, bint held) noexcept nogil
cdef int no_memory(Launch* launch) except -1         # raises: a launch that fails has no memory
