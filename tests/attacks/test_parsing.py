"""Requests that are expensive to parse: large, deep, wide. The sender is a tenant with a key."""

import asyncio
import contextlib
from collections.abc import Callable

import httpx
import pytest

from tests.attacks.bystander import Bystander
from tests.attacks.people import Tenant

_MIB = 1024 * 1024
_AT_ONCE = 3
_ROUNDS = 3


def _wide() -> bytes:
    return b"[" + b"0," * (20 * _MIB) + b"0]"


def _deep() -> bytes:
    return b"[" * (20 * _MIB)


def _text() -> bytes:
    return b'"' + "я".encode() * (20 * _MIB) + b'"'


def _escaped() -> bytes:
    return b'"' + b"\\u0041" * (8 * _MIB) + b'"'


def _fields() -> bytes:
    return b"{" + b",".join(b'"%d":0' % number for number in range(2_000_000)) + b"}"


class TestLargeBody:
    @pytest.mark.parametrize(
        ("route", "make"),
        [
            ("predict", _wide),
            ("predict", _deep),
            ("predict", _text),
            ("predict", _fields),
            ("predict-with-config", _wide),
            ("ext", _escaped),
        ],
    )
    async def test_large_body_delays_no_other_caller(
        self, bystander: Bystander, attacker: Tenant, hostile: httpx.AsyncClient, route: str, make: Callable[[], bytes]
    ) -> None:
        body = make()
        headers = {"Content-Type": "application/json"}

        async def send() -> None:
            for _ in range(_ROUNDS):
                with contextlib.suppress(httpx.ReadError, httpx.WriteError):  # refused while it was being sent
                    answer = await hostile.post(f"{attacker.path}/{route}", content=body, headers=headers)
                    assert answer.status_code in {400, 413, 429, 503, 504}, answer.text

        async with bystander.undisturbed():
            await asyncio.gather(*(send() for _ in range(_AT_ONCE)))
