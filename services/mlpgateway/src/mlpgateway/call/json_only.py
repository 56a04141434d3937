"""What a call may say to a model that gets JSON over HTTP. Callers of gRPC may send bytes, too."""

from mlpgateway.call.call import Call, Payload
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import Violation, broken

NO_CONFIG = frozenset({"", "{}"})


def expect_json(call: Call, config: Payload | None) -> None:
    """Bytes may be the data, alone. `config` is the call's or the model's own. Raises ValidationFailed."""
    problems: dict[str, Violation] = {
        f"params.{name}": broken("json_text") for name, value in call.params.items() if value.protobuf
    }
    if config is not None and config.protobuf:
        problems["config"] = broken("json_text")
    elif call.data is not None and call.data.protobuf is not None and has_config(config):
        message = "must be JSON text beside a config, the call's or the model's own"
        problems["data"] = broken("json_text", message=message)
    if problems:
        raise ValidationFailed(problems)


def has_config(config: Payload | None) -> bool:
    return config is not None and (config.json or "").strip() not in NO_CONFIG
