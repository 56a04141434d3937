from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from mlpbilling.features.refills.permissions import require_self_as_owner
from mlpbilling.features.welcome.dependencies import terms_of, welcome_of
from mlpbilling.features.welcome.schemas import WelcomeOffer
from mlpbilling.state import StateDep
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_kit.networks import subscriber_of
from mlplace_runtime.web.dependencies import SessionDep
from mlplace_runtime.web.policy import Access, MemberById

_ACCOUNT = "/api/mlpbilling/account/{accountId}"
router = APIRouter(tags=["refill"])
OwnerDep = Annotated[Access, Depends(MemberById(KeyPermission.WRITE, role=Role.OWNER, keys=False))]
UserId = Annotated[int, Path(alias="userId", ge=1, lt=2**63)]


@router.get(f"{_ACCOUNT}/user/{{userId}}/refill/welcome-bonus")
async def get_welcome_offer(access: OwnerDep, user_id: UserId, state: StateDep, session: SessionDep) -> WelcomeOffer:
    """Says whether the user may ask for the bonus, and how much it is."""
    require_self_as_owner(access, user_id)
    return await welcome_of(session, state).offer(user_id=user_id)


@router.post(f"{_ACCOUNT}/user/{{userId}}/refill/welcome-bonus", response_class=Response)
async def take_welcome_bonus(access: OwnerDep, user_id: UserId, state: StateDep, request: Request) -> None:
    """Gives the bonus once per person with a confirmed e-mail address, into an account that the user owns.

    If the installation sends no mail, no confirmation is required. The number of bonuses per day is limited, per
    network address and in total.
    """
    require_self_as_owner(access, user_id)
    terms_of(state).require_offer()
    person = await state.people.person(user_id=user_id)
    async with state.database.transaction() as session:
        await welcome_of(session, state).give(
            account_id=access.account.account_id,
            user_id=user_id,
            person=person,
            address=subscriber_of(request.client.host if request.client else ""),
        )
