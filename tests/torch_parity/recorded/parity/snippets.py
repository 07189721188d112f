"""Reads `cases/ROOM/*.txt`, the snippets whose results were recorded with PyTorch.

A case is a header line and a few lines of Python which end in an expression:

    ## add_broadcasts
    torch.ones(2, 1) + torch.ones(3)

    ## add_shapes_do_not_match | RuntimeError | must match the size
    torch.ones(2) + torch.ones(3)

    ## reading_grad_of_an_inner_node | warns UserWarning | not a leaf Tensor
    (torch.ones(2, requires_grad=True) * 2).grad

The second field of a header is the exception (or `warns` and the category) that the snippet ends in; the third is the
key phrase which both messages, PyTorch's and ours, hold. What stands before the first case describes the file.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parents[1]
CASES = HERE / "cases"
HEADER = re.compile(r"## (?P<name>\w+)(?: \| (?P<warns>warns )?(?P<kind>\w+) \| (?P<phrase>.+))?")


@dataclass(frozen=True)
class Case:
    """One snippet. `error` or `warning` names the class it must end in, `phrase` what the message must hold."""

    subject: str
    name: str
    code: str
    error: str | None = None
    warning: str | None = None
    phrase: str = ""

    def __str__(self) -> str:
        return f"{self.subject}-{self.name}"

    @property
    def digest(self) -> str:
        """Changes with the code: an answer recorded for other code is out of date."""
        return hashlib.sha256(self.code.encode()).hexdigest()[:8]


def subjects() -> list[str]:
    """The names of the case files with their rooms, ``nn/pooling``, sorted."""
    return sorted(path.relative_to(CASES).with_suffix("").as_posix() for path in CASES.glob("*/*.txt"))


def all_cases() -> list[Case]:
    """Every case of every file, in the files' order."""
    return [case for subject in subjects() for case in read_cases(subject)]


def read_cases(subject: str) -> list[Case]:
    """The cases of `cases/<subject>.txt`. Raises ValueError for a malformed header or an id given twice."""
    cases = list(parse(subject, (CASES / f"{subject}.txt").read_text(encoding="utf-8")))
    names = [case.name for case in cases]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"{subject}.txt gives these ids twice: {', '.join(repeated)}")
    return cases


def parse(subject: str, text: str) -> Iterator[Case]:
    """The cases in a file's text.

    >>> case, = parse("demo", "# about\\n\\n## too_long | RuntimeError | must match\\ntorch.ones(2) + torch.ones(3)\\n")
    >>> case.name, case.error, case.phrase, case.code
    ('too_long', 'RuntimeError', 'must match', 'torch.ones(2) + torch.ones(3)')
    """
    for block in re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]:
        header, _, code = block.partition("\n")
        yield read_case(subject, header.strip(), code.strip())


def read_case(subject: str, header: str, code: str) -> Case:
    """One case from its header line and its code."""
    found = HEADER.fullmatch(header)
    if found is None or not code:
        raise ValueError(f"{subject}.txt: expected '## id', '## id | Error | phrase' with code below, got {header!r}")
    kind, warns = found["kind"], found["warns"]
    return Case(
        subject,
        found["name"],
        code,
        error=None if warns else kind,
        warning=kind if warns else None,
        phrase=found["phrase"] or "",
    )
