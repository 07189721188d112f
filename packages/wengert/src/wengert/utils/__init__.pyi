from wengert.utils import hooks as hooks
