"""Who calls, and who pays, once the credentials have been looked up."""

import msgspec

from mlplace_contracts.limits import KeyLimits


class Identity(msgspec.Struct, frozen=True):
    """`key_id` None: a person with a session. `allowed_models` None: every model that the account may call."""

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
    """`billing_key` is the text of the key that pays instead of the caller, which goes on to the instance.

    `limits` and `max_price_nano` are those of the key that pays; `allowed_models` too, where it is another one than the
    caller's.
    """

    account_id: int
    key_id: int | None
    billing_key: str | None
    limits: KeyLimits | None = None
    allowed_models: tuple[int, ...] | None = None
    max_price_nano: int | None = None
