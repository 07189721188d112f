from wengert.nn import functional as functional
