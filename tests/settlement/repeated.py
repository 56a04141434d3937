"""Scenarios of calls that wait, that are sent more than once, or that share a batch."""

import asyncio

from mlplace_contracts.events import ModelBatches, ModelRetries
from tests.settlement.callers import calling
from tests.settlement.case import Case
from tests.settlement.installation import PATIENCE
from tests.settlement.instance import Turn
from tests.settlement.paths import PREDICT, STREAM, Path
from tests.settlement.scripts import answers, dies, hangs


async def _fails_then_answers(case: Case, path: Path) -> None:
    asked: list[Turn] = []

    async def script(turn: Turn) -> None:
        asked.append(turn)
        if len(asked) == 1:
            await turn.error(of_the_service=True)
        else:
            await turn.answer()

    await case.open(model={"retries": ModelRetries(most=1, most_per_instance=1)})
    await case.serve(script)
    await case.serve(script)
    answer = await case.call(path)
    assert (answer.status_code, answer.text.strip(), len(asked)) == (200, '"done"', 2)


async def failed_then_answered(case: Case) -> None:
    await _fails_then_answers(case, PREDICT)


async def failed_then_answered_stream(case: Case) -> None:
    await _fails_then_answers(case, STREAM)


async def both_answer(case: Case) -> None:
    """The second request is sent while the first is in progress; in the end both are answered."""
    asked: list[Turn] = []
    other_answered = asyncio.Event()

    async def script(turn: Turn) -> None:
        asked.append(turn)
        if len(asked) == 1:
            await other_answered.wait()
        await turn.answer()

    await case.open(model={"retries": ModelRetries(most=1, timeouts_ms=(20,), most_per_instance=1)})
    await case.serve(script)
    await case.serve(script)
    assert (await case.call()).status_code == 200
    other_answered.set()
    assert len(asked) == 2


async def waits_for_the_start(case: Case) -> None:
    await case.open(model={"reject_if_inactive": False})
    call = asyncio.create_task(case.call())
    await case.installation.a_call_waits()
    await case.serve(answers)
    assert (await call).status_code == 200


async def nothing_starts(case: Case) -> None:
    await case.open(model={"reject_if_inactive": False}, start_seconds=1)
    await case.refused(504, "mlp.gate.instance_start_timeout")


async def client_gone_while_waiting(case: Case) -> None:
    await case.open(model={"reject_if_inactive": False})
    async with calling(case, PREDICT) as caller:
        await case.installation.a_call_waits()
        caller.hang_up()
        await case.installation.no_call_in_progress()


async def _batch(case: Case, *, failing: int) -> list[int]:
    async def script(turn: Turn) -> None:
        await turn.answer_batch(failing=failing)

    await case.open(model={"batches": ModelBatches(size=2, wait_ms=int(PATIENCE * 1000))})
    await case.serve(script, takes_batches=True)
    calls = await asyncio.gather(case.call(), case.call())
    (instance,) = case.instances
    assert len(instance.turns) == 1
    return sorted(call.status_code for call in calls)


async def batch(case: Case) -> None:
    assert await _batch(case, failing=0) == [200, 200]


async def one_of_a_batch_fails(case: Case) -> None:
    assert await _batch(case, failing=1) == [200, 500]


async def batch_lost(case: Case) -> None:
    await case.open(model={"batches": ModelBatches(size=2, wait_ms=int(PATIENCE * 1000))})
    await case.serve(dies, takes_batches=True)
    calls = await asyncio.gather(case.call(), case.call())
    assert {call.status_code for call in calls} == {503}


async def loop(case: Case) -> None:
    await case.open(model={"composite": True})
    await case.serve(hangs)
    await case.refused(508, "mlp.gate.call_loop", MLP_API_KEY=case.key, MLP_CALL_CHAIN=f"7,{case.model}")
