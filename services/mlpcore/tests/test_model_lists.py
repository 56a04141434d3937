import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.models.tables import Model
from mlplace_contracts.enums import KeyPermission
from mlplace_contracts.events import ModelChanged
from mlplace_runtime.db.database import Database
from mlplace_testing.events import published
from mlplace_testing.identities import Identities
from mlplace_testing.statements import Statements
from mlplace_testing.world import World

from .derivation import derive

ACME = "/api/mlpcore/account/acme"
GLOBEX = "/api/mlpcore/account/globex"
MODELS = "/api/mlpcore/models"


async def _names(client: httpx.AsyncClient, url: str, headers: dict[str, str] | None = None) -> list[str]:
    answer = await client.get(url, headers=headers or {})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    records = body["records"] if isinstance(body, dict) else body
    return [record["modelName"] for record in records]


@pytest.fixture
async def catalogue(client: httpx.AsyncClient, publisher: World) -> World:
    """acme: own-private (ner, ru), own-public (tts); globex: public (ner), hidden, private, shared (with acme)."""

    async def make(account: str, name: str, headers: dict[str, str], public: dict[str, object], **data: object) -> None:
        url = f"/api/mlpcore/account/{account}/model"
        assert (await client.post(url, json={"modelName": name} | data, headers=headers)).status_code == 200
        if public:
            answer = await client.post(f"{url}/{name}/public-settings", json=public, headers=headers)
            assert answer.status_code == 200, answer.text

    w = publisher
    await make("acme", "own-private", w.owner, {}, taskType="ner", languages=["ru", "en"], displayName="Имена")
    await make("acme", "own-public", w.owner, {"isPublic": True}, taskType="tts", displayAuthor="Bob")
    await make(
        "globex", "public", w.stranger, {"isPublic": True, "featured": True, "featuredListOrder": 2}, taskType="ner"
    )
    await make("globex", "hidden", w.stranger, {"isPublic": True, "hidden": True, "featured": True})
    await make("globex", "private", w.stranger, {})
    await make("globex", "shared", w.stranger, {"allowedAccounts": [1000000001]})
    return w


class TestAccountList:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("", ["own-private", "own-public", "public", "shared"]),
            ("onlyMy=true", ["own-private", "own-public"]),
            ("onlyPublic=true", ["own-public", "public"]),
            ("onlyMy=true&onlyPublic=true", ["own-public"]),
            ("onlyPrivate=true", ["own-private", "shared"]),
            ("onlyMy=true&onlyPrivate=true", ["own-private"]),
            ("onlyOthers=true", ["public", "shared"]),
            ("onlyOthers=true&onlyMy=true", []),
            ("onlyRestricted=true", ["shared"]),
            ("onlyFitted=true", []),
            ("onlyMy=true&withFavorites=true", ["own-private", "own-public", "public"]),
            ("withFavorites=true", ["public"]),
            ("accountField=LOB", ["public", "shared"]),
            ("accountField=1000000002", ["public", "shared"]),
            ("modelField=OWN", ["own-private", "own-public"]),
            ("modelField=имена", ["own-private"]),
            ("modelField=%25", []),
            ("displayAuthor=bo", ["own-public"]),
            ("taskType=ner", ["own-private", "public"]),
            ("language=ru", ["own-private"]),
            ("groupId=0&onlyMy=true", ["own-private", "own-public"]),
            ("groupId=77", []),
            ("imageId=77", []),
            ("dataImageId=77", []),
        ],
    )
    async def test_filter_selects_models(
        self, client: httpx.AsyncClient, catalogue: World, query: str, expected: list[str]
    ) -> None:
        await client.post(f"{GLOBEX}/model/public/favorite", json=True, headers=catalogue.owner)
        found = await _names(client, f"{ACME}/model?sort=modelName,asc&{query}", catalogue.owner)
        assert found == expected

    async def test_fitted_filter_selects_models_trained_from_another(
        self, client: httpx.AsyncClient, catalogue: World, database: Database
    ) -> None:
        base = (await client.get(f"{ACME}/model/own-public", headers=catalogue.owner)).json()["id"]
        made = await client.post(f"{ACME}/model", json={"modelName": "fitted"}, headers=catalogue.owner)
        await derive(database, made.json()["id"], base=base)
        assert await _names(client, f"{ACME}/model?onlyFitted=true", catalogue.owner) == ["fitted"]

    @pytest.mark.parametrize(
        "field",
        [
            "id",
            "name",
            "displayName",
            "modelAccountName",
            "taskType",
            "hostingType",
            "lastActivity",
            "featuredListOrder",
        ],
    )
    async def test_pages_in_any_order_show_each_model_once(
        self, client: httpx.AsyncClient, catalogue: World, field: str
    ) -> None:
        for direction in ("asc", "desc"):
            seen: list[str] = []
            for page in range(3):
                url = f"{ACME}/model?sort={field},{direction}&size=2&page={page}"
                body = (await client.get(url, headers=catalogue.owner)).json()
                assert body["paging"]["totalElements"] == 4
                seen += [record["modelName"] for record in body["records"]]
            assert sorted(seen) == ["own-private", "own-public", "public", "shared"]

    async def test_list_is_paged_and_sorted(self, client: httpx.AsyncClient, catalogue: World) -> None:
        url = f"{ACME}/model?sort=name,desc&page=1&size=3"
        body = (await client.get(url, headers=catalogue.owner)).json()
        assert [record["modelName"] for record in body["records"]] == ["own-private"]
        assert body["paging"] == {"totalElements": 4, "totalPages": 2, "pageNumber": 1, "pageSize": 3}
        assert await _names(client, f"{ACME}/model?onlyMy=true", catalogue.owner) == ["own-public", "own-private"]

    async def test_number_of_queries_does_not_depend_on_the_number_of_rows(
        self, client: httpx.AsyncClient, world: World, database: Database, statements: Statements
    ) -> None:
        image = await client.post(f"{ACME}/image", json={"name": "i", "image": "a/b"}, headers=world.owner)
        body = {"modelName": "m0", "imageId": image.json()["id"]["imageId"]}
        await client.post(f"{ACME}/model", json=body, headers=world.owner)
        columns = [c.name for c in Model.__table__.columns if c.name not in {"model_id", "name"} and c.computed is None]
        copies = sa.select(*(sa.column(c) for c in columns), sa.literal_column("'m' || n")).select_from(
            sa.text("model, generate_series(1, 200) n")
        )
        async with database.transaction() as session:
            await session.execute(sa.insert(Model).from_select([*columns, "name"], copies))
        statements.clear()
        assert len(await _names(client, f"{ACME}/model?size=200", world.owner)) == 200
        assert len(statements.selects) <= 4, statements.selects


