from typing import final

from wengert_replay.recording.tracing import Recording

@final
class Fingerprint:
    def __new__(cls, recording: Recording, values: str) -> Fingerprint: ...
    def is_like(self, other: Fingerprint) -> bool | None: ...
