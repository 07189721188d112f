"""Functions and classes that a file may call when only weights are loaded, each with a check of its arguments.

Note [Calls of the restricted unpickler]
    A file calls nothing directly. ``GLOBALS`` says which object a name means, and ``BUILDERS`` what happens when the
    file calls that object: a function here, which gets the unpickler and the arguments, refuses those that no saved
    object has, and pays for what it copies (``Unpickler.spend``): a short file could else ask for many large copies.
"""

from __future__ import annotations

from _codecs import encode
from collections import Counter, OrderedDict
from collections.abc import Callable
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any

import wengert
from wengert import Tensor

from wengert_serialization import _utils
from wengert_serialization._utils import NN
from wengert_serialization.names import DTYPES, KINDS, OBJECTS, OLD_NAMES, get_layout
from wengert_serialization.storages import StorageType

if TYPE_CHECKING:
    from wengert_serialization.unpickler import Unpickler

__all__ = ["BUILDERS", "find_global", "set_attributes"]

LEGACY_TENSORS = {f"{kind}Tensor" for kind in KINDS.split()}
LONGEST_EXPANDED = 1 << 20
PARAMETER = "torch.nn.parameter.Parameter"
REBUILDING = {name: value for table in (OBJECTS, OLD_NAMES) for name, value in table.items() if "_rebuild_" in name}
GLOBALS: dict[str, Any] = {
    "collections.OrderedDict": OrderedDict, "collections.Counter": Counter,
    "_codecs.encode": encode, "builtins.bytes": bytes, "builtins.bytearray": bytearray, "builtins.set": set,
    "builtins.complex": complex,
    "torch.serialization._get_layout": get_layout,
    "torch.storage.UntypedStorage": wengert.UntypedStorage, "torch.storage.TypedStorage": wengert.TypedStorage,
    **{f"torch.{name}": OBJECTS[f"torch.{name}"] for name in (*DTYPES.split(), "Tensor", "Size", "device")},
    **{f"{place}.{kind}Storage": StorageType(f"{kind}Storage")
       for kind in KINDS.split() for place in ("torch", "torch.cuda")},
    **REBUILDING,
}  # fmt: skip
"""The objects that names mean, beside parameters and classes of tensors by dtype."""
ABSENT = {
    *"quint8 qint8 qint32 quint4x2 quint2x4 complex32 per_tensor_affine per_tensor_symmetric".split(),
    *"per_channel_affine per_channel_symmetric per_channel_affine_float_qparams".split(),
    *"QInt8Storage QUInt8Storage QInt32Storage QUInt4x2Storage QUInt2x4Storage".split(),
    *[f"{kind}{bits}" for kind in ("int", "uint") for bits in range(1, 8)],
    *"_utils._rebuild_nested_tensor _utils._rebuild_wrapper_subclass".split(),
}
"""Names that PyTorch allows, of what wengert does not have, beside floats of 8 and 4 bits."""


def find_global(full: str) -> Any:
    """Return the object that a name means; None for a name that is not allowed."""
    if full in GLOBALS:
        return GLOBALS[full]
    place, _, name = full.rpartition(".")
    if full == PARAMETER:
        return NN.Parameter
    if place in ("torch", "torch.cuda") and name in LEGACY_TENSORS:
        return getattr(wengert, name)
    if full.removeprefix("torch.") in ABSENT or full.startswith(("torch.float8_", "torch.float4_")):
        raise UnpicklingError(f"the file has {full}, which wengert does not have")
    return None


# ---- containers and numbers
def make_ordered_dict(unpickler: Unpickler, *args: Any) -> Any:
    """Return an OrderedDict, of no arguments or of one list of pairs, as Python 2 wrote it."""
    result: OrderedDict[Any, Any] = OrderedDict()
    if args:
        (pairs,) = args
        check(type(pairs) is list and all(type(pair) in (list, tuple) and len(pair) == 2 for pair in pairs), pairs)
        for key, value in pairs:
            unpickler.check_key(key)
            result[key] = value
    return result


def make_counter(unpickler: Unpickler, *args: Any) -> Any:
    """Return a Counter, of no arguments or of one dict."""
    check(len(args) <= 1 and all(type(one) is dict for one in args), args)
    result: Counter[Any] = Counter()
    dict.update(result, *args)
    return result


def make_set(unpickler: Unpickler, *args: Any) -> Any:
    """Return a set of the items of a list."""
    check(len(args) <= 1 and all(type(one) in (list, tuple) for one in args), args)
    for item in args[0] if args else ():
        unpickler.check_key(item)
    return set(*args)


def make_bytes(unpickler: Unpickler, *args: Any) -> Any:
    """Return the bytes that a str in Latin-1 stands for."""
    check(len(args) == 2 and type(args[0]) is str and args[1] in ("latin1", "latin-1", "utf-8", "ascii"), args)
    return encode(*args)


