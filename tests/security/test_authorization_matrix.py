"""Requests every route with every credential that must be refused."""

import re
from collections.abc import Callable

import pytest

from mlplace_runtime.auth.authenticator import INTERNAL_HEADER
from tests.security.callers import Cast, ask, refusals
from tests.security.hostile_requests import request_for
from tests.security.platform import INTERNAL_TOKEN, Platform
from tests.security.routes import Route, all_routes, gate_methods, probes
from tests.security.samples import BY_NAME, ORDER, SAMPLES
from tests.security.tenants import Person, Recipe, Tenant, serving

pytestmark = pytest.mark.timeout(600)
UNAUTHORIZED, FORBIDDEN = frozenset({401}), frozenset({403})
GATE_METHODS = {
    "healthCheck", "processAsync", "process", "processResponseStream", "processStream", "processSynthesis",
    "processRecognition",
}  # fmt: skip
HARMLESS_WRITES = {
    "accountsadmin.end_session", "accountsadmin.end_other_sessions", "accountsadmin.change_password",
    "accountsadmin.select_account", "accountsadmin.accept_invitation", "accountsadmin.decline_invitation",
    "mlpcore.set_favorite", "mlpcore.get_model_list", "mlpcore.check_model_name_availability",
    "mlpcore.update_account_activity", "mlpcore.update_last_activity",
    "mlpcore.mark_tasks_read", "mlpcore.mark_notifications_read", "mlpcore.update_notification_settings",
    "mlpcore.preview_placement", "mlpcore.dry_run_scaling",  # change nothing
    "mlpcore.request_feature",  # sends a request to the team
    "accountsadmin.send_email_confirmation",
    "mlpbilling.take_welcome_bonus",
    "mlpbilling.refill_by_card",  # brings money in
    "accountsadmin.end_membership",  # ends one's own membership; TestNarrowCredentials covers those of others
}  # fmt: skip
"""Routes with another method than GET that change only the caller's own data."""


NARROW = {
    "get_paged_models", "get_model_counts", "get_model_list", "get_recent_calls", "get_models_metric",
    "get_models_metrics_by_id", "list_secrets", "create_secret", "replace_secret", "delete_secret",
    "list_selected_account_jobs", "short_tasks_view", "mark_tasks_read", "stop_job",  # of the key's models
    "restart_image_models",  # restarts the key's models only
    "create_access_token",  # of keys that may do no more
    "ensure_account", "ensure_account_with_id", "update_account_activity", "get_blocked",  # the account itself
    "list_predictions", "get_prediction", "delete_predictions", "delete_prediction", "get_prediction_output",
    "cancel_prediction", "follow_prediction", "list_deliveries", "replay_delivery",  # of this key
}  # fmt: skip
"""Routes of a whole account that a key which is limited to models may use."""


def having(condition: Callable[[Route], bool]) -> list[Route]:
    return [route for route in all_routes() if condition(route)]


def says(route: Route, *words: str) -> bool:
    """Whether a policy contains one of the words: a permission, a role, a feature."""
    return any(set(re.findall(r"[\w.]+", policy)) & set(words) for policy in route.policies)


def of_account(route: Route) -> bool:
    named = {"account", "accountId"} & set(route.parameters)
    return bool(named) and not route.open_to_all and not route.inside and not ignores_credentials(route)


def of_whole_account(route: Route) -> bool:
    selected = route.is_a("Member") or route.is_a("InSelectedAccount")
    return selected and "model" not in route.parameters and not says(route, "session")


def ignores_credentials(route: Route) -> bool:
    """Whether the route is for visitors: it answers everybody alike, and here 401, because no model is open to them."""
    return route.is_a("LetsVisitorsTry")


class TestRouteList:
    def test_every_route_has_a_sample(self) -> None:
        missing = [
            f'{route.name} ({route.method} {route.path}): add "{route.operation}": Sample(...) to samples.py'
            for route in all_routes()
            if route.operation not in SAMPLES[route.service]
        ]
        assert missing == []

    def test_every_sample_has_a_route(self) -> None:
        assert set(ORDER) - {(route.service, route.operation) for route in all_routes()} == set()

    def test_every_path_parameter_is_known(self) -> None:
        unknown = {(route.name, name) for route in all_routes() for name in route.parameters if name not in BY_NAME}
        assert unknown == set(), "samples.py: say in BY_NAME what the parameter stands for"

    def test_every_method_of_the_gate_is_covered(self) -> None:
        assert set(gate_methods()) == GATE_METHODS, "test_gate_access.py: add a case for the new method"

    def test_routes_that_change_data_require_more_than_read(self) -> None:
        lax = [
            route.name
            for route in all_routes()
            if route.method != "GET"
            and not route.inside
            and not route.open_to_all
            and not route.is_a("Superadmin")
            and not route.is_a("OwnCredential")
            and not ignores_credentials(route)
            and not says(route, "write", "predict")
        ]
        assert set(lax) == HARMLESS_WRITES & set(lax), "declare WRITE, or say why reading is enough"


