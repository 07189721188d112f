"""Objects of all kinds: modules, subclasses, functions by name, old formats, and names in the pickles of wengert."""

from __future__ import annotations

import copyreg
import io
import pickle
import pickletools
from collections import OrderedDict
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import wengert as wg
from hypothesis import given
from hypothesis import strategies as st
from wengert_serialization.names import object_of, torch_name
from wengert_serialization.pickling import NameNeededError, pickle_compiled
from wengert_serialization.storages import SavedStorages

from .archives import PROTO, again, archive, load_bytes, name, record, save_to_bytes, text


class Net(wg.nn.Module):
    """A module of the user's."""

    def __init__(self) -> None:
        super().__init__()
        self.first = wg.nn.Linear(2, 3)
        self.register_buffer("mean", wg.arange(3.0))
        self.scale = 2.0

    def forward(self, x: Any) -> Any:
        return wg.nn.functional.relu(self.first(x) - self.mean) * self.scale


class Sub(wg.Tensor):
    """A subclass of Tensor."""


class Stateful(wg.Tensor):
    """A subclass of Tensor that says itself what its state is."""

    def __setstate__(self, state: Any) -> None:
        self.restored = state


class SelfReducing(wg.Tensor):
    """A subclass of Tensor that says itself how it is pickled."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        return rebuild_self_reducing, (self.tolist(),)


def rebuild_self_reducing(values: Any) -> Any:
    return wg.tensor(values).as_subclass(SelfReducing)


class Pair(NamedTuple):
    """A tuple with names."""

    first: Any
    second: Any


def global_names(data: bytes) -> set[str]:
    return {str(arg) for code, arg, _ in pickletools.genops(record(data, "data.pkl")) if code.name == "GLOBAL"}


# ---- modules
def test_a_whole_module_has_the_names_of_torch() -> None:
    module = wg.nn.Linear(2, 3)
    data = save_to_bytes(module)
    assert {one for one in global_names(data) if one.startswith("wengert")} == set()
    assert "torch.nn.modules.linear Linear" in global_names(data)
    found = load_bytes(data, weights_only=False)
    assert type(found) is wg.nn.Linear
    assert wg.equal(found.weight, module.weight)
    assert isinstance(found.weight, wg.nn.Parameter)
    x = wg.ones(1, 2)
    assert wg.equal(found(x), module(x))


def test_a_module_of_the_user() -> None:
    net = Net()
    found = again(net, weights_only=False)
    x = wg.tensor([[1.0, -2.0]])
    assert wg.equal(found(x), net(x))
    assert [name for name, _ in found.named_buffers()] == ["mean"]
    found(x).sum().backward()
    assert found.first.weight.grad is not None
    legacy = load_bytes(save_to_bytes(net, _use_new_zipfile_serialization=False), weights_only=False)
    assert wg.equal(legacy(x), net(x))


def test_state_dicts_load_into_modules() -> None:
    net, other = Net(), Net()
    state = again(net.state_dict())
    assert isinstance(state, OrderedDict)
    assert state._metadata == net.state_dict()._metadata
    other.load_state_dict(state)
    assert all(wg.equal(a, b) for a, b in zip(net.parameters(), other.parameters(), strict=True))


def test_a_class_of_modules_is_refused_by_default_and_can_be_allowed() -> None:
    data = save_to_bytes(wg.nn.Linear(1, 1))
    expected = "torch.nn.modules.linear.Linear"
    with pytest.raises(pickle.UnpicklingError, match=f"GLOBAL {expected} was not an allowed global by default"):
        load_bytes(data)
    assert wg.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data)) == [expected]
    with wg.serialization.safe_globals([wg.nn.Linear]):
        assert type(load_bytes(data)) is wg.nn.Linear


# ---- tensors
def test_gradients_and_history_are_not_saved() -> None:
    w = wg.ones(2, requires_grad=True)
    y = w * 2
    y.sum().backward()
    found, result = again([w, y])
    assert found.grad is None
    assert found.requires_grad
    assert result.is_leaf
    assert result.requires_grad


def test_hooks_are_not_saved_and_a_warning_says_so() -> None:
    w = wg.ones(2, requires_grad=True)
    w.register_hook(lambda grad: grad)
    with pytest.warns(UserWarning, match="hook"):
        assert again(w).requires_grad


def test_subclasses_of_tensor() -> None:
    x = wg.arange(3.0).as_subclass(Sub)
    x.note = [1, "a"]
    found = again(x, weights_only=False)
    assert type(found) is Sub
    assert found.note == [1, "a"]
    assert found.tolist() == [0, 1, 2]
    with pytest.raises(pickle.UnpicklingError, match=r"test_save_load_objects\.Sub was not an allowed global"):
        again(x)
    with wg.serialization.safe_globals([Sub]):
        assert type(again(x)) is Sub


def test_subclasses_with_a_state_of_their_own() -> None:
    x = wg.ones(1).as_subclass(Stateful)
    x.note = 3
    assert again(x, weights_only=False).restored == {"note": 3}
    with wg.serialization.safe_globals([Stateful]):
        assert again(x).restored == {"note": 3}


def test_subclasses_that_reduce_themselves() -> None:
    x = wg.ones(1).as_subclass(SelfReducing)
    found = again(x, weights_only=False)
    assert type(found) is SelfReducing
    assert found.tolist() == [1.0]


def test_parameters_that_are_tensors_of_a_subclass() -> None:
    parameter = wg.nn.Parameter(wg.ones(2).as_subclass(Sub))
    found = again(parameter, weights_only=False)
    assert type(found) is Sub
    assert isinstance(found, wg.nn.Parameter)


def test_uninitialized_parameters() -> None:
    found = again(wg.nn.UninitializedParameter(), weights_only=False)
    assert type(found) is wg.nn.UninitializedParameter


def test_generators_keep_their_stream() -> None:
    generator = wg.Generator().manual_seed(5)
    wg.rand(3, generator=generator)
    found = again(generator, weights_only=False)
    assert wg.equal(wg.rand(4, generator=found), wg.rand(4, generator=generator))


def test_a_tensor_of_vmap_is_refused() -> None:
    def save_inside(x: Any) -> Any:
        save_to_bytes(x)
        return x

    with pytest.raises((RuntimeError, NotImplementedError)):
        wg.func.vmap(save_inside)(wg.ones(2))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_any_view_comes_back_with_its_strides(sizes: list[int], data: st.DataObject) -> None:
    x = wg.arange(float(wg.Size(sizes).numel() + 5))[2:-3].reshape(sizes)
    order = data.draw(st.permutations(range(len(sizes))))
    step = data.draw(st.integers(1, 3))
    view = x.permute(order)[::step]
    base, found = again([x, view])
    assert found.stride() == view.stride()
    assert found.storage_offset() == view.storage_offset()
    assert wg.equal(found, view)
    base.fill_(7)
    assert bool((found == 7).all())


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner)
    | st.sets(st.integers()),
    max_leaves=20,
), st.sampled_from([2, 3, 4, 5]), st.booleans())
def test_any_plain_data_come_back(value: Any, protocol: int, legacy: bool) -> None:
    data = save_to_bytes(value, pickle_protocol=protocol, _use_new_zipfile_serialization=not legacy)
    assert load_bytes(data) == value
    assert load_bytes(data, weights_only=False) == value


def test_objects_that_contain_themselves() -> None:
    value: Any = {"list": []}
    value["list"].append(value)
    value["tuple"] = (value["list"],)
    found = again(value)
    assert found["list"][0] is found
    assert found["tuple"][0] is found["list"]
    recursive: Any = ([],)
    recursive[0].append(recursive)
    loop = again(recursive)
    assert loop[0][0] is loop


# ---- names
def test_texts_with_our_names_in_them_stay_as_they_are() -> None:
    """Names are replaced in the compiled pickler's output, but not where a text contains one."""
    inside = "cwengert_core\nTensor\n and cwengert_serialization._utils\n_rebuild_tensor_v2\n"
    x = wg.ones(1)
    x.note = inside
    with pytest.raises(NameNeededError):
        pickle_compiled([x, inside], SavedStorages(), 2)
    found = again([x, inside, wg.Tensor])
    assert found[1] == found[0].note == inside
    assert found[2] is wg.Tensor
    assert again([inside]) == [inside]


