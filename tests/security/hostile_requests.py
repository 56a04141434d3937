"""Builds requests from samples: caller, path, and ids in query and body."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tests.security.routes import Route
from tests.security.samples import BY_NAME, SAMPLES
from tests.security.tenants import Tenant


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Mapping[str, object]
    body: object
    text: bool
    named: frozenset[str]
    """Ids and names in the request, which an answer may repeat."""


def request_for(route: Route, me: Tenant, *, path: Tenant | None = None, other: Tenant | None = None) -> Request:
    """A request as `me`, about objects of `path` (default: one's own), with ids of `other` in query and body."""
    sample = SAMPLES[route.service].get(route.operation)
    if sample is None:
        raise LookupError(f"samples.py knows no sample for {route.name} ({route.method} {route.path})")
    whose, other = path or me, other or me
    values = {name: (sample.path or {}).get(name, BY_NAME[name])(whose) for name in route.parameters}
    query = sample.query(me, other)
    body = sample.body(me, other)
    named = {str(value) for value in (*values.values(), *query.values())} | _texts(body)
    return Request(route.method, route.path.format(**values), query, body, sample.text, frozenset(named))


def _texts(value: object) -> set[str]:
    match value:
        case dict():
            return set().union(*map(_texts, value.values()))
        case list():
            return set().union(*map(_texts, value))
        case bool() | None:
            return set()
        case _:
            return {str(value)}


def ghost(of: Tenant) -> Tenant:
    """A nonexistent tenant with ids that look like those of the given one."""
    far = 770_000
    nobody = replace(of.owner, login="gone@example.org", user_id=of.owner.user_id + far)
    nobody = replace(nobody, session_id=of.owner.session_id + far)
    return replace(
        of,
        name="ghostx"[: len(of.name)], account_id=of.account_id + far, owner=nobody,
        member=replace(of.member, user_id=of.member.user_id + far),
        image_id=of.image_id + far, data_image_id=of.data_image_id + far, dataset_id=of.dataset_id + far, model_id=of.model_id + far, model_name="ghostx-1",
        second_model_id=of.second_model_id + far, instance_id=of.instance_id + far, config_id=of.config_id + far, secret_id=of.secret_id + far,
        group_id=of.group_id + far, key_id=of.key_id + far, resource_group="ghostx-servers",
        server_id=of.server_id + far, template_id=of.template_id + far, sent_invitation_id=of.sent_invitation_id + far,
        received_invitation_id=of.received_invitation_id + far, task_id=of.task_id + far,
        key={"MLP-API-KEY": f"{of.account_id}.{of.key_id}.{'x' * 40}"},
        enrolment_token=f"{of.account_id}.{of.server_id}.{'x' * 40}",
    )  # fmt: skip
