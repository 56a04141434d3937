"""Caller and payer of a call, after their credentials were looked up."""

from datetime import datetime

import msgspec

from mlplace_contracts.limits import KeyLimits


class Identity(msgspec.Struct, frozen=True):
    """The caller. `key_id` is None for a session. `allowed_models` None: every model that the account may call."""

    account_id: int
    key_id: int | None
    may_predict: bool
    allowed_models: tuple[int, ...] | None
    limits: KeyLimits | None = None
    max_price_nano: int | None = None

    @property
    def is_person(self) -> bool:
        return self.key_id is None


class Payer(msgspec.Struct, frozen=True):
    """The account and the key that pay for a call.

    `billing_key` is the text of the key that pays instead of the caller's; the instance receives it. `limits` and
    `max_price_nano` belong to the key that pays. So does `allowed_models`, which is set only when that key is not the
    caller's.
    """

    account_id: int
    key_id: int | None
    billing_key: str | None
    limits: KeyLimits | None = None
    allowed_models: tuple[int, ...] | None = None
    max_price_nano: int | None = None


class StandingCaller(msgspec.Struct, frozen=True):
    """Who calls and who pays, for each call with the same credentials until `expires_at`, or until an event changes
    the key or its account.
    """

    identity: Identity
    payer: Payer
    expires_at: datetime | None

    def is_valid(self, now: datetime) -> bool:
        return self.expires_at is None or now < self.expires_at