@pytest.mark.parametrize("value", [wg.float32, wg.strided, wg.contiguous_format, wg.Tensor, wg.Size([1]),
                                   wg.device("cpu"), wg.relu, wg.nn.functional.gelu, wg.linalg.det, wg.nn.Linear,
                                   wg.FloatStorage])
@pytest.mark.parametrize("protocol", [2, 4])
def test_objects_of_wengert_have_names_of_torch(value: Any, protocol: int) -> None:
    data = save_to_bytes([value, value], pickle_protocol=protocol)
    assert b"wengert" not in data
    found = load_bytes(data, weights_only=False)
    assert found[0] is found[1]
    if value is wg.FloatStorage:
        assert found[0].dtype is wg.float32  # as in PyTorch
    else:
        assert found[0] == value


@pytest.mark.parametrize(("module", "last", "path"), [
    ("torch", "Tensor", "Tensor"), ("torch.nn.functional", "relu", "nn.functional.relu"),
    ("torch._C._nn", "gelu", "nn.functional.gelu"), ("torch._tensor", "Tensor", "Tensor"),
    ("torch.linalg", "det", "linalg.det"),
    ("torch._C._linalg", "linalg_det", "linalg.det"), ("torch._C._special", "special_expit", "special.expit"),
    ("torch._C._fft", "fft_rfft", "fft.rfft"), ("torch.nn.modules.linear", "Linear", "nn.Linear"),
])
def test_names_of_torch_lead_to_wengert(module: str, last: str, path: str) -> None:
    expected: Any = wg
    for part in path.split("."):
        expected = getattr(expected, part)
    assert object_of(module, last) is expected


