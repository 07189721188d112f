"""`python -m wengert_registry`: the list of plugins, where `wengert` itself is not installed."""

import sys

from wengert_registry.listing import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
