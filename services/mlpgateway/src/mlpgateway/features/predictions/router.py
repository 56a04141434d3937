"""Routes for predictions of an account and their webhooks. A key sees the predictions that were made with it."""

import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import StreamingResponse

from mlpgateway.features.predictions.schemas import (
    DeletedPredictionsData,
    DeliveryData,
    PredictionData,
    WebhookSecretData,
)
from mlpgateway.features.predictions.service import Predictions, event_of
from mlpgateway.features.predictions.states import Status
from mlpgateway.state import provided
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.errors import DomainError
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.errors import error_bytes
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpgateway/account/{account}", tags=["predictions"])
_CALLER = Member(KeyPermission.PREDICT, narrows=True)
Caller = Annotated[Access, Depends(_CALLER)]
Owner = Annotated[Access, Depends(Member(KeyPermission.WRITE))]


PredictionsDep = Annotated[Predictions, Depends(provided(Predictions))]


@router.get("/predictions")
async def list_predictions(
    access: Caller, service: PredictionsDep, page: PageDep, status: Annotated[Status | None, Query()] = None
) -> list[PredictionData]:
    """Lists the newest first, without their output."""
    return await service.listed(
        access.account.account_id, key_id=access.principal.key_id, status=status, limit=page.size, offset=page.offset
    )


@router.get("/predictions/{predictionId}", response_model=PredictionData)
async def get_prediction(
    predictionId: uuid.UUID,  # noqa: N803  the name on the wire
    access: Caller,
    service: PredictionsDep,
) -> Response:
    return _answer(await service.read(access.account.account_id, predictionId, key_id=access.principal.key_id))


@router.delete("/predictions")
async def delete_predictions(access: Caller, service: PredictionsDep) -> DeletedPredictionsData:
    """Deletes all finished predictions with their outputs. A key deletes those that were made with it."""
    deleted = await service.delete_all(access.account.account_id, key_id=access.principal.key_id)
    return DeletedPredictionsData(deleted=deleted)


@router.delete("/predictions/{predictionId}", status_code=204)
async def delete_prediction(
    predictionId: uuid.UUID,  # noqa: N803  the name on the wire
    access: Caller,
    service: PredictionsDep,
) -> None:
    """Deletes a finished prediction with its output. An open one has to be cancelled first."""
    await service.delete(access.account.account_id, predictionId, key_id=access.principal.key_id)


@router.get("/predictions/{predictionId}/output", response_class=Response)
async def get_prediction_output(
    predictionId: uuid.UUID,  # noqa: N803  the name on the wire
    access: Caller,
    service: PredictionsDep,
) -> Response:
    """Returns the model's answer unchanged."""
    pieces, is_json = await service.output(access.account.account_id, predictionId, key_id=access.principal.key_id)
    return StreamingResponse(pieces, media_type="application/json" if is_json else "application/octet-stream")


@router.post("/predictions/{predictionId}/cancel", response_model=PredictionData)
async def cancel_prediction(
    predictionId: uuid.UUID,  # noqa: N803  the name on the wire
    access: Caller,
    service: PredictionsDep,
) -> Response:
    """Cancels a prediction. A running one is stopped within seconds, and is free unless its answer came before."""
    return _answer(await service.cancel(access.account.account_id, predictionId, key_id=access.principal.key_id))


@router.get("/predictions/{predictionId}/events", response_class=StreamingResponse)
async def follow_prediction(
    predictionId: uuid.UUID,  # noqa: N803  the name on the wire
    access: Caller,
    service: PredictionsDep,
    request: Request,
) -> StreamingResponse:
    """Streams the states as server-sent events, named by the status, until the prediction is finished.

    The event `error` ends the stream of a caller who may not see the prediction any more.
    """
    account_id, key_id = access.account.account_id, access.principal.key_id
    await service.begin_following(account_id, predictionId, key_id=key_id)
    states = service.follow(account_id, predictionId, key_id=key_id, check=lambda: _CALLER.again(request))

    async def events() -> AsyncGenerator[bytes]:
        async with aclosing(states):
            try:
                async for state in states:
                    yield event_of(state)
            except DomainError as error:
                yield b"event: error\ndata: " + error_bytes(error, request.scope["mlp.request_id"]) + b"\n\n"

    return StreamingResponse(events(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


@router.get("/predictions/{predictionId}/deliveries")
async def list_deliveries(
    predictionId: uuid.UUID,  # noqa: N803  the name on the wire
    access: Caller,
    service: PredictionsDep,
) -> list[DeliveryData]:
    return await service.deliveries(access.account.account_id, predictionId, key_id=access.principal.key_id)


@router.post("/predictions/{predictionId}/deliveries/{deliveryId}/replay")
async def replay_delivery(
    predictionId: uuid.UUID,  # noqa: N803  the name on the wire
    deliveryId: uuid.UUID,  # noqa: N803  the name on the wire
    access: Caller,
    service: PredictionsDep,
) -> DeliveryData:
    """Sends the webhook again, starting over with the first attempt."""
    return await service.deliver_again(
        access.account.account_id, predictionId, deliveryId, key_id=access.principal.key_id
    )


@router.get("/webhook-secret")
async def get_webhook_secret(access: Owner, service: PredictionsDep) -> WebhookSecretData:
    return WebhookSecretData(secret=await service.secret(access.account.account_id, anew=False))


@router.post("/webhook-secret")
async def replace_webhook_secret(access: Owner, service: PredictionsDep) -> WebhookSecretData:
    """Replaces the secret at once: webhooks are signed with the new one from now on."""
    return WebhookSecretData(secret=await service.secret(access.account.account_id, anew=True))


def _answer(shown: PredictionData) -> Response:
    return Response(shown.as_json(), media_type="application/json")
