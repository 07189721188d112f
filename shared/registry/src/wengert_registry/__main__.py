"""`python -m wengert_registry`: the list of plugins, where `wengert` itself is not installed."""

import sys

from wengert_registry.listing import program

if __name__ == "__main__":
    sys.exit(program(sys.argv[1:]))
