"""A caller who writes another address into every header that names one, and whom the platform takes it to be."""

import httpx

from tests.acceptance.conftest import Platform

FORGED = "203.0.113.9"
HEADERS = {"X-Forwarded-For": FORGED, "X-Real-IP": FORGED, "Forwarded": f"for={FORGED}"}
_LOGIN = "/api/accountsadmin/c/authorization/login"
_SESSIONS = "/api/accountsadmin/c/sessions"

PROGRAM = f"""
import json, sys, urllib.request

url, login, password = sys.argv[1:]
headers = {{**{HEADERS!r}, "Content-Type": "application/json"}}
credentials = json.dumps({{"login": login, "password": password}}).encode()
with urllib.request.urlopen(urllib.request.Request(url + "{_LOGIN}", credentials, headers), timeout=60) as answer:
    headers["Cookie"] = "; ".join(line.split(";")[0] for line in answer.headers.get_all("Set-Cookie"))
with urllib.request.urlopen(urllib.request.Request(url + "{_SESSIONS}", headers=headers), timeout=60) as answer:
    print(next(row["address"] for row in json.load(answer) if row["current"]))
"""
"""Prints what `address_of` returns, for the machine where it runs. Arguments: URL of the edge or a service, login,
password."""


def address_of(platform: Platform, login: str) -> str:
    """The address that the list of sessions shows after signing in from here."""
    credentials = {"login": login, "password": platform.passwords[login]}
    with platform.client(**HEADERS) as client:
        client.post(_LOGIN, json=credentials).raise_for_status()
        sessions: list[dict[str, object]] = client.get(_SESSIONS).raise_for_status().json()
    return str(next(row["address"] for row in sessions if row["current"]))


def allow(admin: httpx.Client, account_id: int, networks: list[str]) -> None:
    """Let an account's calls come only from these."""
    admin.post(f"/api/mlpcore/admin/account/{account_id}/whiteList", json=networks).raise_for_status()
