"""Scenarios of predictions."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, cast

from mlplace_testing.waiting import eventually
from tests.settlement.case import Case
from tests.settlement.entries import BACKGROUND, in_the_background_at
from tests.settlement.installation import BODY_BYTES, KEPT_BYTES, OPEN_PREDICTIONS, PATIENCE
from tests.settlement.instance import Script, Turn
from tests.settlement.key_limits import ONE_CALL_A_DAY
from tests.settlement.paths import PREDICT, Path, otherwise
from tests.settlement.scripts import answers, fails, hangs, says_half
from tests.settlement.table import PRICE
from tests.settlement.ways import over_http

_LET_LEASES_END = "UPDATE prediction SET leased_until = now() WHERE status = 'running'"


async def ends(case: Case, place: str, **credential: str) -> str:
    """Returns the final status."""
    return cast("str", (await _ended(case, place, **credential))["status"])


async def _fails_with(case: Case, place: str, code: str) -> None:
    ended = await _ended(case, place)
    assert (ended["status"], ended["error"]["code"]) == ("failed", code)


async def _ended(case: Case, place: str, **credential: str) -> dict[str, Any]:
    """Asks with the payer's key, or with a header."""

    async def shown() -> dict[str, Any]:
        answer = await case.installation.client.get(place, headers=credential or {"MLP-API-KEY": case.key})
        return answer.raise_for_status().json()

    return await eventually(shown, until=lambda found: found["status"] not in {"queued", "running"}, seconds=PATIENCE)


async def _kill_the_gateway(case: Case) -> None:
    """Kill it, and shorten the lease of its predictions."""
    case.installation.gateway.kill()
    await case.installation.gateway_books.execute(_LET_LEASES_END)
    await case.installation.gateway.start()


async def predicted_after_a_kill(case: Case) -> None:
    asked: list[Turn] = []

    async def second_time(turn: Turn) -> None:
        asked.append(turn)
        await (answers(turn) if len(asked) > 1 else hangs(turn))

    await case.open()
    instance = await case.serve(second_time)
    place = await case.begin_in_background()
    await asyncio.wait_for(instance.asked.wait(), PATIENCE)
    await _kill_the_gateway(case)
    assert await ends(case, place) == "succeeded"
    assert len(asked) == 2


async def prediction_fails(case: Case) -> None:
    await case.open()
    await case.serve(fails)
    assert await ends(case, await case.begin_in_background()) == "failed"


async def prediction_without_money(case: Case) -> None:
    """It is accepted: the money counts when it is served."""
    await case.open(money=PRICE - 1)
    instance = await case.serve(answers)
    await _fails_with(case, await case.begin_in_background(), "mlp.billing.insufficient_funds")
    assert instance.turns == []


async def key_of_a_running_prediction_deleted(case: Case) -> None:
    """Then only members of the account may read the prediction."""
    deleted = asyncio.Event()

    async def script(turn: Turn) -> None:
        await deleted.wait()
        await turn.answer()

    await case.open()
    instance = await case.serve(script)
    place = await case.begin_in_background()
    await asyncio.wait_for(instance.asked.wait(), PATIENCE)
    await case.delete_key()
    await case.known()
    await case.refused(401, "mlp.gate.unauthorized")
    deleted.set()
    assert await ends(case, place, Cookie=case.session()) == "succeeded"


async def half_an_answer_of_a_prediction(case: Case) -> None:
    await case.open()
    await case.serve(says_half)
    assert await ends(case, await case.begin_in_background()) == "failed"


async def prediction_canceled(case: Case) -> None:
    await case.open()
    instance = await case.serve(hangs)
    place = await case.begin_in_background()
    await asyncio.wait_for(instance.asked.wait(), PATIENCE)
    await case.installation.client.post(f"{place}/cancel", headers={"MLP-API-KEY": case.key})
    assert await ends(case, place) == "canceled"


async def prediction_ends_two_gates(case: Case) -> None:
    await case.open()
    instance = await case.serve(hangs)
    place = await case.begin_in_background()
    for times in (1, 2):
        await eventually(
            lambda: _asked(instance.turns), until=lambda found, at_least=times: found >= at_least, seconds=PATIENCE
        )
        await _kill_the_gateway(case)
    assert await ends(case, place) == "failed"


async def _asked(turns: list[Turn]) -> int:
    return len(turns)


async def the_same_prediction_again(case: Case) -> None:
    await case.open()
    instance = await case.serve(answers)
    first, second = [
        (await case.call(MLP_API_KEY=case.key, Prefer="respond-async", Idempotency_Key="once")).json() for _ in range(2)
    ]
    assert first["id"] == second["id"]
    assert await ends(case, f"{case.installation.gateway.url}{first['urls']['get']}") == "succeeded"
    assert len(instance.turns) == 1


