"""Who sees which metrics, and what is refused."""

from datetime import timedelta

import httpx
import pytest

from mlpcore.features.metrics.names import AccountMetric, InstanceMetric, ModelMetric, NodeMetric
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.clock import ManualClock
from mlplace_testing.gate_samples import Gate, sample
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

from .names import ACME, Hear

pytestmark = pytest.mark.own_database  # it has partitions
ADMIN = "/api/mlpcore/admin/request-metrics"
ALL = {
    f"{ACME}/metric": ("metrics", AccountMetric.CPU_USAGE),
    f"{ACME}/model/ner/metric": ("metrics", ModelMetric.CPU_USAGE),
    f"{ACME}/models/metric": ("metrics", ModelMetric.CPU_USAGE),
    f"{ACME}/models/metrics": ("metrics", ModelMetric.CPU_USAGE),
    f"{ACME}/metric-range": ("metrics", AccountMetric.CPU_USAGE),
    f"{ACME}/model/ner/metric-range": ("metrics", ModelMetric.CPU_USAGE),
    f"{ACME}/metric/start-time": ("metric", AccountMetric.CPU_USAGE),
    f"{ACME}/model/ner/metric/start-time": ("metric", ModelMetric.CPU_USAGE),
}


class TestRefusals:
    async def test_others_see_nothing_and_invalid_questions_are_refused(
        self, client: httpx.AsyncClient, publisher: World, model_id: int
    ) -> None:
        for path, (parameter, name) in ALL.items():
            query = {parameter: name.value, "minutes": "5", "models": "ner", "modelsIdes": str(model_id)}
            answer = await client.get(path, params=query, headers=publisher.owner)
            assert answer.status_code == 200, (path, answer.text)
            assert (await client.get(path, params=query)).status_code == 401, path
            assert (await client.get(path, params=query, headers=publisher.stranger)).status_code in {403, 404}, path
            wrong = {**query, parameter: "NO_SUCH_METRIC"}
            assert (await client.get(path, params=wrong, headers=publisher.owner)).status_code == 400, path
            del query[parameter]
            assert (await client.get(path, params=query, headers=publisher.owner)).status_code == 400, path

    async def test_key_limited_to_models_sees_no_totals_of_the_account(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, identities: Identities
    ) -> None:
        read = (KeyPermission.READ,)
        whole = identities.api_key(publisher.acme, permissions=read)
        limited = identities.api_key(publisher.acme, permissions=read, allowed_models=(model_id,))
        for path, (parameter, name) in ALL.items():
            query = {parameter: name.value, "minutes": "5", "models": "ner", "modelsIdes": str(model_id)}
            assert (await client.get(path, params=query, headers=whole)).status_code == 200, path
            wanted = 403 if path.startswith(f"{ACME}/metric") else 200
            assert (await client.get(path, params=query, headers=limited)).status_code == wanted, path

    @pytest.mark.parametrize(
        "change", [{"minutes": "0"}, {"minutes": "999999"}, {"stepSeconds": "0"}, {"stepSeconds": "99999999"}]
    )
    async def test_ranges_are_bounded(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, change: dict[str, str]
    ) -> None:
        query = {"metrics": "MODEL_CPU_USAGE", "minutes": "5"} | change
        answer = await client.get(f"{ACME}/model/ner/metric-range", params=query, headers=publisher.owner)
        assert answer.status_code == 400

    async def test_missing_instance_group_and_server_are_not_found(
        self, client: httpx.AsyncClient, publisher: World, model_id: int
    ) -> None:
        query = {"metrics": InstanceMetric.CPU_USAGE.value}
        answer = await client.get(f"{ACME}/model/ner/instance/99/metric", params=query, headers=publisher.owner)
        assert answer.status_code == 404
        query = {"metrics": NodeMetric.CPU_USAGE.value}
        answer = await client.get(f"{ACME}/resource-groups/none/metric", params=query, headers=publisher.owner)
        assert answer.status_code == 404


class TestModels:
    async def test_models_of_others_are_absent(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, clock: ManualClock
    ) -> None:
        await hear(Gate().report(clock.now(), sample(model_id, answered=2)))
        query = {"metrics": "MODEL_SUCCESS_REQUESTS_COUNT", "modelsIdes": [model_id, model_id + 1]}
        answer = await client.get(f"{ACME}/models/metrics", params=query, headers=publisher.owner)
        assert answer.json() == {str(model_id): {"MODEL_SUCCESS_REQUESTS_COUNT": 2}}
        query = {"metrics": "MODEL_SUCCESS_REQUESTS_COUNT", "models": ["ner", "none"]}
        answer = await client.get(f"{ACME}/models/metric", params=query, headers=publisher.owner)
        assert answer.json() == {"ner": {"MODEL_SUCCESS_REQUESTS_COUNT": 2}}
        foreign = {"metrics": "MODEL_SUCCESS_REQUESTS_COUNT", "modelsIdes": model_id}
        path = "/api/mlpcore/account/globex/models/metrics"
        assert (await client.get(path, params=foreign, headers=publisher.stranger)).json() == {}


class TestRequestMetrics:
    async def test_manager_sees_counted_and_saved_requests_by_service(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, clock: ManualClock
    ) -> None:
        await hear(Gate().report(clock.now() - timedelta(seconds=10), sample(model_id, answered=6, failed=1)))
        clock.advance(timedelta(seconds=1))
        details = {"modelAccountId": publisher.acme.account_id, "modelId": model_id,
                   "callerAccountId": publisher.globex.account_id, "date": clock.now().date().isoformat()}  # fmt: skip
        entry = {"requestDetailsData": details, "requestTypeData": "FIT", "isSuccess": False, "count": 1}
        assert (await client.post(f"{ADMIN}/save", json=[entry], headers=publisher.admin)).status_code == 200
        answer = await client.get(ADMIN, headers=publisher.admin)
        row = {"modelId": model_id, "totalSuccess": 6, "totalFail": 2, "failPercentage": 25}
        assert answer.json() == {
            "totalSuccessCount": 6, "totalFailCount": 2, "totalFailPercentage": 25, "modelMetrics": [row],
        }  # fmt: skip
        one = await client.get(f"{ADMIN}/account/acme/model/ner", params={"type": "FIT"}, headers=publisher.admin)
        assert one.json() == {"modelId": model_id, "totalSuccess": 0, "totalFail": 1, "failPercentage": 100}
        other = await client.get(ADMIN, params={"account": "globex"}, headers=publisher.admin)
        assert other.json()["modelMetrics"] == []
        past = {"startDate": "2020-01-01", "endDate": "2020-02-01"}
        assert (await client.get(ADMIN, params=past, headers=publisher.admin)).json()["totalSuccessCount"] == 0

    async def test_others_are_refused(self, client: httpx.AsyncClient, publisher: World, model_id: int) -> None:
        for path in (ADMIN, f"{ADMIN}/account/acme/model/ner"):
            assert (await client.get(path)).status_code == 401
            assert (await client.get(path, headers=publisher.owner)).status_code == 403
        assert (await client.post(f"{ADMIN}/save", json=[], headers=publisher.owner)).status_code == 403
        assert (await client.get(ADMIN, params={"type": "OTHER"}, headers=publisher.admin)).status_code == 400
        assert (await client.get(ADMIN, params={"account": "none"}, headers=publisher.admin)).status_code == 404
        missing = await client.get(f"{ADMIN}/account/acme/model/none", headers=publisher.admin)
        assert missing.status_code == 404
