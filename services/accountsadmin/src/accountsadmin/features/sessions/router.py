from typing import Annotated

from fastapi import APIRouter, Path, Response

from accountsadmin.features.sessions.dependencies import SessionsDep
from accountsadmin.features.sessions.schemas import SessionData
from accountsadmin.paths import Id
from accountsadmin.signed_in import SignedInUser

router = APIRouter(prefix="/api/accountsadmin/c/sessions", tags=["sessions"])


@router.get("")
async def list_sessions(user: SignedInUser, sessions: SessionsDep) -> list[SessionData]:
    return await sessions.list_of(user_id=user.user_id, current_hash=user.session_hash)


@router.delete("/{sessionId}", response_class=Response)
async def end_session(
    user: SignedInUser,
    sessions: SessionsDep,
    session_id: Annotated[Id, Path(alias="sessionId")],
) -> None:
    await sessions.end_one(user_id=user.user_id, session_id=session_id)


@router.delete("", response_class=Response)
async def end_other_sessions(user: SignedInUser, sessions: SessionsDep) -> None:
    await sessions.end_all(user_id=user.user_id, actor=user.user_id, except_hash=user.session_hash)
