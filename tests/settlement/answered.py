"""Scenarios in which the model answers and the platform works."""

import grpc

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.settlement.case import CUSTOM, DIRECT, Case
from tests.settlement.instance import Turn
from tests.settlement.paths import METHOD, PREDICT, STREAM, WITH_CONFIG, Path
from tests.settlement.scripts import answers, answers_with, in_parts
from tests.settlement.table import PRICE, UNITS


async def _answered(case: Case, path: Path = PREDICT) -> None:
    answer = await case.call(path)
    assert answer.status_code == 200, answer.text


async def unary(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    await _answered(case)


async def with_config(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    await _answered(case, WITH_CONFIG)


async def another_method(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    await _answered(case, METHOD)


async def whole_stream(case: Case) -> None:
    await case.open()
    await case.serve(in_parts({}, {}, {}))
    answer = await case.call(STREAM)
    assert answer.text.splitlines() == ['"part 1"', '"part 2"', '"part 3"']


async def stream_without_content(case: Case) -> None:
    """Its last part is its only one, and empty."""

    async def script(turn: Turn) -> None:
        await turn.part("", last=True)

    await case.open()
    await case.serve(script)
    answer = await case.call(STREAM)
    assert (answer.status_code, answer.text) == (200, "")


async def over_grpc(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    request = pb.ClientRequestProto(account=str(case.owner), model=str(case.model), authToken=case.key)
    request.predict.data.json = "{}"
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        answer = await GateStub(channel).process(request)
    assert answer.predict.data.json == '"done"'


async def by_session(case: Case) -> None:
    await case.open(publicity={"public_testing_allowed": True})
    await case.serve(answers)
    answer = await case.call(Cookie=case.session())
    assert answer.status_code == 200, answer.text


async def custom_units(case: Case) -> None:
    await case.open(billing=CUSTOM)
    await case.serve(answers_with(Z_custom_billing=str(UNITS)))
    await _answered(case)


async def custom_units_in_parts(case: Case) -> None:
    await case.open(billing=CUSTOM)
    await case.serve(
        in_parts({"Z_custom_billing": "4"}, {"Z_custom_billing": "not a number"}, {"Z_custom_billing": "6"})
    )
    await _answered(case, STREAM)


async def direct_amount(case: Case) -> None:
    await case.open(billing=DIRECT)
    await case.serve(answers_with(Z_custom_billing=str(PRICE)))
    await _answered(case)


async def free_units(case: Case) -> None:
    """The payer has no money, only free units."""
    await case.open(money=0, billing={"free_unit_quota": 3})
    await case.serve(answers)
    await _answered(case)


async def free_custom_units(case: Case) -> None:
    await case.open(billing={**CUSTOM, "free_unit_quota": 5 * UNITS})
    await case.serve(answers_with(Z_custom_billing=str(UNITS)))
    await _answered(case)


async def some_free_units(case: Case) -> None:
    await case.open(billing={**CUSTOM, "free_unit_quota": 4})
    await case.serve(answers_with(Z_custom_billing=str(UNITS)))
    await _answered(case)


async def own_model(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    case.payer = case.owner
    case.key = await case.another_key(case.owner)
    await _answered(case)


async def called_again(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    for _ in range(2):
        answer = await case.call(MLP_API_KEY=case.key, Z_requestId="the-same")
        assert answer.status_code == 200


async def called_again_after_an_error(case: Case) -> None:
    await case.open()

    async def second_time_lucky(turn: Turn) -> None:
        await (turn.error() if len(turn.instance.turns) == 1 else turn.answer())

    await case.serve(second_time_lucky)
    assert (await case.call()).status_code == 400
    await _answered(case)
