"""Says in English why an instance waits for a server. The web interface words the same numbers in its languages."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mlpcore.features.placement.room import Lack

ACCOUNT_LIMIT: Final = "AccountLimit"
"""A limit of the account leaves no room."""
_UNITS: Mapping[Lack, tuple[int, str]] = {
    Lack.CPU: (1000, "cores"), Lack.MEMORY: (1024, "GiB of memory"), Lack.DISK: (1024, "GiB of disk"),
    Lack.VRAM: (1024, "GiB of GPU memory"),
}  # fmt: skip
_TEXTS: Mapping[Lack, str] = {
    Lack.HEARTBEAT: "not responding", Lack.AVAILABILITY: "being removed", Lack.LIFETIME: "ending too soon",
    Lack.IMAGE: "cannot run this image", Lack.LABELS: "without the labels",
    Lack.INSTANCES: "at the maximal number of instances",
    Lack.GPU: "without enough GPUs", Lack.GPU_MODEL: "with GPUs of other models", Lack.FREE_GPU: "with all GPUs in use",
}  # fmt: skip


def message_of(details: Mapping[str, Any] | None) -> str | None:
    """Returns the text of an instance's `waiting_details`, such as `4 servers: 3 lack 2 GiB of memory, 1 without GPUs`.

    Returns None when there are no numbers to tell.
    """
    if details is None:
        return None
    if (limit := details.get("limit")) is not None:
        return "the account's {name} is {allowed}; {used} is in use and {needed} more is needed".format_map(limit)
    servers: int = details["servers"]
    lacking: Sequence[Mapping[str, Any]] = details["lacking"]
    counted = f"{servers} server" if servers == 1 else f"{servers} servers"
    return f"{counted}: {', '.join(map(_part, lacking))}" if lacking else None


def _part(entry: Mapping[str, Any]) -> str:
    lack, servers, missing = Lack(entry["what"]), entry["servers"], entry["missing"]
    if lack in _UNITS:
        unit, name = _UNITS[lack]
        verb = "lacks" if servers == 1 else "lack"
        return f"{servers} {verb} {missing / unit:.3g} {name}"
    return f"{servers} {_TEXTS[lack]}"