class TestDeadCredentials:
    @pytest.mark.parametrize("who", ["a made-up key", "a key in no form", "a revoked key", "an expired key"])
    async def test_an_invalid_key_is_refused(self, platform: Platform, globex: Tenant, cast: Cast, who: str) -> None:
        routes = having(lambda route: not route.is_a("OwnCredential"))
        assert await refusals(platform, routes, globex, cast.dead_keys[who], expected=UNAUTHORIZED) == []

    @pytest.mark.parametrize(
        "who", ["nobody", "a made-up session", "a session that signed out", "an expired session", "a blocked user"]
    )
    async def test_an_invalid_session_counts_as_a_visitor(
        self, platform: Platform, globex: Tenant, cast: Cast, who: str
    ) -> None:
        routes = having(lambda route: not route.open_to_all and not route.is_a("OwnCredential"))
        assert await refusals(platform, routes, globex, cast.dead_sessions[who], expected=UNAUTHORIZED) == []

    async def test_a_blocked_account_refuses_its_owner(self, platform: Platform, cast: Cast) -> None:
        routes = having(lambda route: of_account(route) and not route.is_a("Superadmin"))
        headers = cast.closed.owner.headers
        assert await refusals(platform, routes, cast.closed, headers, expected=frozenset({403, 404})) == []
        selected = having(lambda route: route.is_a("InSelectedAccount"))
        assert await refusals(platform, selected, cast.closed, headers, expected=frozenset({400, 403, 409})) == []

    async def test_a_blocked_accounts_keys_are_refused(self, platform: Platform, cast: Cast) -> None:
        routes = having(lambda route: not route.is_a("OwnCredential"))
        assert await refusals(platform, routes, cast.closed, cast.closed.key, expected=UNAUTHORIZED) == []


class TestNarrowCredentials:
    async def test_the_lowest_role_neither_writes_nor_manages(self, platform: Platform, globex: Tenant) -> None:
        routes = having(lambda route: of_account(route) and says(route, "write", "MLP_DEVELOPER", "OWNER"))
        assert await refusals(platform, routes, globex, globex.member.headers, expected=FORBIDDEN) == []

    async def test_the_lowest_role_cannot_end_others_memberships(self, platform: Platform, globex: Tenant) -> None:
        path = f"/api/accountsadmin/account/{globex.account_id}/member/{globex.owner.user_id}"
        async with platform.client(globex.member.headers) as client:
            assert (await client.delete(path)).status_code == 403

    @pytest.mark.parametrize("own", ["read", "predict", "write"])
    async def test_a_key_is_limited_to_its_permissions(
        self, platform: Platform, globex: Tenant, cast: Cast, own: str
    ) -> None:
        key = {"read": cast.read_key, "predict": cast.predict_key, "write": cast.write_key}[own]
        others = {"read", "predict", "write"} - {own}
        routes = having(lambda route: says(route, *others) and not says(route, own))
        assert await refusals(platform, routes, globex, key, expected=FORBIDDEN) == []

    async def test_a_key_for_one_model_is_refused_for_others(
        self, platform: Platform, globex: Tenant, cast: Cast
    ) -> None:
        routes = having(
            lambda route: (
                "model" in route.parameters
                and not route.inside
                and not ignores_credentials(route)
                and route.operation != "delete_model"
            )
        )
        assert await refusals(platform, routes, globex, cast.limited_key, expected=frozenset({403, 404})) == []

    async def test_a_key_for_one_model_is_refused_where_the_whole_account_is_concerned(
        self, platform: Platform, globex: Tenant, cast: Cast
    ) -> None:
        """Images, resource groups, servers, other keys, totals, money: what other models use or tell of."""
        routes = having(lambda route: of_whole_account(route) and not says(route, "narrows"))
        assert await refusals(platform, routes, globex, cast.limited_key, expected=FORBIDDEN) == []

    def test_no_other_route_of_a_whole_account_lets_a_key_for_one_model_in(self) -> None:
        narrow = {route.operation for route in having(of_whole_account) if says(route, "narrows")}
        assert narrow == NARROW, "show and change only what belongs to the key's models, and say so here"

    async def test_routes_of_a_feature_require_it(self, platform: Platform, cast: Cast) -> None:
        model = {"modelName": "m", "imageAccountId": 1, "imageId": 1, "taskType": "custom", "hostingType": "EXTERNAL"}
        async with platform.client(cast.plain.owner.headers) as client:
            answer = await client.post(f"/api/mlpcore/account/{cast.plain.account_id}/model", json=model)
        assert (answer.status_code, answer.json()["args"]) == (403, {"feature": "mlp.model_admin"})

    async def test_keys_are_refused_where_only_persons_are_allowed(self, platform: Platform, globex: Tenant) -> None:
        routes = having(lambda route: route.is_a("SessionOnly") or says(route, "session") or route.is_a("Superadmin"))
        assert await refusals(platform, routes, globex, globex.key, expected=FORBIDDEN) == []


