"""Conditions on instances for SQL."""

from typing import Final

import sqlalchemy as sa

from mlpcore.features.instances.states import LEAVING, Hosting, InstanceState
from mlpcore.features.instances.tables import GateMembers, Instance, InstanceConnection
from mlpcore.features.servers.tables import Server
from mlplace_contracts.enums import InstancePurpose

_LEAVING: Final = [state.value for state in LEAVING]


def active() -> sa.ColumnElement[bool]:
    """Instances that are neither being removed nor deleted."""
    return Instance.state.not_in(_LEAVING)


def live() -> sa.ColumnElement[bool]:
    """Instances that are not deleted."""
    return Instance.state != InstanceState.DELETED.value


def managed() -> sa.ColumnElement[bool]:
    """Instances for which the platform chooses the place. See `Instance.is_managed`."""
    return Instance.hosting != Hosting.EXTERNAL.value


def serving() -> sa.ColumnElement[bool]:
    """Instances that answer calls, those that owners run included."""
    return Instance.purpose == InstancePurpose.SERVE.value


def scaled() -> sa.ColumnElement[bool]:
    """Instances that the requested number counts. See `Instance.is_scaled`."""
    return sa.and_(managed(), serving())


def on_server() -> sa.ColumnElement[bool]:
    """Instances whose placement is `OnServer`."""
    return Instance.server_id.is_not(None)


def unplaced() -> sa.ColumnElement[bool]:
    """Instances whose placement is `Unplaced`."""
    return sa.and_(managed(), ~on_server())


def waiting() -> sa.ColumnElement[bool]:
    """Instances that wait for a place."""
    return sa.and_(Instance.state == InstanceState.IDLE.value, unplaced())


def refused() -> sa.ColumnElement[bool]:
    """Instances that wait for a place because no server takes them now."""
    return sa.and_(waiting(), Instance.waiting_reason.is_not(None))


def moving() -> sa.ColumnElement[bool]:
    """Instances that move to another server. They do not count as requested ones: replacements start beside them.

    Only what answers calls moves. Anything else ends where it is, with its server at the latest.
    """
    draining = sa.exists().where(Server.server_id == Instance.server_id, Server.draining_since.is_not(None))
    return sa.and_(scaled(), draining.correlate(Instance))


def current() -> sa.ColumnElement[bool]:
    """Streams count only while their gate is a member. Before any gate has announced itself, every stream counts."""
    members = sa.select(GateMembers.id).where(GateMembers.id == 1)
    of_member = members.where(InstanceConnection.gate == sa.any_(GateMembers.members))
    known = sa.exists(members.correlate(None))
    return sa.and_(
        InstanceConnection.connected.is_(True), sa.or_(~known, sa.exists(of_member.correlate(InstanceConnection)))
    )


def connected() -> sa.ColumnElement[bool]:
    """Instances to which a gate is connected."""
    stream = sa.select(InstanceConnection.gate).where(InstanceConnection.instance_id == Instance.instance_id, current())
    return sa.exists(stream.correlate(Instance))
