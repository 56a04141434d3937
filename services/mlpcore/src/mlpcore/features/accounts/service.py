"""Accounts on the platform: created on first use, with limits and features that a superadmin sets."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from mlpcore.features.accounts.change_log import Author, ChangeLog
from mlpcore.features.accounts.networks import allows, normal
from mlpcore.features.accounts.repository import AccountRepository
from mlpcore.features.accounts.schemas import (
    DEFAULT_LIMITS,
    AccessByIp,
    AccountChangeKind,
    AccountFeatureData,
    AccountInfoData,
    AccountLimitsData,
    AccountUpdateData,
    FeatureData,
    PagedAccountChanges,
)
from mlpcore.features.accounts.tables import Account, PlatformAccount
from mlpcore.ports import ServiceZones
from mlpcore.quantities import bytes_of
from mlplace_contracts.enums import Feature
from mlplace_contracts.events import AccountLimitsChanged
from mlplace_kit.clock import Clock, to_milliseconds
from mlplace_kit.denials import FeatureMissing
from mlplace_kit.errors import AccountNotFound, ValidationFailed
from mlplace_kit.names import PathRef
from mlplace_kit.pagination import PageRequest
from mlplace_kit.violations import Violation, broken
from mlplace_runtime.db.outbox import Publisher
from mlplace_runtime.web.policy import Access


class Activity(Protocol):
    async def note_accounts(self, moments: Mapping[int, datetime]) -> None:
        """Stores when accounts were active."""
        ...

    async def of_accounts(self, account_ids: Collection[int]) -> Mapping[int, datetime]:
        """Returns the last activity. Accounts without any are absent."""
        ...


class AccountService:
    def __init__(
        self,
        repository: AccountRepository,
        activity: Activity,
        changes: ChangeLog,
        outbox: Publisher,
        clock: Clock,
        initial_features: Iterable[Feature],
        time_zone: str,
        zones: ServiceZones,
    ) -> None:
        """`time_zone`: that of accounts which have chosen none."""
        self._repository = repository
        self._activity = activity
        self._changes = changes
        self._outbox = outbox
        self._clock = clock
        self._time_zone = time_zone
        self._zones = zones
        self._initial_features = tuple(feature.value for feature in initial_features)

    async def ensure(self, *, account_id: int, account_name: str) -> AccountInfoData:
        """Returns the account, created on first use.

        Before the account's event has arrived, a placeholder is stored with `account_name` as its display name.
        """
        account = await self._repository.find(PathRef(id=account_id, name=None))
        if account is None:
            await self._repository.add_placeholder(_placeholder(account_id, account_name))
            account = await self._existing(PathRef(id=account_id, name=None))
        return await self._info(account, await self.ensure_platform(account_id=account_id))

    async def ensure_platform(self, *, account_id: int) -> PlatformAccount:
        found = await self._repository.platform(account_id)
        if found is not None:
            return found
        values: dict[str, object] = {
            "account_id": account_id,
            "version": 1,
            "tags": {},
            "created_at": self._clock.now(),
        }
        if await self._repository.add_platform(values | DEFAULT_LIMITS.model_dump()):
            await self._repository.set_features(account_id, dict.fromkeys(self._initial_features, True))
            await self._publish(account_id)
        return await self._platform(account_id)

    async def lock_platform(self, *, account_id: int) -> PlatformAccount:
        """Returns the row of limits, locked until the transaction ends. Creates it when it is missing."""
        await self.ensure_platform(account_id=account_id)
        return await self._platform(account_id, lock=True)

    async def lock_free_platforms(self, account_ids: Collection[int]) -> Mapping[int, PlatformAccount]:
        """Like `lock_platform` for several accounts, without those that somebody else has locked, and missing ones."""
        return await self._repository.lock_free_platforms(account_ids)

    async def platforms(self, account_ids: Collection[int]) -> Mapping[int, PlatformAccount]:
        """Returns the limits of these accounts without a lock; makes missing ones."""
        found = await self._repository.platforms(account_ids)
        if len(found) == len(account_ids):
            return found
        for account_id in sorted(set(account_ids) - set(found)):
            await self.ensure_platform(account_id=account_id)
        return await self._repository.platforms(account_ids)

    async def read(self, *, ref: PathRef) -> AccountInfoData:
        """Raises AccountNotFound."""
        account = await self._existing(ref)
        return await self._info(account, await self.ensure_platform(account_id=account.account_id))

    async def public_name(self, *, ref: PathRef) -> str:
        return (await self._existing(ref)).display_name

    async def update(self, *, account_id: int, account_name: str, data: AccountUpdateData) -> AccountInfoData:
        """Changes language, tags, display name and time zone. Raises ValidationFailed for another change."""
        current = await self.ensure(account_id=account_id, account_name=account_name)
        problems = _forbidden_changes(current, data)
        if problems:
            raise ValidationFailed(problems)
        if data.time_zone is not None:
            await self._zones.write(account_id=account_id, zone=data.time_zone)  # models are locked before limits
        platform = await self._platform(account_id, lock=True)
        if data.language is not None:
            platform.language = data.language
        if data.tags is not None:
            platform.tags = data.tags
        if data.display_name is not None:
            platform.display_name = data.display_name
        if data.time_zone is not None:
            platform.time_zone = data.time_zone
        return await self._info(await self._existing(PathRef(id=account_id, name=None)), platform)

    async def touch(self, *, account_id: int) -> None:
        await self._activity.note_accounts({account_id: self._clock.now()})

    async def search(self, *, name: str | None, limit: int, skip: int) -> list[AccountInfoData]:
        rows = await self._repository.search(name=name, limit=limit, skip=skip)
        active = await self._activity.of_accounts([account.account_id for account, _ in rows])
        return [_info(account, platform, active.get(account.account_id), self._time_zone) for account, platform in rows]

    async def features(self, *, ref: PathRef) -> AccountFeatureData:
        """Returns every known feature, enabled or not."""
        account = await self._existing(ref)
        enabled = await self._repository.enabled_features(account.account_id)
        return AccountFeatureData(features=[FeatureData(name=f, enabled=f.value in enabled) for f in Feature])

    async def set_features(self, *, ref: PathRef, features: Mapping[Feature, bool], author: Author) -> None:
        account = await self._existing(ref)
        await self._set_features(account.account_id, features, author)

    async def set_limits(self, *, ref: PathRef, limits: AccountLimitsData, author: Author) -> AccountInfoData:
        account = await self._existing(ref)
        return await self._info(account, await self._set_limits(account.account_id, limits, author))

    async def changes(self, *, ref: PathRef, page: PageRequest) -> PagedAccountChanges:
        """Returns who changed limits, features and networks, and why. Raises AccountNotFound, ValidationFailed."""
        account = await self._existing(ref)
        return await self._changes.page(page, account_id=account.account_id)

    async def set_networks(self, *, ref: PathRef, networks: Sequence[str], author: Author) -> None:
        """An empty list allows calls from every address. Raises AccountNotFound, ValidationFailed."""
        allowed = normal(networks)
        account = await self._existing(ref)
        platform = await self.lock_platform(account_id=account.account_id)
        await self._changes.record(
            AccountChangeKind.NETWORKS_CHANGED,
            account_id=account.account_id,
            before={"whiteList": ", ".join(platform.allowed_networks or [])},
            after={"whiteList": ", ".join(allowed)},
            author=author,
        )
        platform.allowed_networks = allowed or None
        platform.version += 1
        await self._publish(account.account_id)

    async def access_by_ip(self, *, ref: PathRef, address: str) -> AccessByIp:
        """Raises AccountNotFound, ValidationFailed."""
        account = await self._existing(ref)
        platform = await self.ensure_platform(account_id=account.account_id)
        return AccessByIp(allowed=allows(platform.allowed_networks, address))

    async def bootstrap(
        self, *, account_id: int, features: Sequence[Feature], limits: AccountLimitsData | None
    ) -> None:
        """Enables the features and sets the limits. Publishes nothing when nothing changes.

        The account's own event may come later.
        """
        platform = await self.ensure_platform(account_id=account_id)
        enabled = await self._repository.enabled_features(account_id)
        if {feature.value for feature in features} - set(enabled):
            await self._set_features(account_id, dict.fromkeys(features, True), Author())
        if limits is not None and limits != _limits(platform):
            await self._set_limits(account_id, limits, Author())

    async def _set_features(self, account_id: int, features: Mapping[Feature, bool], author: Author) -> None:
        platform = await self.lock_platform(account_id=account_id)
        enabled = await self._repository.enabled_features(account_id)
        after = {feature.value: on for feature, on in features.items()}
        await self._changes.record(
            AccountChangeKind.FEATURES_CHANGED,
            account_id=account_id,
            before={name: name in enabled for name in after},
            after=after,
            author=author,
        )
        await self._repository.set_features(account_id, after)
        platform.version += 1
        await self._publish(account_id)

    async def _set_limits(self, account_id: int, limits: AccountLimitsData, author: Author) -> PlatformAccount:
        platform = await self.lock_platform(account_id=account_id)
        await self._changes.record(
            AccountChangeKind.LIMITS_CHANGED,
            account_id=account_id,
            before=_limits(platform).model_dump(by_alias=True),
            after=limits.model_dump(by_alias=True),
            author=author,
        )
        for name, value in limits.model_dump().items():
            setattr(platform, name, value)
        platform.version += 1
        await self._publish(account_id)
        return platform

    async def _info(self, account: Account, platform: PlatformAccount | None) -> AccountInfoData:
        active = await self._activity.of_accounts([account.account_id])
        return _info(account, platform, active.get(account.account_id), self._time_zone)

    async def _existing(self, ref: PathRef) -> Account:
        account = await self._repository.find(ref)
        if account is None:
            raise AccountNotFound
        return account

    async def _platform(self, account_id: int, *, lock: bool = False) -> PlatformAccount:
        platform = await self._repository.platform(account_id, lock=lock)
        if platform is None:
            raise AccountNotFound
        return platform

    async def _publish(self, account_id: int) -> None:
        platform = await self._platform(account_id)
        features = await self._repository.enabled_features(account_id)
        await self._outbox.add(limits_event(platform, features))


class FeatureGate:
    """Checks features in the database, not in a cache, so that disabling one takes effect at once."""

    def __init__(self, repository: AccountRepository) -> None:
        self._repository = repository

    async def has(self, access: Access, feature: Feature) -> bool:
        if access.principal.superadmin:
            return True
        return feature.value in await self._repository.enabled_features(access.account.account_id)

    async def demand(self, access: Access, feature: Feature) -> None:
        """Raises AccessDenied with the feature's name."""
        if not await self.has(access, feature):
            raise FeatureMissing(feature=feature.value)


