"""``python -m wengert plugins [--json] [--load]``: what is installed, and in which state."""

import sys

from wengert_registry.listing import program as list_plugins

from wengert.plugin_check import check

USAGE = "usage: python -m wengert plugins [--json] [--load]"


def main(arguments: list[str]) -> int:
    """Run a command; returns the exit status."""
    if arguments[:1] == ["plugins"]:
        return list_plugins(arguments[1:], check)
    print(USAGE, file=sys.stderr if arguments else sys.stdout)
    return 2 if arguments else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
