"""What was seen of the instances on a server, whoever runs them there. Values fit the columns that store them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlpcore.features.instances.lifecycle.runs import Run
from mlplace_contracts.internal.hosting import ServerSample


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenInstance:
    """`gpu_ids` and `gpu_memory_mb`: the GPUs that it uses, and its part of the memory of each; None for all of it."""

    instance_id: int
    generation: int
    run: Run
    gpu_ids: tuple[str, ...] = ()
    gpu_memory_mb: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenOutput:
    """A piece of an instance's output. `offset`: bytes of output since run `restart_count` of this generation began."""

    instance_id: int
    generation: int
    restart_count: int
    offset: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """All that runs on a server, by instance, what it has written since the last look, and what was measured of it.

    It may name instances that are elsewhere, or never were.
    """

    instances: Mapping[int, SeenInstance]
    output: Sequence[SeenOutput] = ()
    samples: Sequence[ServerSample] = ()
