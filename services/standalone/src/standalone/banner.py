"""The text that a started platform prints: its address, the demo's users and a working call."""

from standalone.demo.content import CALLER, DEMO_USERS, OWNER
from standalone.demo.state import DemoState
from standalone.distribution import DISTRIBUTION
from standalone.settings import StandaloneSettings


def banner(settings: StandaloneSettings, state: DemoState | None, place: str) -> str:
    """`place` tells where the demo's passwords can be read again."""
    lines = ["", f"MLPlace is up: {settings.rest_url}  (gate: {settings.gate_address})", ""]
    if settings.is_open:
        lines += [
            f"It listens on {settings.host}: everybody who can reach this machine over the network can reach it.",
            "",
        ]
    if state and state.api_key:
        lines += demo_lines(settings.rest_url, state.api_key, state, place)
    folder = settings.data_dir.absolute()
    lines += [
        "",
        f"Data: {folder}    delete all data: {DISTRIBUTION.reset(folder)}",
        f"Documentation: {settings.rest_url}/docs    API: {settings.rest_url}/swagger-ui    stop: Ctrl-C",
        "",
    ]
    return "\n".join(lines)


def demo_lines(url: str, api_key: str, state: DemoState, place: str) -> list[str]:
    """`url` is the platform's address for users. Shows the passwords only the first time."""
    account_id = api_key.split(".", 1)[0]
    return [
        *_users(state, place),
        "",
        f"API key of {CALLER.account}:",
        f"  {api_key}",
        "",
        "Try it:",
        "",
        f"  curl -s {url}/api/mlpgateway/account/{OWNER.account}/model/ner-ru/predict \\",
        f"    -H 'MLP-API-KEY: {api_key}' \\",
        "    -H 'Content-Type: application/json' \\",
        """    -d '{"texts": ["Иван Петров приехал из Казани в Москву к Анне Ахматовой"]}'""",
        "",
        "and see what it cost; a call is charged a few seconds after its answer:",
        "",
        f"  curl -s {url}/api/mlpbilling/account/{account_id}/balance/short \\",
        f"    -H 'MLP-API-KEY: {api_key}'",
    ]


def _users(state: DemoState, place: str) -> list[str]:
    passwords = {} if state.told else state.passwords or {}
    heading = f"Demo users (passwords: {place}):" if state.told else f"Demo users, shown once (later: {place}):"
    return [heading, *(f"  {user.login:<18} {passwords.get(user.login, ''):<18} {user.about}" for user in DEMO_USERS)]
