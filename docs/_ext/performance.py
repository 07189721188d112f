"""The site of benchmarks over commits, where `make bench-publish` has made it: a part of this one."""

from pathlib import Path

PARENT = Path(__file__).resolve().parents[2] / "asv_benchmarks" / ".asv" / "site"


def link() -> str:
    """A link to the site, or how it is made."""
    if (PARENT / "performance" / "index.html").exists():
        return '<p><a href="performance/index.html">The graphs of this build</a>.</p>'
    return "(This build of the documentation has no such site: `make bench-publish docs` brings it.)"