def make_no_bytes(unpickler: Unpickler, *args: Any) -> bytes:
    """Return empty bytes, which pickles of protocol 2 have as a call."""
    check(not args, args)
    return b""


def make_bytearray(unpickler: Unpickler, *args: Any) -> Any:
    """Return a bytearray of bytes, or of a str and its encoding."""
    if len(args) == 2:
        return bytearray(make_bytes(unpickler, *args))
    check(len(args) <= 1 and all(type(one) in (bytes, bytearray) for one in args), args)
    return bytearray(*args)


def make_complex(unpickler: Unpickler, *args: Any) -> complex:
    check(len(args) == 2 and all(type(one) in (int, float) for one in args), args)
    return complex(*args)


# ---- of tensors
def make_size(unpickler: Unpickler, *args: Any) -> Any:
    """Return a Size of a tuple of ints."""
    check(len(args) <= 1 and all(type(one) in (tuple, list) and are_ints(one) for one in args), args)
    return wengert.Size(*args)


def make_device(unpickler: Unpickler, *args: Any) -> Any:
    """Return a device, of its type and perhaps its index."""
    check(1 <= len(args) <= 2 and type(args[0]) is str and are_ints(args[1:]), args)
    return wengert.device(*args)


def make_layout(unpickler: Unpickler, name: Any) -> Any:
    check(type(name) is str, name)
    return get_layout(name)


def make_tensor_v2(unpickler: Unpickler, *args: Any) -> Any:
    """Return a tensor on a storage."""
    check(6 <= len(args) <= 7, args)
    check_strided(*args[:5], *args[6:])
    return _utils._rebuild_tensor_v2(*args)


def make_tensor_v3(unpickler: Unpickler, *args: Any) -> Any:
    """Return a tensor of a dtype on a storage of bytes."""
    check(7 <= len(args) <= 8 and isinstance(args[6], wengert.dtype), args)
    check_strided(*args[:5], *args[7:])
    return _utils._rebuild_tensor_v3(*args)


def make_plain_tensor(unpickler: Unpickler, *args: Any) -> Any:
    check(len(args) == 4, args)
    check_strided(*args)
    return _utils._rebuild_tensor(*args)


def check_strided(
    storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any = False, metadata: Any = None
) -> None:
    """Raise UnpicklingError for arguments that no strided tensor has, but for a place beyond its storage."""
    check(isinstance(storage, wengert.TypedStorage), storage)
    check(type(size) in (tuple, list, wengert.Size) and type(stride) in (tuple, list), (size, stride))
    check(are_ints((offset, *size, *stride)) and type(requires_grad) is bool, (offset, size, stride, requires_grad))
    check(metadata is None or (type(metadata) is dict and len(metadata) <= 2), metadata)


def make_sparse(unpickler: Unpickler, layout: Any, data: Any) -> Any:
    """Return a sparse tensor of strided components."""
    check(isinstance(layout, wengert.layout) and type(data) in (tuple, list) and len(data) in (3, 4), data)
    tensors = data[:2] if layout is wengert.sparse_coo else data[:3]
    check(all(is_strided(one) for one in tensors), layout)
    indices = (wengert.int64,) if layout is wengert.sparse_coo else (wengert.int32, wengert.int64)
    check(all(one.dtype in indices for one in tensors[:-1]), layout)
    size, *coalesced = data[len(tensors) :]
    check(type(size) in (tuple, list, wengert.Size) and are_ints(size), size)
    check(all(one in (True, False, None) and type(one) is not int for one in coalesced), coalesced)
    for one in tensors:  # which are not copied, but walked through; an expanded one would be long for its file
        check(one.nbytes <= max(one.untyped_storage().nbytes(), LONGEST_EXPANDED), one.shape)
    return _utils._rebuild_sparse_tensor(layout, data)


def make_device_tensor(unpickler: Unpickler, *args: Any) -> Any:
    """Return a tensor that PyTorch saved from a device without storages, in the host's memory."""
    data, kind, device, requires_grad = args
    check(is_strided(data) and kind is data.dtype and type(device) is str and type(requires_grad) is bool, args)
    from wengert_serialization.locations import target_device

    if str(target_device(device)) != "cpu":
        raise UnpicklingError(f"the file has a tensor of the device {device}; pass map_location='cpu' to load it")
    return _utils._rebuild_device_tensor_from_cpu_tensor(*args)


def make_parameter(unpickler: Unpickler, *args: Any) -> Any:
    """Return a parameter on the memory of a tensor."""
    check(1 <= len(args) <= 4 and isinstance(args[0], Tensor), args)
    check(len(args) == 1 or type(args[1]) is bool, args)
    parameter = NN.Parameter(*args[:2])
    if len(args) == 4:
        set_attributes(unpickler, parameter, args[3])
    return parameter


