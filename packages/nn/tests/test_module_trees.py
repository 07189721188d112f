"""Walks over trees of modules, states and copies, against the plainest way to compute them."""

import copy
import pickle

import pytest
import wengert as wg
from hypothesis import given
from hypothesis import strategies as st
from wengert import nn

from .module_trees import NAMES, Node, first_positions, members, no_clock, positions, same, trees


@no_clock
@given(trees())
def test_walks_give_each_module_parameter_and_buffer_once_in_the_order_of_the_tree(tree):
    assert same(list(tree.named_modules()), first_positions(positions(tree)))
    assert same(list(tree.named_modules(remove_duplicate=False)), positions(tree))
    assert list(tree.modules()) == [one for _, one in first_positions(positions(tree))]
    for walk, values, table in (
        (tree.named_parameters, tree.parameters, "_parameters"),
        (tree.named_buffers, tree.buffers, "_buffers"),
    ):
        assert same(list(walk(remove_duplicate=False)), members(tree, table))
        # a module that stands in several places gives its tensors under its first name only
        modules = [(f"{path}." if path else "", one) for path, one in first_positions(positions(tree))]
        expected = [(path + n, v) for path, one in modules for n, v in getattr(one, table).items() if v is not None]
        assert same(list(walk()), first_positions(expected))
        assert [id(one) for one in values()] == [id(one) for _, one in first_positions(expected)]
        own = [(n, v) for n, v in getattr(tree, table).items() if v is not None]
        assert same(list(walk(recurse=False)), first_positions(own))


@no_clock
@given(trees(), st.sampled_from(["", "p", "p.q"]))
def test_names_are_unique_begin_with_the_prefix_and_lead_to_the_tensor(tree, prefix):
    for walk in (tree.named_parameters, tree.named_buffers):
        pairs = list(walk(prefix, remove_duplicate=False))
        assert len({name for name, _ in pairs}) == len(pairs)
        for name, value in pairs:
            assert not prefix or name.startswith(f"{prefix}.")
            plain = name[len(prefix) + 1 :] if prefix else name
            getter = tree.get_parameter if walk == tree.named_parameters else tree.get_buffer
            assert getter(plain) is value
    for name, module in tree.named_modules():
        assert tree.get_submodule(name) is module


@no_clock
@given(trees())
def test_state_dict_has_parameters_and_persistent_buffers_and_shares_their_memory(tree):
    expected = []
    for path, module in positions(tree):
        own = [*module._parameters.items(), *module._buffers.items()]
        expected += [
            (f"{path}.{name}" if path else name, value)
            for name, value in own
            if value is not None and name not in module._non_persistent_buffers_set
        ]
    state = tree.state_dict()
    assert list(state) == [name for name, _ in expected]
    for name, value in expected:
        assert state[name].data_ptr() == value.data_ptr()
        assert not state[name].requires_grad
    assert set(state._metadata) == {path for path, _ in positions(tree)}


@no_clock
@given(trees(), st.booleans())
def test_a_state_goes_into_a_copy_and_comes_out_again(tree, assign):
    other = copy.deepcopy(tree)
    with wg.no_grad():
        for tensor in (*other.parameters(), *other.buffers()):
            tensor.add_(100)
    state = {name: value.clone() for name, value in tree.state_dict().items()}
    keys = other.load_state_dict(state, assign=assign)
    assert (keys.missing_keys, keys.unexpected_keys) == ([], [])
    result = other.state_dict()
    assert list(result) == list(state)
    assert all(wg.equal(result[name], state[name]) for name in state)