class TestPublicList:
    async def test_visitors_see_listed_public_models(self, client: httpx.AsyncClient, catalogue: World) -> None:
        assert await _names(client, f"{MODELS}?sort=modelName,asc") == ["own-public", "public"]
        assert await _names(client, f"{MODELS}?taskType=ner") == ["public"]
        assert await _names(client, f"{MODELS}?onlyMy=true") == []
        assert await _names(client, f"{MODELS}?onlyMy=true", catalogue.owner) == ["own-public"]

    async def test_hidden_public_model_can_be_read(self, client: httpx.AsyncClient, catalogue: World) -> None:
        assert (await client.get(f"{GLOBEX}/model/hidden")).status_code == 200
        assert (await client.get(f"{GLOBEX}/model/shared", headers=catalogue.owner)).status_code == 200
        assert (await client.get(f"{GLOBEX}/model/shared")).status_code == 404

    async def test_wrong_key_is_refused_on_a_public_route(self, client: httpx.AsyncClient) -> None:
        headers = {"MLP-API-KEY": "1000000001.1." + "x" * 40}
        assert (await client.get(MODELS, headers=headers)).status_code == 401

    async def test_featured_models_are_in_their_order(self, client: httpx.AsyncClient, catalogue: World) -> None:
        await client.post(
            f"{ACME}/model/own-public/public-settings",
            json={"featured": True, "featuredListOrder": 1},
            headers=catalogue.owner,
        )
        assert await _names(client, f"{MODELS}/featured") == ["own-public", "public"]

    async def test_categories_show_numbers_of_models(self, client: httpx.AsyncClient, catalogue: World) -> None:
        body = (await client.get("/api/mlpcore/catalog-category")).json()
        assert body == {
            "categories": [{"taskTypeName": "ner", "modelsCount": 1}, {"taskTypeName": "tts", "modelsCount": 1}]
        }


