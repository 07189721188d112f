"""out= on another device than the inputs is refused in torch's words: no address of a device is written to."""

import pytest
import wengert_core as wc
from wengert_registry import registry
from wengert_testing.sim import SimDevice

ops = wc.TABLE.ops
CALLS = {
    "add": lambda x, out: ops["add"](x, x, out=out),
    "exp": lambda x, out: ops["exp"](x, out=out),
    "clamp": lambda x, out: ops["clamp"](x, 0, 1, out=out),
    "where": lambda x, out: ops["where"](x > 0, x, x, out=out),
    "sum": lambda x, out: ops["sum"](x, 0, True, out=out),
    "mm": lambda x, out: ops["mm"](x, x, out=out),
    "outer": lambda x, out: ops["outer"](x[0], x[1], out=out),
    "cumsum": lambda x, out: ops["cumsum"](x, 0, out=out),
    "cat": lambda x, out: ops["cat"]([x, x], out=out),
    "gather": lambda x, out: ops["gather"](x, 0, x.long() - x.long(), out=out),
    "sort": lambda x, out: ops["sort"](x, out=(out, out.long())),
}


@pytest.fixture(autouse=True)
def _sim():
    with registry.group("devices").register("sim", SimDevice):
        yield


@pytest.mark.parametrize("name", CALLS)
def test_an_output_on_a_device_of_inputs_on_the_cpu_is_refused(name):
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device, but found at least two"):
        CALLS[name](wc.ones(2, 2), wc.zeros(2, 2).to("sim"))


@pytest.mark.parametrize("name", CALLS)
def test_an_output_where_the_inputs_are_is_written(name):
    out = wc.zeros(0).to("sim") if name in ("sum", "cat") else wc.zeros(2, 2).to("sim")
    CALLS[name](wc.ones(2, 2).to("sim"), out)
    assert out.cpu().sum().item() > 0