async def the_same_prediction_again_without_means(case: Case) -> None:
    """The key and the money are used up, and the caller allows less than the price."""
    await case.open(money=PRICE, key={"limits": ONE_CALL_A_DAY})
    instance = await case.serve(answers)
    asked = {"MLP_API_KEY": case.key, "Prefer": "respond-async", "Idempotency_Key": "once"}
    first = (await case.call(PREDICT, **asked)).json()
    assert await ends(case, f"{case.installation.gateway.url}{first['urls']['get']}") == "succeeded"
    await case.refused(429, "mlp.gate.key_limit_exceeded")
    again = (await case.call(PREDICT, **asked, MLP_Max_Price="0.000000001")).json()
    assert (again["id"], again["status"]) == (first["id"], "succeeded")
    assert len(instance.turns) == 1


async def key_of_another_prediction(case: Case) -> None:
    """The key of a prediction stands for no other prediction, and for no call that is answered at once."""
    await case.open()
    instance = await case.serve(answers)
    key = case.key
    first = (await case.call(MLP_API_KEY=key, Idempotency_Key="once", Prefer="respond-async")).json()
    assert await ends(case, f"{case.installation.gateway.url}{first['urls']['get']}") == "succeeded"
    reused, other = (422, "mlp.gate.idempotency_key_reused"), otherwise(PREDICT)
    await case.refused(*reused, other, MLP_API_KEY=key, Idempotency_Key="once", Prefer="respond-async")
    await case.refused(*reused, MLP_API_KEY=key, Idempotency_Key="once")
    assert len(instance.turns) == 1


async def _predicted_with(case: Case, **credential: str) -> str:
    """Returns the URL of the prediction, which has ended."""
    named = {name.replace("-", "_"): value for name, value in credential.items()}
    answer = await case.call(PREDICT, **named, Idempotency_Key="once", Prefer="respond-async")
    assert answer.status_code == 202, answer.text
    place = f"{case.installation.gateway.url}{answer.json()['urls']['get']}"
    assert await ends(case, place, **credential) == "succeeded"
    return place


async def the_same_key_of_another_api_key_for_a_prediction(case: Case) -> None:
    await case.open()
    instance = await case.serve(answers)
    keys = (case.key, await case.another_key(case.payer))
    assert len({await _predicted_with(case, **{"MLP-API-KEY": secret}) for secret in keys}) == 2
    assert len(instance.turns) == 2


async def the_same_key_of_another_person_for_a_prediction(case: Case) -> None:
    await case.open(publicity={"public_testing_allowed": True})
    instance = await case.serve(answers)
    assert len({await _predicted_with(case, Cookie=case.session()) for _ in range(2)}) == 1
    assert len(instance.turns) == 1


async def _in_the_background(name: str, case: Case) -> None:
    await case.open()
    await case.serve(answers)
    assert await ends(case, await case.begin_in_background(over_http(name))) == "succeeded"


def _says(size: int) -> Script:
    async def script(turn: Turn) -> None:
        await turn.answer(f'"{"x" * size}"')

    return script


async def prediction_too_large_to_keep(case: Case) -> None:
    await case.open()
    await case.serve(_says(KEPT_BYTES))
    await _fails_with(case, await case.begin_in_background(), "mlp.gate.answer_too_large_to_keep")


async def no_room_for_the_answer_of_a_prediction(case: Case) -> None:
    await case.open(limits={"storage_bytes": KEPT_BYTES // 2})
    await case.serve(_says(KEPT_BYTES // 2))
    await _fails_with(case, await case.begin_in_background(), "mlp.gate.storage_limit_exceeded")


# ---- Refused


async def _refused(case: Case, status: int, code: str, path: Path = PREDICT) -> None:
    await case.refused(status, code, path, MLP_API_KEY=case.key, Prefer="respond-async")


async def too_large_prediction(case: Case) -> None:
    """A request that is kept may be smaller than one that is served at once."""
    await case.open()
    instance = await case.serve(answers)
    assert KEPT_BYTES < BODY_BYTES
    await _refused(case, 413, "mlp.gate.request_too_large", Path("predict", {"text": "x" * KEPT_BYTES}))
    assert instance.turns == []


async def prediction_without_storage(case: Case) -> None:
    await case.open(limits={"storage_bytes": 0})
    instance = await case.serve(answers)
    await _refused(case, 413, "mlp.gate.storage_limit_exceeded")
    assert instance.turns == []


async def too_many_open_predictions(case: Case) -> None:
    await case.open()
    await case.serve(hangs)
    places = [await case.begin_in_background() for _ in range(OPEN_PREDICTIONS)]
    await _refused(case, 429, "mlp.gate.too_many_predictions")
    for place in places:
        await case.installation.client.post(f"{place}/cancel", headers={"MLP-API-KEY": case.key})
        assert await ends(case, place) == "canceled"


SCENARIOS: Mapping[str, Callable[[Case], Awaitable[None]]] = {
    in_the_background_at(name): partial(_in_the_background, name) for name in BACKGROUND
}
