from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Response

from mlpbilling.features.refills.dependencies import RefillServiceDep
from mlpbilling.features.refills.orders import RefillOrder, RefillSource, is_reserved
from mlpbilling.features.refills.permissions import require_self
from mlpbilling.features.refills.schemas import (
    BootstrapRefillRequest,
    ManualRefillRequest,
    RefillHistoryRow,
    RefillIncomeRequest,
)
from mlpbilling.state import StateDep
from mlplace_contracts.enums import Feature, KeyPermission, Role
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.money import to_nano
from mlplace_kit.violations import broken
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.policy import Access, AccountIdPath, Internal, MemberById, Superadmin

_ACCOUNT = "/api/mlpbilling/account/{accountId}"
router = APIRouter(tags=["refill"])
OwnerDep = Annotated[
    Access,
    Depends(MemberById(KeyPermission.WRITE, role=Role.OWNER, feature=Feature.PUBLIC_MODEL_ADMIN, keys=False)),
]
UserId = Annotated[int, Path(alias="userId", ge=1, lt=2**63)]
IdempotencyHeader = Annotated[StoredText | None, Header(alias="Idempotency-Key", min_length=1, max_length=255)]


@router.post(f"{_ACCOUNT}/user/{{userId}}/refill/income", response_class=Response)
async def refill_from_income(
    access: OwnerDep,
    user_id: UserId,
    body: RefillIncomeRequest,
    service: RefillServiceDep,
    state: StateDep,
    idempotency_key: IdempotencyHeader = None,
) -> None:
    """Moves income to the main balance. With an `Idempotency-Key`, a repeated request moves nothing."""
    require_self(access, user_id)
    if body.account_id != access.account.account_id:
        raise ValidationFailed({"accountId": broken("account_of_path")})
    if idempotency_key and is_reserved(idempotency_key):
        raise ValidationFailed({"Idempotency-Key": broken("reserved_prefix", prefix="payment:")})
    order = RefillOrder(
        account_id=access.account.account_id,
        source=RefillSource.REFILL_FROM_INCOME,
        currency=state.settings.currency,
        amount_nano=body.floored_nano(),
        user_id=user_id,
        **({"idempotency_key": idempotency_key} if idempotency_key else {}),
    )
    await service.refill(order=order)


@router.post("/api/mlpbilling/admin/account/{accountId}/refill")
async def refill_account(
    access: Annotated[Access, Depends(Superadmin())],
    account_id: Annotated[AccountIdPath, Path(alias="accountId")],
    body: ManualRefillRequest,
    service: RefillServiceDep,
) -> RefillHistoryRow:
    """Refills an account as an administrator. The key makes repetitions harmless; the comment is stored."""
    return await service.refill_known(
        order=RefillOrder(
            account_id=account_id,
            source=RefillSource.REQUEST_FROM_AA,
            currency=body.currency,
            amount_nano=to_nano(body.amount_currency),
            user_id=access.principal.user_id,
            comment=body.comment,
            idempotency_key=body.idempotency_key,
        )
    )


@router.post("/internal/mlpbilling/bootstrap/refill", dependencies=[Depends(Internal())], include_in_schema=False)
async def bootstrap_refill(body: BootstrapRefillRequest, service: RefillServiceDep) -> RefillHistoryRow:
    """Refills an account for the installation, as for the demo. The account may be unknown to this service yet."""
    return await service.refill(
        order=RefillOrder(
            account_id=body.account_id,
            source=RefillSource.REQUEST_FROM_AA,
            currency=body.currency,
            amount_nano=body.amount_nano,
            comment="bootstrap",
            idempotency_key=body.idempotency_key,
        )
    )
