"""The routes for calls of models over HTTP: path, policy and body reader, one row each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from mlpgateway.call.json_bodies import Read, read_method, read_predict, read_with_config, read_with_config_as_text
from mlplace_runtime.web.policy import Policy

_PREFIX = "/api/mlpgateway/account/{account}/model/{model}/"
_CALL_PARTS = 8
_SHORT_PARTS = 4


class CallsModels(Policy):
    """Allows a key with the permission predict, or a member of an account, to call own models and others' public ones.

    The stages authenticate and authorise of the hot path enforce it.
    """

    def describe(self) -> str:
        return "CallsModels(predict)"


@dataclass(frozen=True, slots=True)
class RawRoute:
    """`name` is the operation id in the OpenAPI document, `body` the name of the body's schema there.

    `elsewhere`: the methods that another service answers at this address.
    """

    name: str
    path: str
    policy: Policy
    read: Read
    body: str | None
    summary: str
    streamed: bool = False
    elsewhere: tuple[str, ...] = ()


class Match(msgspec.Struct, frozen=True):
    route: RawRoute
    account: str
    model: str


_POLICY: Final = CallsModels()
RAW_ROUTES: Final = (
    RawRoute(
        "predict", _PREFIX + "predict", _POLICY, read_predict, None,
        "Call a model: the body is its request, the answer its response, both unchanged",
    ),
    RawRoute(
        "predictWithConfig", _PREFIX + "predict-with-config", _POLICY, read_with_config, "PredictRequestData",
        "Call a model with a config",
    ),
    RawRoute(
        "predictWithConfig_v2", _PREFIX + "predict-with-config-v2", _POLICY, read_with_config_as_text,
        "Predict2RequestData", "Call a model with data and config as strings that hold JSON",
    ),
    RawRoute(
        "predictWithConfig_v2_stream", _PREFIX + "predict-with-config-v2-stream", _POLICY, read_with_config_as_text,
        "Predict2RequestData",
        "Like v2, with a streamed answer: one line of JSON for each part, or one server-sent event if the caller "
        "accepts text/event-stream. An error after the first part is a line or an event, too",
        streamed=True,
    ),
    RawRoute(
        "ext", _PREFIX + "ext", _POLICY, read_method, "ExtendedRequestData",
        "Call a method of a model other than predict",
    ),
    RawRoute(
        "servletPredict", "/p/{account}/{model}", _POLICY, read_predict, None,
        "Call a model: the short form of predict", elsewhere=("GET", "HEAD"),
    ),
)  # fmt: skip
_BY_CALL: Final[Mapping[str, RawRoute]] = {
    route.path.removeprefix(_PREFIX): route for route in RAW_ROUTES if route.path.startswith(_PREFIX)
}
_SHORT: Final = next(route for route in RAW_ROUTES if route.path.startswith("/p/"))


def match(path: str) -> Match | None:
    """Returns None for paths of the control endpoints and for unknown ones."""
    parts = path.split("/")
    if len(parts) == _CALL_PARTS:
        _, api, service, account_word, account, model_word, model, call = parts
        route = _BY_CALL.get(call)
        fits = (api, service, account_word, model_word) == ("api", "mlpgateway", "account", "model")
        return Match(route, account, model) if route and fits and account and model else None
    if len(parts) == _SHORT_PARTS and parts[1] == "p" and parts[2] and parts[3]:
        return Match(_SHORT, parts[2], parts[3])
    return None
