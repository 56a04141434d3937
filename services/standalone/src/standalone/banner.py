"""What a user reads when the platform is up: where it is, who may sign in, and one call that works."""

from standalone.demo.content import CALLER, DEMO_USERS, OWNER
from standalone.settings import StandaloneSettings


def banner(settings: StandaloneSettings, api_key: str | None) -> str:
    lines = ["", f"MLPlace is up: {settings.rest_url}  (gate: {settings.gate_address})", ""]
    if api_key:
        lines += demo_lines(settings.rest_url, api_key)
    lines += [
        "",
        f"API documentation: {settings.rest_url}/api/mlpcore/docs    stop: Ctrl-C    forget all: make reset",
        "",
    ]
    return "\n".join(lines)


def demo_lines(url: str, api_key: str) -> list[str]:
    """`url` is the platform's address as users know it."""
    account_id = api_key.split(".", 1)[0]
    return [
        "Demo users, all with password " + DEMO_USERS[0].password + ":",
        *(f"  {user.login:<22} {user.about}" for user in DEMO_USERS),
        "",
        f"API key of {CALLER.account}:",
        f"  {api_key}",
        "",
        "Try it:",
        "",
        f"  curl -s {url}/api/mlpgateway/account/{OWNER.account}/model/ner-ru/predict \\",
        f"    -H 'MLP-API-KEY: {api_key}' -H 'Content-Type: application/json' \\",
        """    -d '{"texts": ["Иван Петров приехал из Казани в Москву к Анне Ахматовой"]}'""",
        "",
        (
            f"and see what it cost: curl -s {url}/api/mlpbilling/account/{account_id}/balance/short "
            f"-H 'MLP-API-KEY: {api_key}'"
        ),
    ]