@no_clock
@given(trees())
def test_copies_and_pickles_have_the_shape_of_the_tree_with_its_shared_parts(tree):
    for other in (copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        for table in ("_parameters", "_buffers"):
            ours, theirs = members(tree, table), members(other, table)
            assert [name for name, _ in ours] == [name for name, _ in theirs]
            assert all(wg.equal(a, b) and a is not b for (_, a), (_, b) in zip(ours, theirs, strict=True))
            assert [name for name, _ in first_positions(ours)] == [name for name, _ in first_positions(theirs)]
        assert [name for name, _ in other.named_modules()] == [name for name, _ in tree.named_modules()]
        assert repr(other) == repr(tree)
        x = wg.ones(1)
        assert wg.equal(other(x), tree(x))


@no_clock
@given(trees(shared=False))
def test_apply_calls_with_children_before_their_parents(tree):
    order = []
    assert tree.apply(order.append) is tree
    assert len(order) == len(positions(tree))
    position = {id(module): number for number, module in enumerate(order)}
    for _, module in positions(tree):
        assert all(position[id(child)] < position[id(module)] for child in module.children())


@no_clock
@given(trees(), st.booleans())
def test_train_and_eval_reach_all_modules(tree, mode):
    assert tree.train(mode) is tree
    assert all(module.training is mode for module in tree.modules())


@no_clock
@given(trees())
def test_conversion_keeps_parameters(tree):
    before = members(tree, "_parameters")
    assert tree.double() is tree
    assert same(before, members(tree, "_parameters"))
    assert all(value.dtype is wg.float64 for _, value in (*before, *members(tree, "_buffers")))


@no_clock
@given(trees(), st.data())
def test_what_is_deleted_is_gone_and_its_name_is_free(tree, data):
    names = [*tree._parameters, *tree._buffers, *tree._modules]
    if not names:
        return
    name = data.draw(st.sampled_from(names))
    delattr(tree, name)
    assert not hasattr(tree, name)
    assert all(name not in table for table in (tree._parameters, tree._buffers, tree._modules))
    assert name not in tree._non_persistent_buffers_set
    assert all(one.partition(".")[0] != name for one in tree.state_dict())
    setattr(tree, name, 5)
    assert getattr(tree, name) == 5


VALUES = [
    lambda: nn.Parameter(wg.ones(1)),
    lambda: nn.Buffer(wg.ones(1)),
    lambda: nn.Buffer(wg.ones(1), persistent=False),
    lambda: wg.ones(1),
    Node,
    lambda: None,
    lambda: 3,
    lambda: [1],
]


@no_clock
@given(st.lists(st.tuples(st.sampled_from(NAMES[:3]), st.sampled_from(range(len(VALUES)))), max_size=8))
def test_a_name_stands_in_one_place_whatever_is_assigned(assignments):
    node = Node()
    for name, number in assignments:
        value = VALUES[number]()
        before = getattr(node, name, None)
        try:
            setattr(node, name, value)
        except (TypeError, KeyError):
            assert getattr(node, name, None) is before
            continue
        assert getattr(node, name) is value
        tables = (node._parameters, node._buffers, node._modules, node.__dict__)
        assert sum(name in table for table in tables) == 1
        assert node._non_persistent_buffers_set <= node._buffers.keys()


def test_a_tree_as_deep_as_recursion_allows_is_walked():
    top = node = Node()
    for _ in range(300):
        node.a = Node()
        node = node.a
    node.weight = nn.Parameter(wg.ones(1))
    assert len(list(top.modules())) == 301
    assert len(list(top.parameters())) == 1
    assert top.state_dict().keys() == {"a." * 300 + "weight"}
    assert top(wg.zeros(1)).item() == 1


@pytest.mark.parametrize(
    "name", ["_member", "_own_state", "_unexpected_keys", "_set_buffer", "_remove_other_entries", "_state", "_tree"]
)
def test_a_module_may_have_private_attributes_of_its_own(name):
    module = nn.Linear(2, 2)
    setattr(module, name, 5)
    module.scale = nn.Buffer(wg.ones(1))
    module.scale, module.child, module.extra = wg.zeros(1), nn.Linear(1, 1), nn.Parameter(wg.ones(1))
    assert module.get_parameter("child.weight") is module.child.weight
    assert module.get_buffer("scale").item() == 0
    assert module.load_state_dict(module.state_dict() | {"more": wg.ones(1)}, strict=False).unexpected_keys == ["more"]
    assert getattr(module, name) == 5
