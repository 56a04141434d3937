"""Creates the secrets of an installation, and adds keys that they lack. Existing values are never changed.

PLAN is JSON: the name of each Secret, and its keys. A value is text with `{random}`, 32 random bytes in hexadecimal, or
with `{KEY}`, the value of a key that refers to no other. Runs in the cluster as a hook of Helm.
"""

import base64
import json
import os
import re
import secrets
import ssl
import sys
import urllib.error
import urllib.request
from pathlib import Path

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
SECONDS = 20
REFERENCE = re.compile(r"\{([A-Z_]+)\}")


def call(method: str, path: str, body: object = None, kind: str = "application/json") -> dict:
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
    server = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    request = urllib.request.Request(
        f"https://{server}/api/v1/namespaces/{os.environ['NAMESPACE']}/secrets{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {(ACCOUNT / 'token').read_text()}", "Content-Type": kind},
    )
    context = ssl.create_default_context(cafile=str(ACCOUNT / "ca.crt"))
    with urllib.request.urlopen(request, timeout=SECONDS, context=context) as answer:  # noqa: S310  as above
        return json.load(answer)


def completed(stored: dict[str, str], plan: dict[str, str]) -> dict[str, str]:
    """The keys that are missing in `stored`, with their values."""
    values = dict(stored)
    for key, template in sorted(plan.items(), key=lambda item: bool(REFERENCE.search(item[1]))):
        filled = template.replace("{random}", secrets.token_hex(32))
        values.setdefault(key, REFERENCE.sub(lambda found: values[found[1]], filled))
    return {key: value for key, value in values.items() if key not in stored}


def ensure(name: str, plan: dict[str, str]) -> str:
    try:
        found = call("GET", f"/{name}")
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        found = None
    stored = {key: base64.b64decode(value).decode() for key, value in ((found or {}).get("data") or {}).items()}
    missing = completed(stored, plan)
    if found is None:
        labels = {"app.kubernetes.io/instance": os.environ["RELEASE"], "app.kubernetes.io/part-of": "mlplace"}
        body = {"metadata": {"name": name, "labels": labels}, "type": "Opaque", "stringData": missing}
        call("POST", "", body)
        return f"created the Secret {name}"
    if missing:
        call("PATCH", f"/{name}", {"stringData": missing}, "application/merge-patch+json")
        return f"added {', '.join(missing)} to the Secret {name}"
    return f"the Secret {name} is complete"


if __name__ == "__main__":
    for name, plan in json.loads(os.environ["PLAN"]).items():
        print(ensure(name, plan), file=sys.stderr)
