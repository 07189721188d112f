"""Instructions of hot paths, counted by callgrind: the same on a busy machine as on an idle one."""

from . import hot_paths


class Instructions:
    """One turn of each path of hot_paths.py; left out where there is no valgrind."""

    params = hot_paths.names()
    param_names = ("path",)
    unit = "instructions"
    timeout = 600

    def setup_cache(self) -> dict[str, int]:
        """Count all paths in one process."""
        return hot_paths.counts() if hot_paths.can_count() else {}

    def setup(self, counted: dict[str, int], path: str) -> None:
        if path not in counted:
            raise NotImplementedError("there is no valgrind, which counts instructions")

    def track_instructions(self, counted: dict[str, int], path: str) -> int:
        return counted[path]
