"""Pipelines, as in ``torch.distributed.pipelining``: each rank has a stage of a model, and a batch parts.

>>> import wengert as wg
>>> from wengert.distributed.pipelining import PipelineStage, Schedule1F1B
>>> wg.distributed.init_process_group("self")
>>> weight = wg.ones(2, requires_grad=True)
>>> stage = PipelineStage(lambda x: x * weight, 0, 1)
>>> schedule = Schedule1F1B(stage, n_microbatches=2, loss_fn=lambda output, target: (output - target).square().mean())
>>> schedule.step(wg.ones(4, 2), target=wg.zeros(4, 2)).shape, weight.grad
(torch.Size([4, 2]), tensor([1., 1.]))
>>> wg.distributed.destroy_process_group()
"""

from wengert_distributed.pipeline.schedules import Schedule1F1B, ScheduleGPipe
from wengert_distributed.pipeline.stage import PipelineStage

__all__ = ["PipelineStage", "Schedule1F1B", "ScheduleGPipe"]
