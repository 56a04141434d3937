"""The stored form of calls: their content unchanged, and their credentials encrypted apart from it."""

import msgspec
from msgspec.structs import replace

from mlpgateway.call.call import Call, Caller
from mlpgateway.call.large_json import call_with_string
from mlpgateway.features.predictions.tables import Prediction
from mlplace_runtime.db.sealed import SealedColumn
from mlplace_runtime.secrets import Vault

_NOBODY = Caller(None, credential_is_session=False, billing_key=None, client_ip="")
_call = msgspec.msgpack.Decoder(Call)
_caller = msgspec.json.Decoder(Caller)


def pack(call: Call, *, prediction_id: str, vault: Vault) -> tuple[bytes, bytes]:
    """Returns the call without its caller, and the encrypted caller."""
    caller = msgspec.json.encode(call.caller).decode()
    sealed = CALLERS.seal(caller, vault, id=prediction_id)
    return msgspec.msgpack.encode(replace(call_with_string(call), caller=_NOBODY)), sealed


def unpack(packed: bytes, sealed: bytes, *, prediction_id: str, vault: Vault) -> Call:
    """Raises UnreadableSecretError."""
    caller = _caller.decode(CALLERS.open(sealed, vault, id=prediction_id))
    return replace(_call.decode(packed), caller=caller)


CALLERS = SealedColumn(
    "callers of predictions",
    Prediction,
    key=Prediction.id,
    sealed=Prediction.credential,
    purpose="prediction {id}",
)