def limits_event(platform: PlatformAccount, features: Iterable[str]) -> AccountLimitsChanged:
    return AccountLimitsChanged(
        version=platform.version,
        account_id=platform.account_id,
        predict_per_sec=platform.predict_per_sec,
        fit_per_minute=platform.fit_per_minute,
        features=tuple(sorted(features)),
        allowed_networks=None if platform.allowed_networks is None else tuple(platform.allowed_networks),
        storage_bytes=bytes_of(platform.storage_limit),
    )


def _placeholder(account_id: int, account_name: str) -> dict[str, object]:
    return {
        "account_id": account_id,
        "version": 0,
        "short_name": account_name,
        "display_name": account_name,
        "owner_user_id": 0,
        "email": "",
        "language": "EN",
        "active": True,
    }


def _forbidden_changes(current: AccountInfoData, data: AccountUpdateData) -> dict[str, Violation]:
    problems: dict[str, Violation] = {}
    if data.account_id != current.account_id:
        problems["accountId"] = broken("selected_account")
    if data.short_name != current.short_name:
        problems["shortName"] = broken("not_changed_here")
    if data.limits is not None and data.limits != current.limits:
        problems["limits"] = broken("platform_only")
    return problems


def _info(
    account: Account, platform: PlatformAccount | None, active_at: datetime | None, time_zone: str
) -> AccountInfoData:
    return AccountInfoData(
        account_id=account.account_id,
        short_name=account.short_name,
        limits=_limits(platform),
        language=(platform.language if platform else None) or account.language,
        tags=platform.tags if platform else {},
        display_name=(platform.display_name if platform else None) or account.display_name,
        last_activity=to_milliseconds(active_at) if active_at else None,
        email=account.email,
        time_zone=(platform.time_zone if platform else None) or time_zone,
    )


def _limits(platform: PlatformAccount | None) -> AccountLimitsData:
    if platform is None:
        return DEFAULT_LIMITS
    return AccountLimitsData.model_validate({name: getattr(platform, name) for name in AccountLimitsData.model_fields})
