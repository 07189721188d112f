from wengert.utils import checkpoint as checkpoint
