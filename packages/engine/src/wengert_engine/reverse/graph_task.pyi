from typing import final

@final
class Run: ...
