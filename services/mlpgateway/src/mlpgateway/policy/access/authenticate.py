"""The first stage: finds the caller and the payer."""

from mlpgateway.call.call import Caller
from mlpgateway.call.identity import Identity, Payer, StandingCaller
from mlpgateway.errors.calls import BillingKeyNotValid
from mlpgateway.policy.access.keyring import Keyring
from mlpgateway.readmodels.accounts import Accounts
from mlplace_contracts.enums import KeyPermission
from mlplace_contracts.internal.identity import SessionIdentity
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.errors import AccountNotSelected, NotAuthorized
from mlplace_kit.passes import PREFIX, PagePass
from mlplace_runtime.auth.principal import from_session
from mlplace_runtime.auth.sources import SessionSource


class Passes:
    """Reads passes: credentials that let a person open one service's page."""

    def __init__(self, hasher: KeyedHasher, clock: Clock) -> None:
        self._hasher = hasher
        self._clock = clock

    def read(self, text: str) -> PagePass | None:
        """Returns the pass, None when it is invalid or has expired."""
        return PagePass.read(text, self._hasher, self._clock.now())


class Authenticate:
    def __init__(
        self, *, keyring: Keyring, sessions: SessionSource, accounts: Accounts, passes: Passes | None = None
    ) -> None:
        """`passes` reads passes to pages of services; None refuses them all."""
        self._passes = passes
        self._keyring = keyring
        self._sessions = sessions
        self._accounts = accounts

    async def caller(self, caller: Caller) -> Identity:
        """Returns the caller. Raises NotAuthorized for a missing or invalid credential, AccountNotSelected."""
        if caller.credential is None:
            raise NotAuthorized
        if caller.credential_is_session:
            return await self._by_session(caller.credential, caller.selected_account)
        if caller.credential.startswith(PREFIX):
            return self._by_pass(caller.credential)
        identity = await self._keyring.identify(caller.credential)
        if identity is None:
            raise NotAuthorized
        return identity

    async def again(self, caller: Caller, identity: Identity) -> Identity:
        """Like `caller`, for one who was found before.

        A pass that has expired since then opens no further page, but ends nothing.
        """
        if caller.credential is None or not caller.credential.startswith(PREFIX):
            return await self.caller(caller)
        self.expect_open(identity)
        return identity

    def expect_open(self, identity: Identity) -> None:
        """Raises NotAuthorized for a caller whose account is shut."""
        if self._accounts.is_shut(identity.account_id):
            raise NotAuthorized

    def asks_others(self, caller: Caller) -> bool:
        """Returns whether `again` or `payer` may ask another service."""
        if caller.credential_is_session:
            return True
        keys = (caller.credential, caller.billing_key)
        return any(key and not key.startswith(PREFIX) and not self._keyring.has(key) for key in keys)

    def known(self, caller: Caller) -> Identity | None:
        """Like `caller`, without a request to another service. After None, `caller` may still find the identity."""
        if caller.credential is None or caller.credential_is_session or caller.credential.startswith(PREFIX):
            return None
        return self._keyring.known(caller.credential)

    def standing(self, caller: Caller) -> StandingCaller | None:
        """Returns caller and payer of each call with these credentials; None when each call must be looked up anew.

        That is the case for sessions, passes, keys that pay for others, and keys that the read model does not have.
        """
        key = caller.credential
        if key is None or caller.credential_is_session or caller.billing_key or key.startswith(PREFIX):
            return None
        found = self._keyring.standing(key)
        return None if found is None else StandingCaller(found[0], _own_payer(found[0]), found[1])

    async def payer(self, caller: Caller, identity: Identity) -> Payer:
        """Returns the account of the billing key if one is given, else the caller's. Raises BillingKeyNotValid."""
        if not caller.billing_key:
            return _own_payer(identity)
        paying = await self._keyring.identify(caller.billing_key)
        if paying is None or not paying.may_predict:
            raise BillingKeyNotValid
        return Payer(
            paying.account_id,
            paying.key_id,
            caller.billing_key,
            paying.limits,
            paying.allowed_models,
            paying.max_price_nano,
        )

    def _by_pass(self, text: str) -> Identity:
        """Returns the person that the pass was made for, limited to the pass's model."""
        found = self._passes.read(text) if self._passes is not None else None
        if found is None or self._accounts.is_shut(found.account_id):
            raise NotAuthorized
        return Identity(found.account_id, None, may_predict=True, allowed_models=(found.model_id,))

    async def _by_session(self, secret: str, selected: int | None) -> Identity:
        session = await self._sessions.session(secret)
        if session is None:
            raise NotAuthorized
        grant = from_session(session, selected or _only_account(session)).selected
        if grant is None or self._accounts.is_shut(grant.account_id):
            raise AccountNotSelected
        return Identity(grant.account_id, None, KeyPermission.PREDICT in grant.permissions, None)


def _own_payer(identity: Identity) -> Payer:
    return Payer(identity.account_id, identity.key_id, None, identity.limits, None, identity.max_price_nano)


def _only_account(session: SessionIdentity) -> int | None:
    return session.memberships[0].account_id if len(session.memberships) == 1 else None
