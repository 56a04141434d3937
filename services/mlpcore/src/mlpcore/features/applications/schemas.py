from mlplace_kit.wire import Output


class ApplicationHealthData(Output):
    """`alive`: an instance answers."""

    alive: bool


class ApplicationAccessData(Output):
    """Whom requests of the application are made for."""

    account_id: int
