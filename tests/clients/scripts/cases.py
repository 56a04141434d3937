"""Runs the cases of one client and prints the outcome of each. What it needs is in the environment."""

import base64
import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

BASE_URL, API_KEY, LIMITED_KEY = (os.environ[name] for name in ("BASE_URL", "API_KEY", "LIMITED_KEY"))
MODELS = json.loads(os.environ["MODELS"])
CHAT = MODELS["chat"]
RECORDING = base64.b64decode(os.environ["RECORDING"])
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "Tells the weather of a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def run(*cases: Callable[[], Any]) -> None:
    """Each case is a function; its name is that of the case. Anything that the client prints goes to the errors."""
    out, sys.stdout = sys.stdout, sys.stderr
    json.dump({case.__name__: _outcome(case) for case in cases}, out)
    out.write("\n")


def _outcome(case: Callable[[], Any]) -> dict[str, Any]:
    try:
        return {"returned": case()}
    except Exception as error:  # noqa: BLE001 - the test judges it
        response = getattr(error, "response", None)
        return {
            "raised": type(error).__name__,
            "status": getattr(error, "status_code", None),
            "code": getattr(error, "code", None),
            "retry_after": response.headers.get("retry-after") if response is not None else None,
            "text": str(error)[:500],
            "trace": traceback.format_exc()[-1500:],
        }