class TestModelList:
    async def test_models_are_returned_in_the_requested_order(
        self, client: httpx.AsyncClient, catalogue: World
    ) -> None:
        asked = [
            ("globex", "shared"),
            ("acme", "own-public"),
            ("globex", "private"),
            ("no", "no"),
            ("1000000002", "public"),
        ]
        body = {"ids": [{"account": account, "model": model} for account, model in asked]}
        answer = await client.post(f"{ACME}/model-list", json=body, headers=catalogue.owner)
        assert [record["modelName"] for record in answer.json()] == ["shared", "own-public", "public"]
        assert (await client.post(f"{ACME}/model-list", json=body)).status_code == 401
        assert (await client.post(f"{ACME}/model-list", json=body, headers=catalogue.stranger)).status_code == 403
        assert (await client.post(f"{ACME}/model-list", json={"ids": []}, headers=catalogue.owner)).json() == []


class TestNameAvailability:
    @pytest.mark.parametrize(
        ("name", "available"), [("own-public", False), ("new", True), ("public", True), ("a/b", False), ("12", False)]
    )
    async def test_name_availability_is_returned(
        self, client: httpx.AsyncClient, catalogue: World, name: str, available: bool
    ) -> None:
        url = "/api/mlpcore/model-name-availability"
        body = (await client.post(url, params={"modelName": name}, headers=catalogue.owner)).json()
        assert body["available"] is available
        assert bool(body["reason"]) is not available


class TestPublicity:
    async def test_publication_needs_its_feature(self, client: httpx.AsyncClient, world: World) -> None:
        await client.post(f"{ACME}/model", json={"modelName": "m"}, headers=world.owner)
        url = f"{ACME}/model/m/public-settings"
        for body in (
            {"isPublic": True},
            {"featured": True},
            {"featuredListOrder": 1},
            {"allowedAccounts": [1000000002]},
        ):
            refused = await client.post(url, json=body, headers=world.owner)
            assert (refused.status_code, refused.json()["args"]) == (403, {"feature": "mlp.public_model_admin"}), body
        assert (await client.post(url, json={"isPublic": True}, headers=world.admin)).json()["isPublic"] is True
        assert (await client.post(url, json={"isPublic": False, "hidden": True}, headers=world.owner)).json() == {
            "isPublic": False,
            "availableInJaicp": False,
            "featured": False,
            "featuredListOrder": None,
            "hidden": True,
            "publicTestingAllowed": False,
            "visitorCallsPerDay": 0,
            "showPersonalDataDisclaimer": False,
            "allowedAccounts": [],
        }

    async def test_owner_opens_a_model_to_visitors_and_the_gates_learn_it(
        self, client: httpx.AsyncClient, catalogue: World, database: Database
    ) -> None:
        url = f"{GLOBEX}/model/public/public-settings"
        assert await _names(client, f"{MODELS}?onlyForVisitors=true") == []
        body = {"publicTestingAllowed": True, "visitorCallsPerDay": 50}
        assert (await client.post(url, json=body, headers=catalogue.owner)).status_code == 403
        for wrong in (-1, 100_001, 1.5):
            refused = await client.post(url, json={"visitorCallsPerDay": wrong}, headers=catalogue.stranger)
            assert refused.status_code == 400, wrong
        changed = await client.post(url, json=body, headers=catalogue.stranger)
        assert changed.json()["visitorCallsPerDay"] == 50
        assert await _names(client, f"{MODELS}?onlyForVisitors=true") == ["public"]
        event = (await published(database, ModelChanged))[-1]
        assert event.open_to_visitors
        await client.post(url, json={"publicTestingAllowed": False}, headers=catalogue.stranger)
        assert await _names(client, f"{MODELS}?onlyForVisitors=true") == []

    async def test_settings_are_readable_by_everybody_who_sees_the_model(
        self, client: httpx.AsyncClient, catalogue: World
    ) -> None:
        for part in ("public-settings", "billing"):
            assert (await client.get(f"{GLOBEX}/model/public/{part}")).status_code == 200
            assert (await client.get(f"{GLOBEX}/model/private/{part}", headers=catalogue.owner)).status_code == 404