def test_a_method_of_torch_by_its_class() -> None:
    """PyTorch pickles torch.relu as getattr(torch._C._VariableFunctionsClass, 'relu')."""
    call = name("builtins.getattr") + name("torch._C._VariableFunctionsClass") + text("relu") + b"\x86R."
    assert load_bytes(archive(PROTO + call), weights_only=False) is wg.relu


def test_names_that_wengert_does_not_have() -> None:
    with pytest.raises(AttributeError, match=r"the file names torch\.nowhere\.Thing, which wengert does not have"):
        load_bytes(archive(PROTO + name("torch.nowhere.Thing") + b"."), weights_only=False)
    generator = name("torch._C.Generator") + b")R."
    with pytest.raises(pickle.UnpicklingError, match=r"the file has a torch\.Generator"):
        load_bytes(archive(PROTO + generator), weights_only=False)
    for absent in ("torch.float8_e4m3fn", "torch.qint8", "torch.uint3", "torch.QInt8Storage"):
        with pytest.raises(pickle.UnpicklingError, match="which wengert does not have"):
            load_bytes(archive(PROTO + name(absent) + b"."))
        assert wg.serialization.get_unsafe_globals_in_checkpoint(
            io.BytesIO(archive(PROTO + name(absent) + b"."))) == []


def test_every_name_of_the_table_leads_back() -> None:
    from wengert_serialization.names import OBJECTS

    for full, value in OBJECTS.items():
        module, _, last = full.rpartition(".")
        assert object_of(module, last) is value
        assert torch_name(value) == (module, last)
    assert torch_name(print) is None
    assert torch_name(Net) is None


# ---- other pickle modules
class Dialect(ModuleType):
    """A pickle module whose pickler is in Python or compiled, as dill's or cloudpickle's."""

    def __init__(self, base: Any) -> None:
        super().__init__("dialect")

        class Pickler(base):  # type: ignore[misc]  # known at run time only
            pass

        self.Pickler, self.Unpickler, self.dump, self.load = Pickler, pickle.Unpickler, pickle.dump, pickle.load


