from typing import Any

from wengert_replay.recording.tracing import Recording

class References: ...

def refuse_stored(recording: Recording, holder: list[Any]) -> None: ...
