"""Webhooks according to Standard Webhooks (standardwebhooks.com): signed, and repeated until they are accepted."""

import base64
import hashlib
import hmac
import secrets
import uuid
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final, cast

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.features.predictions.fair_turns import claim_in_turns
from mlpgateway.features.predictions.outputs import IN_ROW_BYTES
from mlpgateway.features.predictions.schemas import PredictionData
from mlpgateway.features.predictions.states import WebhookEvent
from mlpgateway.features.predictions.tables import Prediction, WebhookDelivery, WebhookSecret
from mlpgateway.features.storage.counting import ROW_BYTES, Kind, StoredBytes
from mlpgateway.shares.share import Holder, Share
from mlplace_runtime.db.claims import DueRows
from mlplace_runtime.db.sealed import SealedColumn
from mlplace_runtime.secrets import Vault

PAUSES: Final = (5, 30, 120, 600, 1800, 7200, 18_000, 36_000)
"""Seconds to wait after each failed attempt; after the last pause one more attempt is made."""
_PREFIX: Final = "whsec_"
_SECRET_BYTES: Final = 32
_CLAIM: Final = timedelta(minutes=2)
_CLAIMS: Final = DueRows(
    WebhookDelivery,
    key=WebhookDelivery.id,
    due=WebhookDelivery.next_at,
    waiting=WebhookDelivery.next_at.is_not(None),
    attempts=WebhookDelivery.attempts,
)


def signature(secret: str, *, message_id: str, timestamp: int, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(_PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def new_secret() -> str:
    return _PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


class WebhookRepository:
    """All SQL on webhooks."""

    def __init__(self, session: AsyncSession, vault: Vault) -> None:
        self._session = session
        self._vault = vault

    async def secret(self, account_id: int) -> str:
        """Returns the secret, which is created on first use."""
        sealed = WEBHOOK_SECRETS.seal(new_secret(), self._vault, account_id=account_id)
        made = {"account_id": account_id, "sealed": sealed}
        await self._session.execute(insert(WebhookSecret).values(**made).on_conflict_do_nothing())
        statement = sa.select(WebhookSecret.sealed).where(WebhookSecret.account_id == account_id)
        sealed = (await self._session.execute(statement)).scalar_one()
        return WEBHOOK_SECRETS.open(sealed, self._vault, account_id=account_id)

    async def replace_secret(self, account_id: int) -> str:
        statement = sa.delete(WebhookSecret).where(WebhookSecret.account_id == account_id)
        await self._session.execute(statement)
        return await self.secret(account_id)

    async def add_delivery(self, row: Prediction, event: WebhookEvent, now: datetime) -> bool:
        """Adds a delivery in the transaction that causes the event. Returns False when nobody asked for it."""
        if row.webhook_url is None or event.value not in row.webhook_events:
            return False
        data = PredictionData.of(row, most_output=IN_ROW_BYTES).document()
        body = orjson.dumps({"type": event.value, "timestamp": now.isoformat(), "data": data})
        self._session.add(
            WebhookDelivery(
                id=uuid.uuid4(), account_id=row.account_id, prediction_id=row.id, event=event.value,
                url=row.webhook_url, body=body, stored_bytes=ROW_BYTES + len(body), attempts=0, next_at=sa.func.now(),
            )
        )  # fmt: skip
        await self._session.flush()
        await StoredBytes(self._session).change(row.account_id, Kind.PREDICTIONS, size=ROW_BYTES + len(body))
        return True

    async def due_in(self, *, but: Collection[Holder] = ()) -> float | None:
        """Returns the seconds until the next one of other accounts is due; None when there is none."""
        statement = sa.select(sa.func.min(WebhookDelivery.next_at) - sa.func.now())
        others = WebhookDelivery.account_id.not_in([*but])
        left = (await self._session.execute(statement.where(others))).scalar_one()
        return None if left is None else left.total_seconds()

    async def of_prediction(self, account_id: int, prediction_id: uuid.UUID) -> list[WebhookDelivery]:
        mine = WebhookDelivery.account_id == account_id, WebhookDelivery.prediction_id == prediction_id
        statement = sa.select(WebhookDelivery).where(*mine).order_by(WebhookDelivery.created_at)
        return list((await self._session.execute(statement)).scalars())

    async def again(self, account_id: int, prediction_id: uuid.UUID, delivery_id: uuid.UUID) -> WebhookDelivery | None:
        mine = sa.and_(
            WebhookDelivery.account_id == account_id,
            WebhookDelivery.prediction_id == prediction_id,
            WebhookDelivery.id == delivery_id,
        )
        values = {"attempts": 0, "next_at": sa.func.now(), "delivered_at": None}
        statement = sa.update(WebhookDelivery).where(mine).values(**values).returning(WebhookDelivery)
        return (await self._session.execute(statement)).scalar_one_or_none()

    async def claim(self, limit: int, share: Share) -> list[WebhookDelivery]:
        """Claims due deliveries for this process, accounts in turns. If the process dies, they are due again soon.

        Each one takes from the share, and whoever sends it gives that back.
        """
        of = WebhookDelivery.id, WebhookDelivery.account_id, cast("sa.ColumnElement[object]", WebhookDelivery.next_at)

        async def claim(wanted: Collection[uuid.UUID]) -> list[WebhookDelivery]:
            mine = WebhookDelivery.id.in_(wanted)
            return await _CLAIMS.claim(self._session, mine, now=sa.func.now(), lease=_CLAIM)

        return await claim_in_turns(self._session, of, _CLAIMS.free(sa.func.now()), share, limit, claim)

    async def settle(
        self, claimed: WebhookDelivery, *, status: int | None, error: str | None, delivered: bool, pause: int | None
    ) -> None:
        """Stores the result of an attempt, unless its claim is lost. `pause` None: no further attempt."""
        values = {
            "last_status": status,
            "last_error": error,
            "delivered_at": sa.func.now() if delivered else None,
            "next_at": None if pause is None else sa.func.now() + timedelta(seconds=pause),
        }
        mine = _CLAIMS.update(claimed.next_at, WebhookDelivery.id == claimed.id)
        await self._session.execute(mine.values(**values), execution_options={"synchronize_session": False})

    async def forget(self, age: timedelta) -> None:
        await self._forget(WebhookDelivery.created_at < sa.func.now() - age)

    async def forget_of(self, predictions: Collection[uuid.UUID]) -> None:
        """Deletes ended deliveries of these predictions."""
        await self._forget(WebhookDelivery.prediction_id.in_(predictions))

    async def _forget(self, which: sa.ColumnElement[bool]) -> None:
        statement = sa.delete(WebhookDelivery).where(WebhookDelivery.next_at.is_(None), which)
        gone = await self._session.execute(
            statement.returning(WebhookDelivery.account_id, WebhookDelivery.stored_bytes)
        )
        lost = [(row[0], row[1]) for row in gone]
        await StoredBytes(self._session).gone(Kind.PREDICTIONS, lost, counted=False)


WEBHOOK_SECRETS: Final = SealedColumn(
    "secrets of webhooks",
    WebhookSecret,
    key=WebhookSecret.account_id,
    sealed=WebhookSecret.sealed,
    purpose="webhooks of account {account_id}",
)
