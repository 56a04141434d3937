from mlplace_kit.wire import Output


class GatesData(Output):
    """Addresses as `host:port`. `own` is this gate."""

    own: str
    active: list[str]
    retiring: list[str]


class ConnectedInstanceData(Output):
    instance_id: int
    model_id: int
    active_requests: int
    accepts_requests: bool
