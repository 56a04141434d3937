"""Validates and bounds the reports of agents, which are untrusted programs on machines of other people."""

import math
import re
from datetime import UTC, datetime

from mlpcore.features.instances.lifecycle.runs import Run
from mlpcore.features.instances.lifecycle.seen import Seen, SeenInstance, SeenOutput
from mlplace_contracts.events import InstanceHttp
from mlplace_contracts.internal.hosting import Heartbeat, LogChunk, ReportedInstance, ReportedPhase
from mlplace_kit.errors import MalformedRequest, PayloadTooLarge
from mlplace_runtime.web.json_requests import json_text_of, value_of

MAX_BODY_BYTES = 1024 * 1024
_MAX_INSTANCES = 5000
_MAX_CHUNKS = 1000
_MAX_INT = 2**31 - 1
_MAX_OFFSET = 2**62
_MAX_TEXT = 2000
_HOST = re.compile(r"[A-Za-z0-9._:-]{1,255}", re.ASCII)


def read_heartbeat(body: bytes) -> Heartbeat:
    """Raises PayloadTooLarge, MalformedRequest."""
    if len(body) > MAX_BODY_BYTES:
        raise PayloadTooLarge(limit=str(MAX_BODY_BYTES))
    text = _unquoted(json_text_of(body))
    try:
        heartbeat = Heartbeat.model_validate_json(text)
    except ValueError as error:  # also Pydantic's ValidationError
        raise MalformedRequest(reason="not a heart-beat") from error
    if len(heartbeat.instances) > _MAX_INSTANCES or len(heartbeat.logs) > _MAX_CHUNKS:
        raise MalformedRequest(reason="more instances or pieces of output than a server can have")
    if any(not math.isfinite(sample.age_seconds) for sample in heartbeat.samples):
        raise MalformedRequest(reason="a sample without an age")
    return heartbeat


def _unquoted(text: bytes) -> bytes:
    """Returns the text inside a JSON string, the form of the published contract, or the text as it is.

    Raises MalformedRequest.
    """
    inner = value_of(text) if text.lstrip().startswith(b'"') else None
    return json_text_of(inner.encode()) if isinstance(inner, str) else text


def number(value: int | None) -> int | None:
    """Clamps the value to 32 bits."""
    return None if value is None else max(-_MAX_INT, min(value, _MAX_INT))


def short(text: str | None, limit: int = _MAX_TEXT) -> str | None:
    return None if text is None else text[:limit].replace("\0", "\ufffd")


def moment(value: datetime | None) -> datetime | None:
    """Returns the time in UTC; None for a time without a zone and outside the years 2000 to 2200."""
    if value is None or value.tzinfo is None:
        return None
    try:
        shifted = value.astimezone(UTC)
    except OverflowError:
        return None
    return shifted if 2000 <= shifted.year <= 2200 else None


def seen_of(heartbeat: Heartbeat, *, trusted: bool) -> Seen:
    """Returns the last report of each instance. `trusted`: a server of the platform's own account sent the report."""
    return Seen(
        instances={report.instance_id: _instance(report, trusted=trusted) for report in heartbeat.instances},
        output=[_output(chunk) for chunk in heartbeat.logs if _is_sane(chunk)],
        samples=heartbeat.samples,
    )


def _instance(report: ReportedInstance, *, trusted: bool) -> SeenInstance:
    return SeenInstance(
        instance_id=report.instance_id,
        generation=report.generation,
        run=_run(report, trusted=trusted),
        gpu_ids=report.gpu_ids,
        gpu_memory_mb=report.gpu_memory_mb,
    )


def _output(chunk: LogChunk) -> SeenOutput:
    return SeenOutput(
        instance_id=chunk.instance_id,
        generation=chunk.generation,
        restart_count=chunk.restart_count,
        offset=chunk.offset,
        text=chunk.text,
    )


def _is_sane(chunk: LogChunk) -> bool:
    return 0 <= chunk.offset < _MAX_OFFSET and 0 <= chunk.restart_count <= _MAX_INT


def _run(report: ReportedInstance, *, trusted: bool) -> Run:
    return Run(
        phase=report.phase,
        restart_count=max(0, number(report.restart_count) or 0),
        started_at=moment(report.started_at),
        finished_at=moment(report.finished_at),
        exit_code=number(report.exit_code),
        exit_reason=short(report.reason, 64),
        exit_message=short(report.message),
        http=http_of(report, trusted=trusted),
    )


def http_of(report: ReportedInstance, *, trusted: bool) -> InstanceHttp | None:
    """Returns None unless the instance runs and reports a valid host and port."""
    host, port = report.http_host, report.http_port
    if report.phase is not ReportedPhase.RUNNING or host is None or port is None:
        return None
    if not _HOST.fullmatch(host) or not 1 <= port <= 65_535:
        return None
    return InstanceHttp(host=host, port=port, trusted=trusted)
