from wengert.utils import checkpoint as checkpoint
from wengert.utils import data as data
from wengert.utils import dlpack as dlpack
from wengert.utils import hooks as hooks
from wengert.utils import serialization as serialization
