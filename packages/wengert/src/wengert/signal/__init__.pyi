from wengert.signal import windows as windows
