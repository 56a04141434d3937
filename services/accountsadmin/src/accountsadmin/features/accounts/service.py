from collections.abc import Collection

from accountsadmin.features.accounts.errors import AccountNameTaken
from accountsadmin.features.accounts.naming import suggestions
from accountsadmin.features.accounts.repository import AccountRepository
from accountsadmin.features.accounts.schemas import AccountDetails, AccountInput
from accountsadmin.features.accounts.tables import Account
from accountsadmin.features.audit.schemas import SecurityEvent
from accountsadmin.features.audit.service import REASON, AuditLog
from accountsadmin.languages import Language
from mlplace_contracts.events import AccountChanged
from mlplace_contracts.internal.identity import AccountEntry
from mlplace_kit.clock import Clock
from mlplace_kit.errors import AccountNotFound
from mlplace_kit.names import PathRef, is_account_name
from mlplace_runtime.db.outbox import Publisher


class AccountService:
    def __init__(self, *, repository: AccountRepository, outbox: Publisher, audit: AuditLog, clock: Clock) -> None:
        self._repository = repository
        self._outbox = outbox
        self._audit = audit
        self._clock = clock

    async def create(
        self, *, short_name: str | None, display_name: str | None, owner_user_id: int, email: str, language: Language
    ) -> AccountEntry:
        """Creates an account, by default with a short name from the e-mail address. Raises AccountNameTaken."""
        for name in [short_name] if short_name else suggestions(email):
            account = await self._repository.add(
                {
                    "short_name": name,
                    "display_name": display_name or name,
                    "email": email,
                    "language": language,
                    "owner_user_id": owner_user_id,
                    "active": True,
                    "created_at": self._clock.now(),
                    "version": 1,
                }
            )
            if account:
                await self._outbox.add(_event(account))
                await self._audit.record(
                    SecurityEvent.ACCOUNT_CREATED, actor=owner_user_id, user=owner_user_id, account=account.id
                )
                return _entry(account)
        raise AccountNameTaken(name=short_name or email)

    async def ensure(
        self, *, short_name: str, display_name: str, owner_user_id: int, email: str, language: Language
    ) -> AccountEntry:
        """Returns the account with this short name, unchanged; creates it as described if it is missing."""
        ref = PathRef(id=None, name=short_name)
        known = await self.find(ref=ref)
        if known:
            return known
        try:
            return await self.create(
                short_name=short_name,
                display_name=display_name,
                owner_user_id=owner_user_id,
                email=email,
                language=language,
            )
        except AccountNameTaken:
            known = await self.find(ref=ref)
            if known is None:
                raise
            return known

    async def find(self, *, ref: PathRef) -> AccountEntry | None:
        if ref.name is not None and not is_account_name(ref.name):
            return None
        account = await self._repository.find(ref)
        return _entry(account) if account else None

    async def by_ids(self, *, account_ids: Collection[int]) -> list[AccountEntry]:
        """Returns the accounts sorted by id."""
        return [_entry(account) for account in await self._repository.by_ids(account_ids)] if account_ids else []

    async def details(self, *, account_id: int) -> AccountDetails:
        account = await self._repository.find(PathRef(id=account_id, name=None))
        if account is None:
            raise AccountNotFound
        return _details(account)

    async def change(self, *, account_id: int, wanted: AccountInput, actor: int | None) -> AccountDetails:
        values = wanted.model_dump(exclude_none=True)
        return await self._change(account_id, values, actor) if values else await self.details(account_id=account_id)

    async def set_active(
        self, *, account_id: int, active: bool, actor: int | None, reason: str | None = None
    ) -> AccountDetails:
        return await self._change(account_id, {"active": active}, actor, reason)

    async def _change(
        self, account_id: int, values: dict[str, object], actor: int | None, reason: str | None = None
    ) -> AccountDetails:
        account = await self._repository.change(account_id, values)
        if account is None:
            raise AccountNotFound
        await self._outbox.add(_event(account))
        changed = {name: str(value) for name, value in values.items()}
        if reason is not None:
            changed[REASON] = reason
        await self._audit.record(SecurityEvent.ACCOUNT_CHANGED, actor=actor, account=account_id, details=changed)
        return _details(account)


def _entry(account: Account) -> AccountEntry:
    return AccountEntry(
        account_id=account.id,
        short_name=account.short_name,
        display_name=account.display_name,
        owner_user_id=account.owner_user_id,
        active=account.active,
    )


def _details(account: Account) -> AccountDetails:
    return AccountDetails.model_validate({**_columns(account), "account_id": account.id})


def _event(account: Account) -> AccountChanged:
    return AccountChanged.model_validate({**_columns(account), "account_id": account.id})


def _columns(account: Account) -> dict[str, object]:
    names = ("short_name", "display_name", "email", "language", "owner_user_id", "active", "created_at", "version")
    return {name: getattr(account, name) for name in names}
