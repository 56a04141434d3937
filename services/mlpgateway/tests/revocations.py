"""How callers lose the right to call, and what each entry shows a caller who loses it in the middle of an answer.

ENDS has a row for each entry of `entry/call_options.py`, and for each body that asks for a stream. REVOCATIONS has a row
for each way to lose the right. The tests combine them: `test_revocation.py` and `http_instances/test_revocation.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from itertools import count
from types import SimpleNamespace
from typing import Any

from mlplace_contracts.events import ApiKeyChanged, BalanceChanged, ModelPublicity, ModelTimeouts
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import Currency

PUBLIC = ModelPublicity(is_public=True, hidden=False, public_testing_allowed=True)
HIDDEN = ModelPublicity(is_public=False, hidden=False, public_testing_allowed=True)
KEY_SECONDS = 60
"""The time until the caller's key expires."""
TIMEOUTS = ModelTimeouts(pod_start=3600, predict=3600, fit=3600)
"""Longer than a test waits: no timeout of the model ends what a revocation should have ended."""


class End(StrEnum):
    """How an answer ends whose caller loses the right to call, after its first part was sent."""

    LINE = "the last line is the error"
    EVENT = "the last event is the error, in OpenAI's form"
    MESSAGE = "the last message has the error"
    CUT = "the connection closes before the end of the body: its format has no place for an error"
    WHOLE = "it does not: who waits for a whole answer gets it, and pays"
    NONE = "no model is called"


ENDS: Mapping[str, End] = {
    "predict": End.WHOLE,
    "predictWithConfig": End.WHOLE,
    "predictWithConfig_v2": End.WHOLE,
    "predictWithConfig_v2_stream": End.LINE,
    "ext": End.WHOLE,
    "servletPredict": End.WHOLE,
    "tryWithoutSigningIn": End.WHOLE,
    "httpInterface": End.CUT,
    "openaiChatCompletions": End.WHOLE,
    "openaiChatCompletions, streamed": End.EVENT,
    "openaiCompletions": End.WHOLE,
    "openaiCompletions, streamed": End.EVENT,
    "openaiDirectChatCompletions": End.WHOLE,
    "openaiDirectChatCompletions, streamed": End.EVENT,
    "openaiEmbeddings": End.WHOLE,
    "openaiImages": End.WHOLE,
    "openaiSpeech": End.CUT,
    "openaiTranscriptions": End.WHOLE,
    "openaiModels": End.NONE,
    "openaiModel": End.NONE,
    "ttsByQuery": End.CUT,
    "ttsByBody": End.CUT,
    "tts": End.CUT,
    "postTts": End.CUT,
    "process": End.WHOLE,
    "processResponseStream": End.MESSAGE,
    "processStream": End.MESSAGE,
    "processSynthesis": End.MESSAGE,
    "processRecognition": End.MESSAGE,
    "control": End.NONE,
    "controlReads": End.NONE,
}
"""By the names of `entries.py`. WebSockets close with the code 1008 and the error's code as the reason."""


@dataclass
class Held:
    """A caller whose key may call the model, until `revoke`. `world` and `kit` are those of conftest.py."""

    world: Any
    kit: SimpleNamespace
    clock: ManualClock
    model: Mapping[str, object]
    key: ApiKeyChanged = field(init=False)
    secret: str = field(init=False)
    _versions: "count[int]" = field(default_factory=lambda: count(2))

    def __post_init__(self) -> None:
        expires_at = self.clock.now() + timedelta(seconds=KEY_SECONDS)
        self.key, self.secret = self.world.key_event(self.kit.DEMO, expires_at=expires_at)
        self.world.know(self.key)

    @property
    def headers(self) -> dict[str, str]:
        return {"MLP-API-KEY": self.secret}

    def change_key(self, **about: object) -> None:
        self.world.know(self.key.model_copy(update={"version": next(self._versions), **about}))

    def change_model(self, **about: object) -> None:
        self.world.know(self.kit.model_changed(**{**self.model, **about}))

    def block_account(self) -> None:
        self.world.know(self.kit.account_changed(self.kit.DEMO, "demo", active=False))

    def block_owner(self) -> None:
        """mlpcore announces the models of an account that is blocked as deleted."""
        self.world.know(self.kit.account_changed(self.kit.ACME, "acme", active=False))
        self.change_model(active=False)

    def block_for_debt(self) -> None:
        self.world.know(
            BalanceChanged(
                version=next(self._versions), account_id=self.kit.DEMO, currency=Currency.RUBLE, main_nano=-1,
                income_nano=0, blocked=True,
            )
        )  # fmt: skip

    def leave_network(self) -> None:
        event = self.kit.limits_changed(self.kit.DEMO)
        self.world.know(event.model_copy(update={"allowed_networks": ("192.0.2.0/24",)}))

    async def look(self) -> None:
        """Looks at the open streams once, as the loop of the gate does every second.

        What the gate remembers of keys and sessions does not expire meanwhile: the clock stands still.
        """
        await self.world.components.pipeline.open_streams.look()
        await self.world.components.pipeline.open_streams.ask()


@dataclass(frozen=True, slots=True)
class Revocation:
    """`status` and `code` are those of the refusal. `of_key`: callers without a key do not lose their right."""

    status: int
    code: str
    revoke: Callable[[Held], None]
    shown: ModelPublicity = PUBLIC
    """Who sees the model at first."""
    of_key: bool = False


REVOCATIONS: Mapping[str, Revocation] = {
    "key deleted": Revocation(401, "mlp.gate.unauthorized", lambda held: held.change_key(active=False), of_key=True),
    "key expired": Revocation(
        401, "mlp.gate.unauthorized", lambda held: held.clock.advance(timedelta(seconds=KEY_SECONDS)), of_key=True
    ),
    "key may call no model": Revocation(
        403, "mlp.gate.access_denied", lambda held: held.change_key(permissions=("read",)), of_key=True
    ),
    "key may call another model": Revocation(
        403, "mlp.gate.access_denied", lambda held: held.change_key(allowed_models=(7,)), of_key=True
    ),
    "account blocked": Revocation(401, "mlp.gate.unauthorized", Held.block_account),
    "account blocked for a debt": Revocation(403, "mlp.billing.account_blocked", Held.block_for_debt),
    "address outside the account's networks": Revocation(
        403, "mlp.gate.access_denied_for_account_from_ip", Held.leave_network
    ),
    "model deleted": Revocation(404, "mlp.gate.model_not_found", lambda held: held.change_model(active=False)),
    "model made private": Revocation(404, "mlp.gate.model_not_found", lambda held: held.change_model(publicity=HIDDEN)),
    "account's right to the model withdrawn": Revocation(
        404,
        "mlp.gate.model_not_found",
        lambda held: held.change_model(publicity=HIDDEN),
        HIDDEN.model_copy(update={"allowed_accounts": (1000000002,)}),
    ),
    "owner's account blocked": Revocation(404, "mlp.gate.model_not_found", Held.block_owner),
    "model made a prototype": Revocation(
        400, "mlp.gate.prototype_not_callable", lambda held: held.change_model(prototype=True)
    ),
}
