"""The face for extenders: what the tests of a package that extends wengert import of wengert-testing.

``OpCase`` is the row of an op in a sample table: ``T`` stands for a tensor to differentiate, ``Fixed`` and ``fixed``
for numbers that stay as they are. ``check_value``, ``check_dtypes``, ``check_strided``, ``check_gradients`` and
``check_inplace`` test a row; ``devices`` has the checks of a device, ``SimDevice`` a device to test operations on.
"""

from wengert_testing import devices as devices
from wengert_testing.case import Fixed as Fixed
from wengert_testing.case import OpCase as OpCase
from wengert_testing.case import T as T
from wengert_testing.case import fixed as fixed
from wengert_testing.gradients import check_gradients as check_gradients
from wengert_testing.gradients import check_inplace as check_inplace
from wengert_testing.sim import SimDevice as SimDevice
from wengert_testing.values import check_dtypes as check_dtypes
from wengert_testing.values import check_strided as check_strided
from wengert_testing.values import check_value as check_value

__all__ = [
    "Fixed", "OpCase", "SimDevice", "T", "check_dtypes", "check_gradients", "check_inplace", "check_strided",
    "check_value", "devices", "fixed",
]
