"""What the platform counts of calls is what the caller counted, whichever gates served them."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx

from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually

MODEL = "account/acme/model/greeting"
NAMES = ("MODEL_SUCCESS_REQUESTS_COUNT", "MODEL_FAILED_REQUESTS_COUNT", "MODEL_REFUSED_REQUESTS_COUNT")
ANSWERED, REFUSED = 45, 15
INTERVAL_SECONDS = 10
"""Gates report what they counted at the end of each interval."""


def counted(owner: httpx.Client) -> list[float]:
    """Returns the requests of the last five hours, more than the tests take: answered, failed, refused."""
    query = {"metrics": NAMES, "minutes": 300, "stepSeconds": 60}
    answer = owner.get(f"/api/mlpcore/{MODEL}/metric-range", params=query)
    assert answer.status_code == 200, answer.text
    return [sum(point["v"] for point in answer.json()[name]) for name in NAMES]


def at_rest(owner: httpx.Client) -> list[float]:
    """Returns the requests once the last calls of other tests are reported."""
    seen = counted(owner)
    for _ in range(10):
        time.sleep(INTERVAL_SECONDS + 2)
        if (now := counted(owner)) == seen:
            return now
        seen = now
    raise TimeoutError(f"somebody else calls the model: {seen}")


def test_known_calls_are_counted_once_each(platform: Platform, owner: httpx.Client) -> None:
    before = at_rest(owner)

    def call(number: int) -> int:
        """A connection of its own: the edge chooses a gate for each."""
        body = {"name": "Анна"} if number % 4 else {"name": 5}
        with platform.client(**{"MLP-API-KEY": platform.api_key}) as client:
            return client.post(f"/api/mlpgateway/{MODEL}/predict", json=body).status_code

    with ThreadPoolExecutor(6) as threads:
        answers = Counter(threads.map(call, range(ANSWERED + REFUSED)))
    assert answers == {200: ANSWERED, 400: REFUSED}
    wanted = [before[0] + ANSWERED, before[1], before[2] + REFUSED]
    assert eventually(lambda: counted(owner), until=lambda found: sum(found) >= sum(wanted), seconds=60) == wanted
    time.sleep(INTERVAL_SECONDS + 2)  # no report is counted again
    assert counted(owner) == wanted
