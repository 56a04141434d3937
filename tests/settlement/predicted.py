"""Scenarios of predictions."""

import asyncio
from typing import cast

from mlplace_testing.waiting import eventually
from tests.settlement.case import Case, answers, hangs
from tests.settlement.installation import PATIENCE
from tests.settlement.instance import Turn

_LET_LEASES_END = "UPDATE prediction SET leased_until = now() WHERE status = 'running'"


async def ends(case: Case, place: str) -> str:
    """Returns the final status."""

    async def status() -> str:
        answer = await case.installation.client.get(place, headers={"MLP-API-KEY": case.key})
        return cast("str", answer.raise_for_status().json()["status"])

    return await eventually(status, until=lambda found: found not in {"queued", "running"}, seconds=PATIENCE)


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
    async def fails(turn: Turn) -> None:
        await turn.error()

    await case.open()
    await case.serve(fails)
    assert await ends(case, await case.begin_in_background()) == "failed"


async def half_an_answer_of_a_prediction(case: Case) -> None:
    async def says_half(turn: Turn) -> None:
        await turn.answer('{"n":')

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
