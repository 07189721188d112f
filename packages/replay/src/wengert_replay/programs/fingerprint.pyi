from typing import final

from wengert_replay.recording.tracing import Recording

@final
class Fingerprint:
    def __init__(self, recording: Recording, values: str) -> None: ...
    def is_like(self, other: Fingerprint) -> bool | None: ...
