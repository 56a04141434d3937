"""What instances do in many scenarios."""

import asyncio

from tests.settlement.instance import Script, Turn

_ANY_FORM = (
    '{"choices": [{"index": 0, "message": {"content": "hi"}}], "data": [], "audio_base64": "AAAA", "text": "hi"}'
)


async def answers(turn: Turn) -> None:
    await turn.answer()


async def any_form(turn: Turn) -> None:
    """Every adapter finds its answer in this one."""
    await turn.answer(_ANY_FORM)


async def says_half(turn: Turn) -> None:
    await turn.answer('{"n":')


async def fails(turn: Turn) -> None:
    await turn.error()


async def hangs(_turn: Turn) -> None:
    await asyncio.Event().wait()


async def dies(turn: Turn) -> None:
    turn.die()


def answers_with(**headers: str) -> Script:
    async def script(turn: Turn) -> None:
        await turn.answer(**headers)

    return script


def in_parts(*headers: dict[str, str]) -> Script:
    """One part for each entry, the last one marked as such."""

    async def script(turn: Turn) -> None:
        for number, told in enumerate(headers, start=1):
            await turn.part(f'"part {number}"', last=number == len(headers), **told)

    return script


def parts_then_nothing(units: str) -> Script:
    async def script(turn: Turn) -> None:
        await turn.part('"part 1"', Z_custom_billing=units)
        await turn.part('"part 2"', Z_custom_billing=units)

    return script
