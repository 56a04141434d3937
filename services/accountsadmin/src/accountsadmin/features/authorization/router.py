from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Depends, Request, Response

from accountsadmin.cookies import NamedAccountDep
from accountsadmin.features.authorization.schemas import (
    ChangePasswordInput,
    LoginInput,
    RegisterInput,
    SignedInData,
)
from accountsadmin.features.authorization.service import Authorization, Browser, NewSession
from accountsadmin.features.recovery.dependencies import RecoveryDep
from accountsadmin.origin import OriginDep
from accountsadmin.signed_in import SignedInUser
from accountsadmin.unit_of_work import Resources, ResourcesDep
from mlplace_runtime.auth.authenticator import refuse_cross_site
from mlplace_runtime.web.policy import Public

router = APIRouter(prefix="/api/accountsadmin/c/authorization", tags=["authorization"])


def _from_this_site(request: Request) -> None:
    """Refuses cross-site requests: these routes work without a session, so the session's own check is not enough."""
    refuse_cross_site(request)


def _browser(request: Request, origin: OriginDep, named: NamedAccountDep, resources: ResourcesDep) -> Browser:
    cookies = resources.cookies
    return Browser(origin=origin, session=cookies.session_of(request), account=named, device=cookies.device_of(request))


def _authorization(resources: ResourcesDep) -> Authorization:
    return Authorization(open_work=resources.open_work, passwords=resources.passwords)


BrowserDep = Annotated[Browser, Depends(_browser)]
AuthorizationDep = Annotated[Authorization, Depends(_authorization)]
_OPEN_TO_ALL = [Depends(Public()), Depends(_from_this_site)]


@router.post("/login", dependencies=_OPEN_TO_ALL)
async def sign_in(
    authorization: AuthorizationDep,
    browser: BrowserDep,
    resources: ResourcesDep,
    response: Response,
    body: LoginInput,
) -> SignedInData:
    return _keep(resources, response, await authorization.sign_in(wanted=body, browser=browser))


@router.post("/register", dependencies=_OPEN_TO_ALL)
async def register(
    authorization: AuthorizationDep,
    recovery: RecoveryDep,
    tasks: BackgroundTasks,
    browser: BrowserDep,
    resources: ResourcesDep,
    response: Response,
    body: RegisterInput,
) -> SignedInData:
    session = await authorization.register(wanted=body, browser=browser)
    recovery.send_later(await recovery.welcome(user_id=session.data.user_id, origin=browser.origin), tasks)
    return _keep(resources, response, session)


@router.post("/logout", response_class=Response, dependencies=_OPEN_TO_ALL)
async def sign_out(
    authorization: AuthorizationDep, browser: BrowserDep, resources: ResourcesDep, response: Response
) -> None:
    await authorization.sign_out(browser=browser)
    resources.cookies.forget_session(response)
    resources.cookies.forget_account(response)


@router.post("/change-password", response_class=Response)
async def change_password(
    user: SignedInUser,
    authorization: AuthorizationDep,
    origin: OriginDep,
    resources: ResourcesDep,
    response: Response,
    body: ChangePasswordInput,
) -> None:
    fresh = await authorization.change_password(user=user, wanted=body, origin=origin)
    resources.cookies.keep_session(response, fresh)


def _keep(resources: Resources, response: Response, session: NewSession) -> SignedInData:
    resources.cookies.keep_session(response, session.secret)
    resources.cookies.keep_device(response, session.device)
    if session.data.account_id is None:
        resources.cookies.forget_account(response)
    else:
        resources.cookies.keep_account(response, session.data.account_id)
    return session.data
