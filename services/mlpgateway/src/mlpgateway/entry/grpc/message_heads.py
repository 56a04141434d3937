"""Identifies the sender of a large message from its beginning, before the rest is read."""

from collections.abc import Callable
from typing import Final

from mlpgateway.call.grpc_peers import client_ip
from mlpgateway.call.ports import InstanceEntry
from mlpgateway.entry.grpc.client_messages import credential_caller
from mlpgateway.errors.gate import InstanceByTokenNotFound
from mlpgateway.http2.errors import CallRefused
from mlpgateway.http2.headers import Metadata
from mlpgateway.http2.incoming import Judge
from mlpgateway.policy.access.entrance import Holders
from mlpgateway.shares.share import Holder
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.errors import NotAuthorized
from mlplace_runtime.process.trusted_proxies import TrustedProxies

_CLIENT_KEY: Final = (pb.ClientRequestProto.AUTHTOKEN_FIELD_NUMBER,)
_INSTANCE_TOKEN: Final = (
    pb.ServiceToGateProto.STARTSERVING_FIELD_NUMBER,
    pb.StartServingProto.CONNECTIONTOKEN_FIELD_NUMBER,
)
_WITH_LENGTH: Final = 2
_SIZES: Final = {1: 8, 5: 4}
_MOST_FIELDS: Final = 32
_MOST_BITS: Final = 64


def text_at(data: bytes, path: tuple[int, ...]) -> str | None:
    """Returns the text at a path of field numbers in a message, whose end may be missing; None when not found."""
    at, end = 0, len(data)
    left = list(path)
    try:
        for _ in range(_MOST_FIELDS):
            tag, at = _varint(data, at, end)
            kind = tag & 7
            if kind == _WITH_LENGTH:
                size, at = _varint(data, at, end)
                if tag >> 3 != left[0]:
                    at += size
                elif len(left) > 1:
                    left.pop(0)
                    end = min(end, at + size)
                else:
                    return data[at : at + size].decode() if at + size <= end else None
            elif kind == 0:
                _, at = _varint(data, at, end)
            else:
                at += _SIZES[kind]
    except (IndexError, KeyError, UnicodeDecodeError):
        pass
    return None


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Returns the value and the position behind it. Raises IndexError when there is no varint."""
    value = 0
    for shift in range(0, _MOST_BITS, 7):
        if at >= end:
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise IndexError


def of_clients(holders: Holders, proxies: TrustedProxies) -> Judge:
    """Judges ClientRequestProto, ClientTtsRequestProto and ClientAsrRequestProto: field 3 of each is the key."""

    async def judge(beginning: bytes, metadata: Metadata, peer: str) -> Holder | None:
        key = text_at(beginning, _CLIENT_KEY)
        if not key:
            raise NotAuthorized
        return await holders.holder(credential_caller(key, client_ip(peer, metadata, proxies)))

    return judge


def of_instances(find: Callable[[str], InstanceEntry | None]) -> Judge:
    """Judges messages of instances. `find` returns the instance for a connection token."""

    async def judge(beginning: bytes, _metadata: Metadata, _peer: str) -> Holder | None:
        token = text_at(beginning, _INSTANCE_TOKEN)
        entry = find(token) if token else None
        if entry is None:
            raise InstanceByTokenNotFound
        return entry.account_id

    return judge


async def of_nobody(_beginning: bytes, _metadata: Metadata, _peer: str) -> Holder | None:
    """Judges methods without large messages: refuses them."""
    raise CallRefused("RESOURCE_EXHAUSTED", "the message is too large for this method")
