"""Which model another one was trained from: who sets it, who keeps it, and who sees it."""

from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.accounts.tables import PlatformAccount
from mlpcore.features.models.tables import Model
from mlplace_runtime.db.database import Database
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

from .derivation import derive

ACME = "/api/mlpcore/account/acme/model"
GLOBEX = "/api/mlpcore/account/globex/model"
BASE = ("trainingModelAccountId", "trainingModelId", "trainingModelName")
HIDDEN = [None, None, None]


async def made(
    client: httpx.AsyncClient, path: str, headers: dict[str, str], name: str, **fields: object
) -> dict[str, int]:
    answer = await client.post(path, json={"modelName": name, **fields}, headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, int] = answer.json()["id"]
    return found


async def publish(
    client: httpx.AsyncClient, path: str, headers: dict[str, str], *, public: bool = True, **more: object
) -> None:
    answer = await client.post(f"{path}/public-settings", json={"isPublic": public, **more}, headers=headers)
    assert answer.status_code == 200, answer.text


async def lose(client: httpx.AsyncClient, world: World, how: str) -> None:
    """Takes the public base away from acme."""
    if how == "private":
        await publish(client, f"{GLOBEX}/base", world.stranger, public=False)
    else:
        assert (await client.delete(f"{GLOBEX}/base", headers=world.stranger)).is_success


async def base_of(client: httpx.AsyncClient, address: str, headers: dict[str, str]) -> list[object]:
    """Returns what the model alone and the list of models say, which is the same."""
    alone = (await client.get(address, headers=headers)).json()
    path, name = address.rsplit("/", 1)
    records: list[dict[str, Any]] = (await client.get(path, params={"onlyMy": True}, headers=headers)).json()["records"]
    (listed,) = [record for record in records if record["modelName"] == name]
    assert [listed[field] for field in BASE] == [alone[field] for field in BASE]
    return [alone[field] for field in BASE]


@pytest.fixture
async def base(client: httpx.AsyncClient, publisher: World) -> dict[str, int]:
    """A public model of globex."""
    pk = await made(client, GLOBEX, publisher.stranger, "base")
    await publish(client, f"{GLOBEX}/base", publisher.stranger)
    return pk


@pytest.fixture
async def derived(
    client: httpx.AsyncClient, publisher: World, database: Database, base: dict[str, int]
) -> dict[str, int]:
    """A model of acme that was trained from `base`."""
    pk = await made(client, ACME, publisher.owner, "derived")
    await derive(database, pk, base=base)
    return pk


class TestSetting:
    @pytest.mark.parametrize("names", [("trainingModelId",), ("trainingModelAccountId",), BASE[:2]], ids=str)
    async def test_no_request_makes_a_model_derived(
        self, client: httpx.AsyncClient, publisher: World, base: dict[str, int], names: tuple[str, ...]
    ) -> None:
        await made(client, ACME, publisher.owner, "m")
        values = {"trainingModelAccountId": base["accountId"], "trainingModelId": base["modelId"]}
        fields = {name: values[name] for name in names}
        for address, name in ((ACME, "other"), (f"{ACME}/m", "m")):
            refused = await client.post(address, json={"modelName": name} | fields, headers=publisher.owner)
            expected = dict.fromkeys(names, "cannot be changed here")
            assert (refused.status_code, refused.json()["args"]) == (400, expected), address
        assert await base_of(client, f"{ACME}/m", publisher.owner) == HIDDEN

    async def test_ordinary_instances_never_count_for_the_limit_of_derived_ones(
        self, client: httpx.AsyncClient, publisher: World, database: Database, base: dict[str, int]
    ) -> None:
        async with database.transaction() as session:
            await session.execute(sa.update(PlatformAccount).values(base_model_instance_limit=0))
        pk = await made(client, ACME, publisher.owner, "m", hostingType="HOSTING_SERVER")
        await client.post(
            f"{ACME}/m", json={"modelName": "m", "trainingModelId": base["modelId"]}, headers=publisher.owner
        )
        refused = await client.post(f"{ACME}/m/instances", content="1", headers=_json(publisher))
        assert refused.json()["args"]["name"] == "baseModelInstanceLimit", refused.text
        await derive(database, pk, base=base)
        assert (await client.post(f"{ACME}/m/instances", content="1", headers=_json(publisher))).is_success

    async def test_instances_of_derived_models_have_a_limit_of_their_own(
        self, client: httpx.AsyncClient, publisher: World, database: Database, derived: dict[str, int]
    ) -> None:
        limits = {"base_model_instance_limit": 0, "derived_model_instance_limit": 1}
        async with database.transaction() as session:
            await session.execute(sa.update(PlatformAccount).values(**limits))
            chosen = sa.update(Model).where(Model.model_id == derived["modelId"])
            await session.execute(chosen.values(hosting_type="HOSTING_SERVER"))
        answers = [
            await client.post(f"{ACME}/derived/instances", content=number, headers=_json(publisher))
            for number in ("1", "2")
        ]
        assert [answer.status_code for answer in answers] == [200, 403], answers[0].text
        refused = answers[1].json()
        expected = {"name": "derivedModelInstanceLimit", "limit": "1", "running": "1"}
        assert (refused["code"], refused["args"]) == ("mlp.core.limit_exceeded", expected)

    @pytest.mark.parametrize("field", BASE[:2])
    async def test_derived_model_cannot_get_another_base(
        self, client: httpx.AsyncClient, publisher: World, derived: dict[str, int], field: str
    ) -> None:
        body = {"modelName": "derived", field: derived["modelId"]}
        refused = await client.post(f"{ACME}/derived", json=body, headers=publisher.owner)
        assert (refused.status_code, list(refused.json()["args"])) == (400, [field])

    async def test_null_keeps_the_base(
        self, client: httpx.AsyncClient, publisher: World, derived: dict[str, int], base: dict[str, int]
    ) -> None:
        body = {"modelName": "derived", "trainingModelId": None, "trainingModelAccountId": None}
        assert (await client.post(f"{ACME}/derived", json=body, headers=publisher.owner)).is_success
        assert await base_of(client, f"{ACME}/derived", publisher.owner) == [base["accountId"], base["modelId"], "base"]


