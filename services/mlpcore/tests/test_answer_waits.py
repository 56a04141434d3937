import asyncio

from mlpcore.answer_waits import AnswerWaits


class TestUntil:
    async def test_further_waits_end_at_once(self) -> None:
        waits, release = AnswerWaits(), asyncio.Event()

        async def released() -> bool:
            return await release.wait()

        waiting = [asyncio.create_task(waits.until(released, account_id=n % 10, seconds=60)) for n in range(100)]
        await asyncio.sleep(0)
        await waits.until(released, account_id=11, seconds=60)
        assert not any(task.done() for task in waiting)
        release.set()
        await asyncio.gather(*waiting)

    async def test_place_of_an_ended_wait_is_used_again(self) -> None:
        waits, calls = AnswerWaits(), 0

        async def at_the_second_look() -> bool:
            nonlocal calls
            calls += 1
            return calls % 2 == 0

        await waits.until(at_the_second_look, account_id=1, seconds=60)
        await waits.until(at_the_second_look, account_id=1, seconds=60)
        assert calls == 4

    async def test_one_account_does_not_take_all_places(self) -> None:
        waits, release = AnswerWaits(), asyncio.Event()

        async def released() -> bool:
            return await release.wait()

        waiting = [asyncio.create_task(waits.until(released, account_id=1, seconds=60)) for _ in range(10)]
        await asyncio.sleep(0)
        await waits.until(released, account_id=1, seconds=60)
        another = asyncio.create_task(waits.until(released, account_id=2, seconds=60))
        await asyncio.sleep(0)
        assert not another.done()
        release.set()
        await asyncio.gather(another, *waiting)

    async def test_end_of_the_time_cancels_no_question(self) -> None:
        asked: list[str] = []

        async def never() -> bool:
            asked.append("begun")
            await asyncio.sleep(0.02)
            asked.append("ended")
            return False

        await AnswerWaits().until(never, account_id=1, seconds=0.01)
        assert asked == ["begun", "ended"]
