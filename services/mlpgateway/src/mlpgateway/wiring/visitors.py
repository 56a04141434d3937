"""The pipeline of visitors: the stages of other callers with the visitors' own policies."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlpgateway.pipeline.pipeline import Pipeline
from mlpgateway.pipeline.stages import Stages
from mlpgateway.policy.access.keyring import Keyring
from mlpgateway.policy.money.estimates import Estimates
from mlpgateway.policy.visitors.limits import VisitorTerms, total_rule
from mlpgateway.policy.visitors.stages import (
    UncountedFailures,
    VisitorAdmit,
    VisitorAuthenticate,
    VisitorAuthorise,
    VisitorPlans,
)
from mlpgateway.readmodels.all import ReadModels
from mlpgateway.settings import MlpgatewaySettings
from mlplace_runtime.auth.sources import CachedSessions


class Visitors(NamedTuple):
    handler: Pipeline
    authorise: VisitorAuthorise
    terms: VisitorTerms
    ready: Callable[[], bool]


def make_visitors(
    settings: MlpgatewaySettings,
    stages: Stages,
    read_models: ReadModels,
    keyring: Keyring,
    sessions: CachedSessions,
    links: ConnectedInstances,
) -> Visitors:
    """Shares with other callers what is limited: the queues of models, places, the usage spool.

    Breakers, price estimates and statistics are apart: nobody without an account shall change what others experience.
    """
    terms = terms_of(settings)
    authorise = VisitorAuthorise(read_models, test_form_required=False)
    admit, recorders = stages.admit, stages.recorders
    visitors = replace(
        stages,
        authenticate=VisitorAuthenticate(keyring=keyring, sessions=sessions, accounts=read_models.accounts),
        authorise=authorise,
        admit=VisitorAdmit(
            admit.read_models,
            admit.gatekeeper,
            admit.leases,
            admit.estimates,
            admit.default_per_second,
            admit.default_max_price_nano,
            total=total_rule(terms),
        ),
        plans=VisitorPlans(),
        breakers=Breakers(links),
        recorders=replace(
            recorders,
            estimates=Estimates(first_cost_nano=settings.first_cost_nano),
            failed=UncountedFailures(),
        ),
        deputy=None,
    )
    return Visitors(Pipeline(visitors), authorise, terms, stages.ready)


def terms_of(settings: MlpgatewaySettings) -> VisitorTerms:
    return VisitorTerms(
        per_minute=settings.visitor_calls_per_minute,
        per_day=settings.visitor_calls_per_day,
        total_per_minute=settings.visitors_per_minute,
        at_once=settings.visitors_at_once,
        body_bytes=settings.visitor_body_bytes,
        answer_seconds=settings.visitor_seconds,
    )