@pytest.mark.parametrize("how", ["private", "deleted"])
class TestLostReferences:
    async def test_what_was_read_may_be_sent_back(
        self, client: httpx.AsyncClient, publisher: World, derived: dict[str, int], how: str
    ) -> None:
        read = (await client.get(f"{ACME}/derived", headers=publisher.owner)).json()
        await lose(client, publisher, how)
        later = (await client.get(f"{ACME}/derived", headers=publisher.owner)).json()
        for before, name in ((read, "one"), (later, "two")):
            body = {"modelName": "derived", "displayName": name} | {field: before[field] for field in BASE[:2]}
            kept = await client.post(f"{ACME}/derived", json=body, headers=publisher.owner)
            assert (kept.status_code, kept.json()["displayName"]) == (200, name), kept.text

    async def test_versions_can_be_restored_and_the_base_stays(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        database: Database,
        base: dict[str, int],
        derived: dict[str, int],
        how: str,
    ) -> None:
        # Earlier releases stored the base in versions, and let requests set another one.
        async with database.transaction() as session:
            await session.execute(
                sa.text(
                    "INSERT INTO model_version SELECT model_id, 2, account_id, occurred_at, user_id, author, kind,"
                    " restored_number, changes, jsonb_set(document, '{settings,trainingModelId}', to_jsonb(:base))"
                    " FROM model_version WHERE model_id = :derived"
                ).bindparams(sa.bindparam("base", type_=sa.BigInteger), derived=derived["modelId"]),
                {"base": derived["modelId"]},
            )
        body = {"modelName": "derived", "displayName": "later"}
        assert (await client.post(f"{ACME}/derived", json=body, headers=publisher.owner)).is_success
        await lose(client, publisher, how)
        versions = f"{ACME}/derived/versions"
        would = (await client.get(f"{versions}/2", headers=publisher.owner)).json()["restoring"]
        assert [change["field"] for change in would] == ["displayName"]
        restored = await client.post(f"{versions}/2/restore", headers=publisher.owner)
        assert (restored.status_code, restored.json()["displayName"]) == (200, None), restored.text
        fitted = (await client.get(ACME, params={"onlyFitted": True}, headers=publisher.owner)).json()["records"]
        assert [record["modelName"] for record in fitted] == ["derived"]

    async def test_template_of_fits_is_kept_and_cannot_be_set_anew(
        self, client: httpx.AsyncClient, publisher: World, base: dict[str, int], how: str
    ) -> None:
        fields = {"fitTemplateModelId": base["modelId"]}
        await made(client, ACME, publisher.owner, "m", **fields)
        await lose(client, publisher, how)
        body: dict[str, object] = {"modelName": "m", "displayName": "M", **fields}
        kept = await client.post(f"{ACME}/m", json=body, headers=publisher.owner)
        assert (kept.status_code, kept.json()["fitTemplateModelId"]) == (200, base["modelId"]), kept.text
        assert (await client.post(f"{ACME}/m/versions/1/restore", headers=publisher.owner)).is_success
        await client.post(f"{ACME}/m", json=body | {"fitTemplateModelId": None}, headers=publisher.owner)
        for address, name in ((f"{ACME}/m", "m"), (ACME, "n")):
            refused = await client.post(address, json={"modelName": name} | fields, headers=publisher.owner)
            assert (refused.status_code, list(refused.json()["args"])) == (400, ["fitTemplateModelId"])