class TestStrangers:
    @pytest.mark.parametrize("how", ["session", "key"])
    async def test_another_account_is_refused(self, platform: Platform, acme: Tenant, globex: Tenant, how: str) -> None:
        routes = having(lambda route: of_account(route) and not route.is_a("Superadmin"))
        headers = acme.owner.headers if how == "session" else acme.key
        assert await refusals(platform, routes, globex, headers, expected=frozenset({403, 404})) == []

    async def test_selecting_a_foreign_account_by_cookie_selects_nothing(
        self, platform: Platform, acme: Tenant, globex: Tenant
    ) -> None:
        routes = having(lambda route: route.is_a("InSelectedAccount"))
        forged = {"Cookie": f"SESSION_ID={acme.owner.secret}; SELECTED_ACCOUNT={globex.account_id}"}
        assert await refusals(platform, routes, globex, forged, expected=frozenset({400, 403, 409})) == []

    @pytest.mark.parametrize("who", ["owner", "member"])
    async def test_ordinary_users_are_refused_by_admin_routes(
        self, platform: Platform, globex: Tenant, who: str
    ) -> None:
        routes = having(lambda route: route.is_a("Superadmin"))
        headers = globex.owner.headers if who == "owner" else globex.member.headers
        assert await refusals(platform, routes, globex, headers, expected=FORBIDDEN) == []


class TestInternalRoutes:
    @pytest.mark.parametrize("who", ["superadmin", "key", "wrong token", "empty token", "beginning of the token"])
    async def test_internal_routes_refuse_requests_without_the_token(
        self, platform: Platform, globex: Tenant, admin: Person, who: str
    ) -> None:
        headers = {
            "superadmin": admin.headers,
            "key": globex.key,
            "wrong token": {INTERNAL_HEADER: "x" * len(INTERNAL_TOKEN)},
            "empty token": {INTERNAL_HEADER: ""},
            "beginning of the token": {INTERNAL_HEADER: INTERNAL_TOKEN[:-1]},
        }[who]
        routes = having(lambda route: route.inside)
        assert await refusals(platform, routes, globex, headers, expected=UNAUTHORIZED) == []

    async def test_the_edge_refuses_requests_even_with_the_token(self, platform: Platform, globex: Tenant) -> None:
        inside = having(lambda route: route.inside)
        paths = [(route.method, request_for(route, globex).path) for route in inside] + [
            ("GET", path) for path in probes() if not path.startswith(("/api/", "/health"))
        ]
        async with platform.client({INTERNAL_HEADER: INTERNAL_TOKEN}) as client:
            answers = [(path, (await client.request(method, path, json={})).status_code) for method, path in paths]
        assert [answer for answer in answers if answer[1] not in {401, 404}] == []


class TestOwner:
    """Shows that the samples are valid: with broken requests all other tests of this file would pass too."""

    async def test_the_owner_can_make_every_request(self, platform: Platform, recipe: Recipe, admin: Person) -> None:
        tenant = await recipe.tenant("initech")
        by_name = {(route.service, route.operation): route for route in all_routes()}
        async with serving(platform, tenant):
            wrong = [await _unlike(platform, recipe, by_name[entry], tenant, admin) for entry in ORDER]
        if any(wrong):
            pytest.fail("\n".join(filter(None, wrong)))


async def _unlike(platform: Platform, recipe: Recipe, route: Route, tenant: Tenant, admin: Person) -> str:
    """Describes what is wrong with the answer to an authorised caller; empty if nothing is."""
    sample = SAMPLES[route.service][route.operation]
    headers = admin.headers if route.is_a("Superadmin") else tenant.owner.headers
    if route.inside:
        headers = {INTERNAL_HEADER: INTERNAL_TOKEN}
    elif sample.anew:
        headers = (await recipe.sign_in(tenant.owner.login, tenant.account_id)).headers
    answer = await ask(platform, route, request_for(route, tenant), headers)
    return "" if answer.status == sample.status else f"{route.name}: {answer.status} {answer.text[:200]}"
