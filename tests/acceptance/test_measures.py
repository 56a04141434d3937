"""What the platform counts of calls is what the caller counted, whichever gates served them."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from tests.acceptance.conftest import Platform
from tests.acceptance.own_models import GREETING, connected, external_instance, new_model, predict_path, running
from tests.acceptance.waiting import eventually

NAMES = ("MODEL_SUCCESS_REQUESTS_COUNT", "MODEL_FAILED_REQUESTS_COUNT", "MODEL_REFUSED_REQUESTS_COUNT")
ANSWERED, REFUSED = 45, 15
INTERVAL_SECONDS = 10
"""Gates report what they counted at the end of each interval."""


def counted(owner: httpx.Client, model: str) -> list[float]:
    """Returns the requests of the last five hours, more than the tests take: answered, failed, refused."""
    query = {"metrics": NAMES, "minutes": 300, "stepSeconds": 60}
    answer = owner.get(f"{model}/metric-range", params=query)
    assert answer.status_code == 200, answer.text
    return [sum(point["v"] for point in answer.json()[name]) for name in NAMES]


def test_known_calls_are_counted_once_each(platform: Platform, caller: httpx.Client, tmp_path: Path) -> None:
    """The model is new and free, so that nobody else calls it and no other test sees what the calls cost."""
    model = new_model(platform, caller, calls_wait=True)
    statuses: Counter[int] = Counter()

    def call(number: int) -> int:
        """A connection of its own: the edge chooses a gate for each."""
        body = {"name": "Анна"} if number % 4 else {"name": 5}
        with platform.client(**{"MLP-API-KEY": platform.api_key}) as client:
            return client.post(predict_path(model), json=body).status_code

    def ten_calls() -> list[int]:
        found = [call(1) for _ in range(10)]
        statuses.update(found)
        return found

    with external_instance(caller, model) as environment, running(GREETING, environment, tmp_path):
        eventually(lambda: connected(caller, model), until=lambda rows: rows == [True])
        eventually(ten_calls, until=lambda found: 404 not in found)  # gates learn of the model by an event
        with ThreadPoolExecutor(6) as threads:
            statuses.update(threads.map(call, range(ANSWERED + REFUSED)))
    assert set(statuses) <= {200, 400, 404}
    assert statuses[400] == REFUSED
    wanted = [statuses[200], 0, statuses[400]]
    found = eventually(lambda: counted(caller, model), until=lambda found: sum(found) >= sum(wanted), seconds=60)
    assert found == wanted
    time.sleep(INTERVAL_SECONDS + 2)  # no report is counted again
    assert counted(caller, model) == wanted
