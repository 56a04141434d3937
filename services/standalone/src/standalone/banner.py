"""What a user reads when the platform is up: where it is, who may sign in, and one call that works."""

from standalone.demo.content import CALLER, DEMO_USERS, OWNER
from standalone.settings import StandaloneSettings


def banner(settings: StandaloneSettings, api_key: str | None) -> str:
    lines = ["", f"MLPlace is up: {settings.rest_url}  (gate: {settings.gate_address})", ""]
    if api_key:
        lines += ["Demo users, all with password " + DEMO_USERS[0].password + ":"]
        lines += [f"  {user.login:<22} {user.about}" for user in DEMO_USERS]
        lines += ["", f"API key of {CALLER.account}:", f"  {api_key}", "", "Try it:", "", *curl(settings, api_key)]
        lines += [
            "",
            f"and see what it cost: curl -s {settings.rest_url}/api/mlpbilling/account/ACCOUNT_ID/balance/short "
            f"-H 'MLP-API-KEY: {api_key}'".replace("ACCOUNT_ID", api_key.split(".", 1)[0]),
        ]
    lines += [
        "",
        f"API documentation: {settings.rest_url}/api/mlpcore/docs    stop: Ctrl-C    forget all: make reset",
        "",
    ]
    return "\n".join(lines)


def curl(settings: StandaloneSettings, api_key: str) -> list[str]:
    return [
        f"  curl -s {settings.rest_url}/api/mlpgateway/account/{OWNER.account}/model/ner-ru/predict \\",
        f"    -H 'MLP-API-KEY: {api_key}' -H 'Content-Type: application/json' \\",
        """    -d '{"texts": ["Иван Петров приехал из Казани в Москву к Анне Ахматовой"]}'""",
    ]
