from datetime import datetime, timedelta

from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.origins import origin_of
from mlpcore.features.servers.ports import OwnedGroups
from mlpcore.features.servers.repository import ServerRepository
from mlpcore.features.servers.schemas import (
    CreatedServerData,
    CreateResourceGroupServer,
    ResourceGroupServerData,
    ResourceGroupServerDataWithStatus,
    ServerCapacityData,
    ServerStatus,
)
from mlpcore.features.servers.tables import Server
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.service import StatLogs
from mlpcore.ports import ServerTemplates, ServerUsers, TemplateOffer
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher, new_credential
from mlplace_kit.errors import NotFound, ValidationFailed
from mlplace_kit.violations import broken

SILENT_AFTER = timedelta(seconds=30)
_TOKEN_LIFETIME = timedelta(hours=24)


class ServerService:
    def __init__(
        self,
        repository: ServerRepository,
        groups: OwnedGroups,
        templates: ServerTemplates,
        users: ServerUsers,
        logs: StatLogs,
        hasher: KeyedHasher,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._groups = groups
        self._templates = templates
        self._users = users
        self._logs = logs
        self._hasher = hasher
        self._clock = clock

    async def create(
        self, *, account_id: int, group: str, data: CreateResourceGroupServer, user_id: int | None
    ) -> CreatedServerData:
        """Raises NotFound, NameAlreadyExists, ValidationFailed."""
        found = await self._group(account_id, group, lock=True)
        server = await self._add(found, data)
        self._log(server, group, LogCode.SERVER_CREATED, f"The server {server.name} was created", user_id)
        token = self.issue_token(server)
        return CreatedServerData.model_validate({**self._shown(server), "enrolment_token": token})

    async def _add(self, group: ResourceGroup, data: CreateResourceGroupServer) -> Server:
        origin = origin_of(data, await self._template(group, data.template_id))
        now = self._clock.now()
        lifetime = data.max_server_lifetime_minutes
        server = Server(
            account_id=group.account_id,
            group_id=group.group_id,
            name=data.server_name,
            raw_configuration=origin.raw_configuration,
            description=origin.description,
            max_instances=origin.configuration.max_instances,
            labels=dict(origin.configuration.labels),
            tariffication_price=origin.price,
            tariffication_period=origin.period,
            cost_price=origin.cost,
            extras=dict(origin.extras),
            expires_at=now + timedelta(minutes=lifetime) if lifetime else None,
            created_at=now,
        )
        await self._repository.add(server)
        return server

    async def _template(self, group: ResourceGroup, template_id: int | None) -> TemplateOffer | None:
        """Raises ValidationFailed for a template that is not there for this account and this type of group."""
        if template_id is None:
            return None
        found = await self._templates.offer(
            account_id=group.account_id, template_id=template_id, kind=group.resource_group_type
        )
        if found is None:
            raise ValidationFailed({"templateId": broken("not_found")})
        return found

    def issue_token(self, server: Server) -> str:
        """Returns a new enrolment token, which works once within 24 hours. Invalidates an unused older one."""
        token = new_credential(account_id=server.account_id, object_id=server.server_id).text
        server.enrolment_hash = self._hasher.digest(token)
        server.enrolment_expires_at = self._clock.now() + _TOKEN_LIFETIME
        return token

    async def bootstrap(self, *, account_id: int, group: str, name: str, reissue: bool) -> tuple[Server, str | None]:
        """Returns the server of this name, created when missing, and an enrolment token.

        The token is None when the server is enrolled, unless `reissue`. Raises NotFound for the group.
        """
        found = await self._group(account_id, group, lock=True)
        server = await self._repository.named(account_id=found.account_id, group_id=found.group_id, name=name)
        if server is None:
            data = CreateResourceGroupServer(server_name=name, raw_configuration="provider: hosting_server\n")
            server = await self._add(found, data)
        wanted = reissue or server.secret_hash is None
        return server, self.issue_token(server) if wanted else None

    async def listed(self, *, account_id: int, group: str) -> list[ResourceGroupServerData]:
        return [
            ResourceGroupServerData.model_validate(self._shown(server)) for server in await self._all(account_id, group)
        ]

    async def statuses(self, *, account_id: int, group: str) -> list[ResourceGroupServerDataWithStatus]:
        return [self._with_status(server) for server in await self._all(account_id, group)]

    async def read(self, *, account_id: int, group: str, server_id: int) -> ResourceGroupServerData:
        return ResourceGroupServerData.model_validate(self._shown(await self._one(account_id, group, server_id)))

    async def status(self, *, account_id: int, group: str, server_id: int) -> ResourceGroupServerDataWithStatus:
        return self._with_status(await self._one(account_id, group, server_id))

    async def delete(self, *, account_id: int, group: str, server_id: int, user_id: int | None) -> None:
        """Deletes the server, at once if it has no instances or does not respond.

        Else its instances move to other servers first, as far as there is room, and a loop deletes it.
        """
        await self._one(account_id, group, server_id)
        server = await self._repository.of_account(account_id=account_id, server_id=server_id, lock=True)
        if server is None:
            return
        now = self._clock.now()
        if not is_fresh(server, now) or not await self._users.has_instances(server_id):
            await self._repository.delete(server)
            self._log(server, group, LogCode.SERVER_DELETED, f"The server {server.name} was deleted", user_id)
            return
        if server.draining_since is None or server.expires_at is not None:
            message = f"The server {server.name} is deleted when its instances have moved to other servers"
            self._log(server, group, LogCode.SERVER_DELETING, message, user_id)
        server.draining_since = server.draining_since or now
        server.expires_at = server.stopped_at = None

    def _log(self, server: Server, group: str, code: LogCode, message: str, user_id: int | None) -> None:
        self._logs.add(
            code,
            account_id=server.account_id,
            resource_group=group,
            user_id=user_id,
            at=self._clock.now(),
            message=message,
            args={"serverId": server.server_id, "name": server.name},
            node=server.name,
        )

    async def _all(self, account_id: int, group: str) -> list[Server]:
        found = await self._group(account_id, group)
        return list(await self._repository.of_group(account_id=account_id, group_id=found.group_id))

    async def _one(self, account_id: int, group: str, server_id: int) -> Server:
        found = await self._group(account_id, group)
        server = await self._repository.find(account_id=account_id, group_id=found.group_id, server_id=server_id)
        if server is None:
            raise NotFound(entity="server")
        return server

    async def _group(self, account_id: int, name: str, *, lock: bool = False) -> ResourceGroup:
        group = await self._groups.owned(account_id=account_id, name=name, lock=lock)
        if group is None:
            raise NotFound(entity="resource group")
        return group

    def _shown(self, server: Server) -> dict[str, object]:
        now = self._clock.now()
        left = max(0, int((server.expires_at - now).total_seconds())) if server.expires_at else None
        return {
            "id": server.server_id,
            "name": server.name,
            "server_ip": None,
            "jump_host_ip": None,
            "description": server.description,
            "is_auto_created": False,
            "raw_configuration": server.raw_configuration,
            "tariffication_price": float(server.tariffication_price),
            "tariffication_period": server.tariffication_period,
            "template_id": server.extras.get("template_id"),
            "is_temporary": server.extras.get("is_temporary", server.expires_at is not None),
            "cost_price": server.cost_price,
            "currency": server.extras.get("currency"),
            "expires_at": server.expires_at,
            "time_left_seconds": left,
            "template_capacity": server.extras.get("template_capacity"),
        }

    def _with_status(self, server: Server) -> ResourceGroupServerDataWithStatus:
        shown = self._shown(server)
        del shown["template_capacity"]
        status = status_of(server, self._clock.now())
        return ResourceGroupServerDataWithStatus.model_validate(
            {**shown, "status": status, "resources": _capacity(server)}
        )


def is_fresh(server: Server, now: datetime) -> bool:
    return server.last_heartbeat_at is not None and now - server.last_heartbeat_at <= SILENT_AFTER


def status_of(server: Server, now: datetime) -> ServerStatus:
    """Returns STARTING before the first heartbeat, RUNNING up to 30 seconds after the last one, then UNAVAILABLE.

    DELETING while its instances move away; STOPPED when they have left and its lifetime has not ended yet.
    """
    if server.stopped_at is not None:
        return ServerStatus.STOPPED
    if server.draining_since is not None:
        return ServerStatus.DELETING
    if server.last_heartbeat_at is None:
        return ServerStatus.STARTING
    return ServerStatus.RUNNING if is_fresh(server, now) else ServerStatus.UNAVAILABLE


def _capacity(server: Server) -> ServerCapacityData:
    capacity = server.capacity or {}
    return ServerCapacityData(
        cpu=f"{capacity.get('milli_cpu', 0)}m",
        memory=f"{capacity.get('ram_mb', 0)}Mi",
        disk=f"{capacity.get('disk_mb', 0)}Mi",
        gpu_models=list(capacity.get("gpu_models", [])),
    )
