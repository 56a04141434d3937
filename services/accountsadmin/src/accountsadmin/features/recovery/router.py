from fastapi import APIRouter, BackgroundTasks, Depends, Request, Response

from accountsadmin.features.recovery.dependencies import RecoveryDep
from accountsadmin.features.recovery.schemas import ConfirmEmailInput, ForgotPasswordInput, ResetPasswordInput
from accountsadmin.origin import OriginDep
from accountsadmin.signed_in import SignedInUser
from accountsadmin.unit_of_work import ResourcesDep
from mlplace_runtime.auth.authenticator import refuse_cross_site
from mlplace_runtime.web.policy import Public


def _from_this_site(request: Request) -> None:
    """Refuses cross-site requests: these routes work without a session, so the session's own check is not enough."""
    refuse_cross_site(request)


router = APIRouter(prefix="/api/accountsadmin/c/authorization", tags=["authorization"])
_OPEN_TO_ALL = [Depends(Public()), Depends(_from_this_site)]


@router.post("/forgot-password", response_class=Response, dependencies=_OPEN_TO_ALL)
async def forgot_password(
    recovery: RecoveryDep,
    origin: OriginDep,
    resources: ResourcesDep,
    request: Request,
    tasks: BackgroundTasks,
    body: ForgotPasswordInput,
) -> None:
    """Sends a link for setting a new password. The response is the same if the login does not exist."""
    device = resources.cookies.device_of(request)
    recovery.send_later(await recovery.forgot(wanted=body, origin=origin, device=device), tasks)


@router.post("/reset-password", response_class=Response, dependencies=_OPEN_TO_ALL)
async def reset_password(
    recovery: RecoveryDep,
    origin: OriginDep,
    resources: ResourcesDep,
    request: Request,
    response: Response,
    body: ResetPasswordInput,
) -> None:
    """Sets a new password with the link's token, which works once and for 30 minutes. Ends all sessions of the user."""
    device = resources.cookies.device_of(request)
    resources.cookies.keep_device(response, await recovery.reset(wanted=body, origin=origin, device=device))


@router.post("/confirm-email", response_class=Response, dependencies=_OPEN_TO_ALL)
async def confirm_email(recovery: RecoveryDep, origin: OriginDep, body: ConfirmEmailInput) -> None:
    await recovery.confirm(wanted=body, origin=origin)


@router.post("/send-confirmation", response_class=Response)
async def send_email_confirmation(
    user: SignedInUser, recovery: RecoveryDep, origin: OriginDep, tasks: BackgroundTasks
) -> None:
    """Sends the link for confirming the address again, unless it is confirmed already."""
    mail = await recovery.ask_confirmation(user_id=user.user_id, login=user.login, origin=origin)
    recovery.send_later(mail, tasks)
