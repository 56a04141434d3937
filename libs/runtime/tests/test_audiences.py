from fastapi import APIRouter, Depends

from mlplace_runtime.web.app import create_app
from mlplace_runtime.web.policy import Internal, Public, Scraper, SessionOnly, Superadmin

router = APIRouter()


@router.get("/things", dependencies=[Depends(Public())])
async def list_things() -> None: ...


@router.post("/things", dependencies=[Depends(SessionOnly())])
async def add_thing() -> None: ...


@router.delete("/things", dependencies=[Depends(Superadmin())])
async def delete_things() -> None: ...


administration = APIRouter(prefix="/admin", dependencies=[Depends(Superadmin())])


@administration.get("/accounts")
async def list_accounts() -> None: ...


@router.put("/things", dependencies=[Depends(Internal())])
async def replace_things() -> None: ...


@router.get("/scraped", dependencies=[Depends(Scraper())])
async def scrape_things() -> None: ...


class TestAudience:
    def test_only_operations_that_few_may_call_name_their_audience(self) -> None:
        app = create_app(name="things", title="Things", version="1", routers=[router, administration])
        told = {
            (path, method): operation.get("x-audience")
            for path, operations in app.openapi()["paths"].items()
            for method, operation in operations.items()
        }
        assert told == {
            ("/things", "get"): None,
            ("/things", "post"): None,
            ("/things", "delete"): "superadmin",
            ("/things", "put"): "internal",
            ("/scraped", "get"): "internal",
            ("/admin/accounts", "get"): "superadmin",
        }