def make_from_type(unpickler: Unpickler, function: Any, kind: Any, args: Any, state: Any) -> Any:
    """Return the tensor that a function for rebuilding makes, as one of an allowed subclass, with attributes."""
    inner = [one for one in REBUILDING.values() if one is not _utils._rebuild_from_type_v2]
    check(any(function is one for one in inner) and type(args) is tuple, function)
    tensor = unpickler.call(function, args)
    check(isinstance(tensor, Tensor), tensor)
    if type(tensor) is not kind:
        check(isinstance(kind, type) and issubclass(kind, Tensor) and unpickler.is_allowed(kind), kind)
        tensor = tensor.as_subclass(kind)
    if _utils.has_own_setstate(kind):
        tensor.__setstate__(state)
    else:
        set_attributes(unpickler, tensor, state)
    return tensor


def make_empty(unpickler: Unpickler, *args: Any) -> Any:
    check(not args, args)
    return wengert.empty(0, device="cpu")


def refuse_quantized(unpickler: Unpickler, *args: Any) -> Any:
    return _utils._rebuild_qtensor()


def refuse_meta(unpickler: Unpickler, *args: Any) -> Any:
    raise UnpicklingError("the file has a tensor without values, on the device 'meta', which wengert does not have")


def build_old_tensor(tensor: Any, state: Any) -> None:
    """Give a tensor of a file of PyTorch 0.3 or older its storage, or a parameter its tensor."""
    check(type(state) is tuple and len(state) in (3, 4, 5), state)
    if len(state) == 4:
        check_strided(*state)
        tensor.set_(_utils.tensor_on(state[0].untyped(), state[0].dtype, *state[1:]))
        return
    requires_grad = state[3] if len(state) == 5 else state[0]
    if len(state) == 5:
        check(is_strided(state[0]), state)
        tensor.data = state[0]
    tensor.requires_grad_(bool(requires_grad))


BUILDERS: dict[int, Callable[..., Any]] = {
    id(OrderedDict): make_ordered_dict, id(Counter): make_counter, id(set): make_set, id(encode): make_bytes,
    id(bytes): make_no_bytes, id(bytearray): make_bytearray, id(complex): make_complex, id(wengert.Size): make_size,
    id(wengert.device): make_device, id(get_layout): make_layout, id(Tensor): make_empty,
    id(_utils._rebuild_tensor): make_plain_tensor, id(_utils._rebuild_tensor_v2): make_tensor_v2,
    id(_utils._rebuild_tensor_v3): make_tensor_v3, id(_utils._rebuild_sparse_tensor): make_sparse,
    id(_utils._rebuild_parameter): make_parameter, id(_utils._rebuild_parameter_with_state): make_parameter,
    id(_utils._rebuild_from_type_v2): make_from_type, id(_utils._rebuild_qtensor): refuse_quantized,
    id(_utils._rebuild_meta_tensor_no_storage): refuse_meta,
    id(_utils._rebuild_device_tensor_from_cpu_tensor): make_device_tensor,
}  # fmt: skip
"""The functions for calls, by the identity of the object that a file calls."""


def builder_of(function: Any) -> Callable[..., Any] | None:
    """Return the function for calls of an object; None where a file may not call it."""
    found = BUILDERS.get(id(function))
    name = getattr(function, "__name__", None)
    if found is None and name == "Parameter" and function is NN.Parameter:
        return make_parameter
    if found is None and name in LEGACY_TENSORS and function is getattr(wengert, name):
        return lambda unpickler, *args: make_empty(unpickler, *args).type(function)
    return found


# ---- checks
def check(holds: Any, what: Any) -> None:
    """Raise UnpicklingError about a file's value where a condition does not hold."""
    if not holds:
        raise UnpicklingError(f"the file calls a function with {what!r:.200}, which no saved object does")


def are_ints(values: Any) -> bool:
    return all(type(value) is int for value in values)


def is_strided(value: Any) -> bool:
    return isinstance(value, Tensor) and value.layout is wengert.strided


def set_attributes(unpickler: Unpickler, obj: Any, state: Any) -> None:
    """Give a tensor or an OrderedDict attributes; those that its class defines are refused."""
    if type(state) is tuple and len(state) == 2 and not state[1]:
        state = state[0]
    if state is None:
        return
    base = Tensor if isinstance(obj, Tensor) else OrderedDict
    check(type(state) is dict, state)
    unpickler.spend(len(state))
    for name in state:
        check(type(name) is str and not name.startswith("__") and not hasattr(base, name), name)
    vars(obj).update(state)
