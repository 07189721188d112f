from wengert.cpu import amp as amp
