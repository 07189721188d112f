"""The reference page of modules names every layer, and nothing that is not there."""

import re
from importlib import import_module
from pathlib import Path

from wengert import nn

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "modules.md"
NAME = re.compile(r"^\.\. auto(?:class|function):: wengert\.(\S+)$", re.MULTILINE)


def test_every_layer_and_function_is_on_the_page():
    names = NAME.findall(PAGE.read_text(encoding="utf-8"))
    assert len(set(names)) == len(names)
    assert {f"nn.{name}" for name in nn.__all__} - set(names) == set()
    missing = {f"nn.utils.{name}" for name in nn.utils.__all__} - {re.sub(r"(\w+_norm)\.", "", name) for name in names}
    assert missing == {"nn.utils.clip_grad_norm"}  # the deprecated one


def test_every_name_on_the_page_exists():
    for name in NAME.findall(PAGE.read_text(encoding="utf-8")):
        module, _, last = name.rpartition(".")
        assert getattr(import_module(f"wengert.{module}"), last).__doc__, name
