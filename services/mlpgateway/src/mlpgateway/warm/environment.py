"""What the warm calls of one gate share."""

import asyncio
from dataclasses import dataclass, field

from mlpgateway.pipeline.pipeline import Pipeline
from mlpgateway.pipeline.stages import Stages
from mlpgateway.shares.admission import Admission
from mlpgateway.warm.writes import TurnWrites


@dataclass(frozen=True, slots=True)
class WarmParts:
    """`going_on`: the tasks of calls that have one, because they go on elsewhere or come in pieces."""

    pipeline: Pipeline
    stages: Stages
    admission: Admission
    writes: TurnWrites
    going_on: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def end_tasks(self) -> None:
        """Ends the calls that still have a task, as if their callers had left: what they got is recorded."""
        while self.going_on:
            for task in self.going_on:
                task.cancel()
            await asyncio.wait(self.going_on)
            await asyncio.sleep(0)  # their callbacks take them off
