"""The table of outcomes, and each finding once with a call that shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tools.hostile.batches import Call

FINE = {"ok", "expected", "raised by an argument"}
SOFT = {"inner wording", "another self"}
"""Right in type: counted, shown on request, no failure."""


KINDS = [
    "crash", "hang", "invariant", "internal error", "exception ignored", "state", "memory growth", "no message",
]  # fmt: skip
"""Outcomes that must not be, the worst first."""
Key = tuple[str, str, str, str]


def key_of(call: Call) -> Key:
    """The key that makes two findings one: kind, error, place, and the target where that says more than the place."""
    if call.kind == "invariant":
        return call.kind, "", call.message, ""
    where = call.frame or call.target
    return call.kind, call.error, where, call.target if call.kind in {"crash", "hang"} or not call.frame else ""


class Report:
    """Counts calls, keeps one of each finding."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.findings: dict[Key, Call] = {}
        self.needs_others: set[Key] = set()
        self.seen: Counter[Key] = Counter()

    def add(self, call: Call) -> None:
        """Count a call."""
        self.kinds[call.kind] += 1
        if call.kind == "expected":
            self.errors[call.error] += 1
        if call.kind not in FINE:
            key = key_of(call)
            self.seen[key] += 1
            best = self.findings.get(key)
            if best is None or len(call.source) < len(best.source):
                self.findings[key] = call

    def confirm(self, shows: Callable[[Call], bool]) -> None:
        """Note of which findings the call alone does not show it: a call before it had a part."""
        self.needs_others = {key for key, call in self.findings.items() if key[0] not in SOFT and not shows(call)}

    def failures(self) -> int:
        """The number of calls that must not end as they did."""
        return sum(n for kind, n in self.kinds.items() if kind not in FINE | SOFT)

    def table(self) -> str:
        """Calls by outcome."""
        total = sum(self.kinds.values())
        rows = [f"{kind:24}{n:9}" for kind, n in self.kinds.most_common()]
        types = ", ".join(f"{name} {n}" for name, n in self.errors.most_common())
        return "\n".join([f"{'calls':24}{total:9}", *rows, f"expected errors: {types}"])

    def listing(self, soft: bool = False) -> str:
        """All findings, the worst kinds first. soft: the mere wording as well."""
        texts = []
        for kind in [*KINDS, *sorted(SOFT)] if soft else KINDS:
            found = [(key, call) for key, call in self.findings.items() if key[0] == kind]
            texts += [f"\n## {kind}: {len(found)} places\n"] if found else []
            for key, call in sorted(found, key=lambda pair: (pair[1].frame, pair[1].target)):
                texts.append(self.describe(key, call))
        return "\n".join(texts)

    def describe(self, key: Key, call: Call) -> str:
        """Two lines on a finding: what happened where and how often; the call's text."""
        alone = "; not alone" if key in self.needs_others else ""
        said = f": {ascii(call.message)[:160]}" if call.message else ""
        place = f"{call.target} {call.error} at {call.frame or '?'}"
        return f"- {place} ({self.seen[key]}x; seed {call.seed} call {call.i}{alone}){said}\n      {call.source}"
