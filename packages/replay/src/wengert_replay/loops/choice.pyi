from wengert_core.extend import Tensor

from wengert_replay.loops.body import Body
from wengert_replay.loops.loop import Loop

class Choice(Loop):
    predicate: Tensor

def make_choice(
    construct: str, source: str, predicate: Tensor, bodies: list[Body], outputs: list[Tensor]
) -> Choice: ...