class TestBilling:
    @pytest.mark.parametrize(
        ("price", "nano"),
        [
            ({"billingUnitPriceInCurrency": 0.1}, 100_000_000),
            ({"billingUnitPriceInCurrency": 0.000000001}, 1),
            ({"billingUnitPriceInNanoToken": 250}, 250),
            ({"billingUnitPriceInNanoToken": 1_000_000_000, "billingUnitPriceInCurrency": 1}, 1_000_000_000),
            ({"billingUnitPriceInCurrency": 0}, 0),
        ],
    )
    async def test_price_is_stored_exactly(
        self, client: httpx.AsyncClient, publisher: World, price: dict[str, object], nano: int
    ) -> None:
        await client.post(f"{ACME}/model", json={"modelName": "m"}, headers=publisher.owner)
        body = {"isBillingEnabled": True, "billingUnit": "calls", "freeUnitQuota": 3} | price
        answer = await client.post(f"{ACME}/model/m/billing", json=body, headers=publisher.owner)
        assert answer.json() == {
            "isBillingEnabled": True,
            "billingUnit": "calls",
            "billingUnitPriceInNanoToken": nano,
            "billingUnitPriceInCurrency": nano / 1e9,
            "freeUnitQuota": 3,
            "allowDeferredBilling": False,
            "currency": "RUBLE",
            "maxPriceInCurrency": None,
        }
        assert (await client.get(f"{ACME}/model/m/billing", headers=publisher.owner)).json() == answer.json()

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({}, "billingUnitPriceInCurrency"),
            ({"billingUnitPriceInCurrency": -1}, "billingUnitPriceInCurrency"),
            ({"billingUnitPriceInNanoToken": -1}, "billingUnitPriceInNanoToken"),
            ({"billingUnitPriceInNanoToken": 2**63}, "billingUnitPriceInNanoToken"),
            ({"billingUnitPriceInCurrency": 1e30}, "billingUnitPriceInCurrency"),
            ({"billingUnitPriceInCurrency": 0.0000000001}, "billingUnitPriceInCurrency"),
            ({"billingUnitPriceInCurrency": 1, "billingUnitPriceInNanoToken": 1}, "billingUnitPriceInNanoToken"),
            ({"billingUnitPriceInCurrency": 1, "currency": "EURO"}, "currency"),
            ({"billingUnitPriceInCurrency": 1, "billingUnit": "hours"}, "billingUnit"),
            ({"billingUnitPriceInCurrency": 1, "freeUnitQuota": -1}, "freeUnitQuota"),
            ({"billingUnitPriceInCurrency": 1, "maxPriceInCurrency": -1}, "maxPriceInCurrency"),
            ({"billingUnitPriceInCurrency": 1, "maxPriceInCurrency": 1_000_001}, "maxPriceInCurrency"),
            ({"billingUnitPriceInCurrency": 1, "maxPriceInCurrency": 0.0000000001}, "maxPriceInCurrency"),
            (
                {"billingUnit": "custom", "billingUnitPriceInCurrency": 2, "maxPriceInCurrency": 1},
                "maxPriceInCurrency",
            ),
        ],
    )
    async def test_invalid_price_is_refused(
        self, client: httpx.AsyncClient, publisher: World, body: dict[str, object], field: str
    ) -> None:
        await client.post(f"{ACME}/model", json={"modelName": "m"}, headers=publisher.owner)
        url = f"{ACME}/model/m/billing"
        answer = await client.post(url, json={"isBillingEnabled": True} | body, headers=publisher.owner)
        assert (answer.status_code, list(answer.json()["args"])) == (400, [field])

    async def test_maximal_price_of_a_call_is_published_and_removed(
        self, client: httpx.AsyncClient, publisher: World, database: Database
    ) -> None:
        await client.post(f"{ACME}/model", json={"modelName": "m"}, headers=publisher.owner)
        url = f"{ACME}/model/m/billing"
        offer = {"isBillingEnabled": True, "billingUnit": "direct"}
        for body in ({"maxPriceInCurrency": 0.000000007}, {}, {"maxPriceInCurrency": None}):
            answer = await client.post(url, json=offer | body, headers=publisher.owner)
            assert answer.status_code == 200
        said = [event.max_price_nano for event in await published(database, ModelChanged)]
        assert said[-3:] == [7, 7, None]
        assert answer.json()["maxPriceInCurrency"] is None

    async def test_enabling_billing_needs_its_feature(self, client: httpx.AsyncClient, world: World) -> None:
        await client.post(f"{ACME}/model", json={"modelName": "m"}, headers=world.owner)
        url = f"{ACME}/model/m/billing"
        body = {"isBillingEnabled": True, "billingUnitPriceInCurrency": 1}
        assert (await client.post(url, json=body, headers=world.owner)).status_code == 403
        assert (await client.post(url, json={"isBillingEnabled": False}, headers=world.owner)).status_code == 200


class TestKeysAsCallers:
    async def test_predict_key_sees_only_public_models(
        self, client: httpx.AsyncClient, catalogue: World, identities: Identities
    ) -> None:
        key = identities.api_key(catalogue.acme, permissions=[KeyPermission.PREDICT])
        assert (await client.get(f"{ACME}/model/own-private", headers=key)).status_code == 404
        assert (await client.get(f"{GLOBEX}/model/public", headers=key)).status_code == 200
