"""Validates and bounds what agents report of their servers."""

import re
from collections.abc import Mapping, Sequence

from mlpcore.features.images.schemas import is_image_address
from mlpcore.features.providers.hosting_server.reports import number, short
from mlpcore.features.servers.reports import ServerReport
from mlplace_contracts.internal.hosting import MOST_PROGRAMS, Heartbeat, ReportedGpu, ServerCapacity

_MAX_GPUS = 256
_MAX_MODEL = 128
_GPU_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,95}", re.ASCII)
"""Agents join ids by commas in the environment of an instance."""


def report_of(heartbeat: Heartbeat) -> ServerReport:
    capacity = heartbeat.capacity
    gpus = _distinct(capacity.gpus)
    models = [gpu.model for gpu in gpus] or capacity.gpu_models
    return ServerReport(
        agent_version=short(heartbeat.agent_version, 64),
        milli_cpu=_amount(capacity.milli_cpu) or 0,
        ram_mb=_amount(capacity.ram_mb) or 0,
        disk_mb=_amount(capacity.disk_mb) or 0,
        gpus=[{"gpu_id": gpu.gpu_id, "model": _model(gpu.model), "vram_mb": _amount(gpu.vram_mb) or 0} for gpu in gpus],
        used=_used(capacity, gpus),
        gpu_models=sorted({_model(model) for model in models[:_MAX_GPUS]}),
        runs_containers=heartbeat.runs_containers is not False,
        programs=_programs(heartbeat),
    )


def _programs(heartbeat: Heartbeat) -> list[str]:
    """Returns the addresses that images can have, each once, at most as many as agents may tell."""
    return sorted(set(filter(is_image_address, heartbeat.programs[:MOST_PROGRAMS])))


def _distinct(gpus: Sequence[ReportedGpu]) -> list[ReportedGpu]:
    """Returns the first report of each GPU with a valid id, for at most 256 GPUs."""
    found: dict[str, ReportedGpu] = {}
    for gpu in gpus:
        if _GPU_ID.fullmatch(gpu.gpu_id):
            found.setdefault(gpu.gpu_id, gpu)
        if len(found) == _MAX_GPUS:
            break
    return list(found.values())


def _used(capacity: ServerCapacity, gpus: Sequence[ReportedGpu]) -> Mapping[str, object]:
    return {
        "milli_cpu": _amount(capacity.used_milli_cpu),
        "ram_mb": _amount(capacity.used_ram_mb),
        "disk_mb": _amount(capacity.used_disk_mb),
        "gpus": [
            {
                "gpu_id": gpu.gpu_id,
                "used_vram_mb": _amount(gpu.used_vram_mb),
                "usage_percent": None if gpu.usage_percent is None else max(0, min(gpu.usage_percent, 100)),
            }
            for gpu in gpus
        ],
    }


def _amount(value: int | None) -> int | None:
    """Clamps the value to 0 and the largest 32-bit number."""
    clamped = number(value)
    return None if clamped is None else max(0, clamped)


def _model(text: str) -> str:
    return short(text, _MAX_MODEL) or ""