class TestSight:
    async def test_base_is_shown_while_the_reader_may_read_it(
        self, client: httpx.AsyncClient, publisher: World, derived: dict[str, int], base: dict[str, int]
    ) -> None:
        seen = [base["accountId"], base["modelId"], "base"]
        assert await base_of(client, f"{ACME}/derived", publisher.owner) == seen
        await publish(client, f"{GLOBEX}/base", publisher.stranger, public=False)
        assert await base_of(client, f"{ACME}/derived", publisher.owner) == HIDDEN
        assert (await client.get(f"{ACME}/derived", headers=publisher.admin)).json()["trainingModelName"] == "base"
        shared = {"allowedAccounts": [publisher.acme.account_id]}
        await publish(client, f"{GLOBEX}/base", publisher.stranger, public=False, **shared)
        assert await base_of(client, f"{ACME}/derived", publisher.owner) == seen
        await lose(client, publisher, "deleted")
        assert await base_of(client, f"{ACME}/derived", publisher.owner) == HIDDEN

    async def test_private_base_of_the_own_account_is_shown_but_not_to_keys_of_other_models(
        self, client: httpx.AsyncClient, publisher: World, database: Database, identities: Identities
    ) -> None:
        base = await made(client, ACME, publisher.owner, "mine")
        pk = await made(client, ACME, publisher.owner, "m")
        await derive(database, pk, base=base)
        both = identities.api_key(publisher.acme, allowed_models=(pk["modelId"], base["modelId"]))
        seen = [base["accountId"], base["modelId"], "mine"]
        for headers in (publisher.owner, both):
            assert await base_of(client, f"{ACME}/m", headers) == seen
        limited = identities.api_key(publisher.acme, allowed_models=(pk["modelId"],))
        assert await base_of(client, f"{ACME}/m", limited) == HIDDEN

    async def test_others_see_no_base_of_a_public_model(
        self, client: httpx.AsyncClient, publisher: World, derived: dict[str, int]
    ) -> None:
        await publish(client, f"{ACME}/derived", publisher.owner)
        shown = (await client.get(f"{ACME}/derived", headers=publisher.stranger)).json()
        assert [shown[field] for field in BASE] == HIDDEN


class TestClones:
    @pytest.mark.parametrize(("who", "path"), [("owner", ACME), ("stranger", GLOBEX)])
    async def test_clone_has_no_base_and_no_template_of_fits(
        self, client: httpx.AsyncClient, publisher: World, database: Database, who: str, path: str
    ) -> None:
        private = await made(client, ACME, publisher.owner, "private")
        source = await made(client, ACME, publisher.owner, "source", prototype=True)
        await derive(database, source, base=private, fit_template_model_id=private["modelId"])
        await publish(client, f"{ACME}/source", publisher.owner)
        headers = getattr(publisher, who)
        made_one = await client.post(f"{ACME}/source/clone", params={"name": "copy"}, headers=headers)
        assert made_one.status_code == 200, made_one.text
        # An administrator would see a base if there was one.
        shown = (await client.get(f"{path}/copy", headers=publisher.admin)).json()
        assert [shown[field] for field in (*BASE, "fitTemplateModelId", "trainingFitConfigId")] == [None] * 5
        fitted = (await client.get(path, params={"onlyFitted": True, "onlyMy": True}, headers=headers)).json()
        assert "copy" not in [record["modelName"] for record in fitted["records"]]


def _json(world: World) -> dict[str, str]:
    return {**world.owner, "Content-Type": "application/json"}
