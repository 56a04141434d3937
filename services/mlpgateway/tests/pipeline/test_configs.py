"""Which config an instance gets: the caller's own, a stored one by its id, the model's default, or an empty one."""

from itertools import count

from mlplace_contracts.events import PredictConfigChanged

_versions = count(1)


def stored(kit, config_id: int, text: str, *, default: bool = False, active: bool = True, model_id: int | None = None):
    return PredictConfigChanged(
        version=next(_versions), config_id=config_id, account_id=kit.ACME, model_id=model_id or kit.MODEL,
        is_default=default, config=text, active=active,
    )  # fmt: skip


async def sent(world, path: str = "/p/acme/ner", body: str = "{}") -> str | None:
    twin = world.instance()
    answer = await world.client.post(path, content=body, headers=world.key())
    assert answer.status_code == 200, answer.text
    world.components.links.remove(twin)
    return twin.requests[0].config.json


class TestConfigs:
    async def test_config_is_empty_by_default(self, world) -> None:
        assert await sent(world) == "{}"

    async def test_stored_config_is_found_by_its_id(self, world, kit) -> None:
        world.know(stored(kit, 5, '{"beam": 1}'), stored(kit, 6, '{"beam": 2}'))
        assert await sent(world, "/p/acme/ner?configId=6") == '{"beam": 2}'

    async def test_models_default_is_used_when_the_caller_names_none(self, world, kit) -> None:
        world.know(stored(kit, 5, '{"beam": 1}', default=True), stored(kit, 6, "[]"))
        assert await sent(world) == '{"beam": 1}'
        assert await sent(world, "/p/acme/ner?configId=6") == "[]"

    async def test_callers_config_takes_precedence(self, world, kit) -> None:
        world.know(stored(kit, 5, '{"beam": 1}', default=True))
        path = "/api/mlpgateway/account/acme/model/ner/predict-with-config"
        assert await sent(world, path, '{"data": 1, "config": {"mine": 1}}') == '{"mine": 1}'

    async def test_changes_and_deletions_apply_and_stale_events_do_not(self, world, kit) -> None:
        old = stored(kit, 5, "[0]", default=True)
        world.know(stored(kit, 5, "[1]", default=True), old)
        assert await sent(world) == "[1]"
        world.know(stored(kit, 5, "[2]"), stored(kit, 6, "[3]", default=True))
        assert await sent(world) == "[3]"
        world.know(stored(kit, 6, "[3]", default=True, active=False))
        assert await sent(world) == "{}"

    async def test_config_of_another_model_looks_missing(self, world, kit) -> None:
        world.know(stored(kit, 5, "[1]", model_id=kit.MODEL + 1))
        world.instance()
        answer = await world.client.post("/p/acme/ner?configId=5", content="{}", headers=world.key())
        assert (answer.status_code, answer.json()["code"]) == (404, "mlp.gate.config_not_found")

    async def test_new_config_is_found_before_its_event(self, world, kit) -> None:
        world.fresh_configs[kit.MODEL, 7] = '{"new": 1}'
        assert await sent(world, "/p/acme/ner?configId=7") == '{"new": 1}'
        world.know(stored(kit, 7, '{"new": 2}'))
        assert await sent(world, "/p/acme/ner?configId=7") == '{"new": 2}'

    async def test_missing_config_is_not_looked_up_on_each_call(self, world, kit) -> None:
        for _ in range(3):
            answer = await world.client.post("/p/acme/ner?configId=5", content="{}", headers=world.key())
            assert answer.status_code == 404
        assert world.configs_asked_for == [(kit.MODEL, 5)]

    async def test_ext_calls_have_no_config(self, world, kit) -> None:
        world.know(stored(kit, 5, "[1]", default=True))
        twin = world.instance()
        path = "/api/mlpgateway/account/acme/model/ner/ext"
        await world.client.post(path, content='{"methodName": "m", "params": {}}', headers=world.key())
        assert twin.requests[0].config is None
