"""When an instance that is being removed may end."""

from datetime import datetime, timedelta

from mlpcore.features.instances.tables import Instance


def may_end(instance: Instance, *, connected: bool, now: datetime, drain: timedelta) -> bool:
    """Whether a REMOVING instance has finished its calls, or has had `drain` to do so."""
    return instance.force_stop or not connected or now - instance.state_changed_at >= drain
