# Written by tools/generate/module_stubs.py.
from wengert_distributed.pipeline.schedules import Schedule1F1B as Schedule1F1B
from wengert_distributed.pipeline.schedules import ScheduleGPipe as ScheduleGPipe
from wengert_distributed.pipeline.stage import PipelineStage as PipelineStage

__all__ = [
    "PipelineStage", "Schedule1F1B", "ScheduleGPipe"
]
