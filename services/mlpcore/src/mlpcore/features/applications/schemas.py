from mlplace_kit.wire import Output


class ApplicationHealthData(Output):
    """`alive`: whether the model is running, that is, has a connected instance."""

    alive: bool


class ApplicationAccessData(Output):
    """The account for which the application makes its requests."""

    account_id: int