@pytest.mark.parametrize("base", [pickle._Pickler, pickle.Pickler])  # type: ignore[attr-defined]
@pytest.mark.parametrize("legacy", [False, True])
def test_other_pickle_modules(base: Any, legacy: bool) -> None:
    module = Dialect(base)
    value = {"x": wg.arange(3), "f": print, "net": Net().state_dict(), "p": Pair(1, wg.float32)}
    data = save_to_bytes(value, pickle_module=module, _use_new_zipfile_serialization=not legacy)
    found = load_bytes(data, pickle_module=module)
    assert wg.equal(found["x"], value["x"])
    assert found["p"] == value["p"]
    if base is not pickle.Pickler and not legacy:
        assert wg.equal(load_bytes(save_to_bytes({"x": wg.ones(2)}, pickle_module=module))["x"], wg.ones(2))


def test_types_with_reducers_of_their_own() -> None:
    class Odd:
        pass

    copyreg.pickle(Odd, lambda odd: (int, ("7",)))
    try:
        assert again([Odd(), wg.ones(1)], weights_only=False)[0] == 7
        assert load_bytes(save_to_bytes([Odd()], pickle_protocol=4), weights_only=False)[0] == 7
    finally:
        del copyreg.dispatch_table[Odd]


def test_plain_pickle_and_deepcopy_are_as_they_were() -> None:
    x = wg.ones(2, requires_grad=True)
    x.sum().backward()
    assert pickle.loads(pickle.dumps(x)).grad.tolist() == [1, 1]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert b"torch" not in pickle.dumps(wg.nn.Linear(1, 1), protocol).replace(b"__torch", b"")


# ---- the module storage
def test_classes_of_the_module_storage() -> None:
    assert issubclass(wg.FloatStorage, wg.storage._LegacyStorage)
    assert not issubclass(wg.UntypedStorage, wg.storage._LegacyStorage)
    assert not isinstance(wg.ones(1).untyped_storage(), wg.storage._LegacyStorage)
    assert issubclass(wg.UntypedStorage, wg.storage._StorageBase)
    assert isinstance(wg.ones(1).untyped_storage(), wg.storage._StorageBase)
    assert wg.storage.TypedStorage is wg.TypedStorage
    data = save_to_bytes(wg.ones(2), _use_new_zipfile_serialization=False)
    assert wg.storage._load_from_bytes(data).tolist() == [1, 1]


def test_names_of_the_module_utils() -> None:
    parts = [wg.arange(4.0).reshape(2, 2), wg.ones(3)]
    flat = wg._utils._flatten_dense_tensors(parts)
    assert flat.tolist() == [0, 1, 2, 3, 1, 1, 1]
    for part, found in zip(parts, wg._utils._unflatten_dense_tensors(flat, parts), strict=True):
        assert wg.equal(part, found)
    assert wg._utils._element_size(wg.float64) == 8
    assert wg._utils._import_dotted_name("wengert.nn.Linear") is wg.nn.Linear
    assert wg._utils.get_tensor_metadata(wg.ones(1)) == {}
    z = wg.tensor([1 + 2j])
    wg._utils.set_tensor_metadata(z, {"conj": True, "neg": True})
    assert z.tolist() == [-1 + 2j]
    two_floats = load_bytes(save_to_bytes(wg.ones(2).untyped_storage()))
    with pytest.raises(RuntimeError, match="are out of bounds for storage of size 8"):
        wg._utils._rebuild_tensor_v2(two_floats, 0, (9,), (1,), False, None)
    with pytest.raises(AssertionError):
        wg._utils.get_tensor_metadata(3)
    assert wg.serialization.storage_to_tensor_type(wg.ones(1).untyped_storage().float()) is wg.FloatTensor
    assert wg.serialization.normalize_storage_type(wg.FloatStorage) is wg.FloatStorage
    with wg.serialization.mkdtemp() as folder:
        assert isinstance(folder, str)


@pytest.mark.parametrize("module", [None, 2, "pickle", io])
def test_what_is_no_pickle_module_is_named(module: Any) -> None:
    data = save_to_bytes(wg.ones(2))
    with pytest.raises(AttributeError, match=r"has no attribute 'Pickler' that is a class: give a module such as"):
        wg.save(wg.ones(2), io.BytesIO(), pickle_module=module)
    if module is not None:
        with pytest.raises(AttributeError, match=r"has no attribute 'Unpickler' that is a class"):
            wg.load(io.BytesIO(data), pickle_module=module, weights_only=False)
