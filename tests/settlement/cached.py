"""Scenarios of models with a cache. Equal calls in progress share an answer, also while the owner's database is away."""

import asyncio
from base64 import b64encode

from mlplace_contracts.events import ModelCaching
from mlplace_runtime.secrets import Vault
from tests.settlement.case import CUSTOM, DIRECT, Case, Values
from tests.settlement.installation import PATIENCE, SECRET
from tests.settlement.instance import Turn
from tests.settlement.table import PRICE, UNITS

_NOBODY_LISTENS = "mongodb://127.0.0.1:9/x"


async def _share(case: Case, *, billing: Values | None = None, **reported: str) -> None:
    """The model is asked once, for two calls."""
    both_wait = asyncio.Event()

    async def script(turn: Turn) -> None:
        await both_wait.wait()
        await turn.answer(**reported)

    await case.open(billing=billing)
    sealed = Vault(bytes.fromhex(SECRET)).seal(_NOBODY_LISTENS, purpose=ModelCaching.purpose(case.owner))
    await case.change_model(caching=ModelCaching(address=b64encode(sealed).decode(), collection="answers", most=100))
    await case.known()
    instance = await case.serve(script)
    calls = [asyncio.create_task(case.call()) for _ in range(2)]
    await asyncio.wait_for(instance.asked.wait(), PATIENCE)
    await case.installation.a_call_waits_for_an_equal_one()
    both_wait.set()
    told = [(answer.status_code, answer.headers["Z-Cache"]) for answer in await asyncio.gather(*calls)]
    assert (sorted(told), len(instance.turns)) == ([(200, "hit"), (200, "miss")], 1)


async def shared_answer(case: Case) -> None:
    await _share(case)


async def shared_answer_with_units(case: Case) -> None:
    await _share(case, billing=CUSTOM, Z_custom_billing=str(UNITS))


async def shared_answer_with_an_amount(case: Case) -> None:
    await _share(case, billing=DIRECT, Z_custom_billing=str(PRICE))
