"""Calls of composite models that come back to a model they have passed are refused."""

import pytest

CHAIN = "MLP-CALL-CHAIN"


class TestChain:
    async def test_composite_model_gets_the_chain(self, world, kit) -> None:
        world.know(kit.model_changed(composite=True))
        twin = world.instance()
        key = world.key()
        await world.predict(key)
        await world.predict({**key, CHAIN: "7,8"})
        assert [request.headers[CHAIN] for request in twin.requests] == [str(kit.MODEL), f"7,8,{kit.MODEL}"]

    async def test_other_models_get_no_chain(self, world) -> None:
        twin = world.instance()
        await world.predict(world.key())
        assert CHAIN not in twin.requests[0].headers

    @pytest.mark.parametrize("composite", [True, False])
    async def test_loop_is_refused_before_it_costs_anything(self, world, kit, composite: bool) -> None:
        world.know(kit.model_changed(composite=composite, billing=kit.CALLS))
        twin = world.instance()
        answer = await world.predict({**world.key(), CHAIN: f"7,{kit.MODEL},8"})
        assert (answer.status_code, answer.json()["code"]) == (508, "mlp.gate.call_loop")
        assert answer.json()["args"] == {"chain": f"7,{kit.MODEL},8,{kit.MODEL}"}
        assert (twin.requests, world.billing.asked) == ([], 0)

    async def test_chain_has_a_maximum_length(self, world) -> None:
        world.instance()
        key = world.key()
        longest = ",".join(str(number) for number in range(1, 16))
        assert (await world.predict({**key, CHAIN: longest})).status_code == 200
        assert (await world.predict({**key, CHAIN: f"{longest},16"})).json()["code"] == "mlp.gate.call_loop"

    @pytest.mark.parametrize("text", ["x", "1,,2", "-1", "1;2", "9" * 30, "1," * 300 + "1"])
    async def test_invalid_chain_is_refused(self, world, text: str) -> None:
        world.instance()
        assert (await world.predict({**world.key(), CHAIN: text})).status_code == 400
