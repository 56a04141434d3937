"""How an exchange with an instance fails. These errors stay inside the gateway: `HttpLink` translates them."""


class ExchangeError(Exception):
    """A request got no complete answer."""


class NotConnectedError(ExchangeError):
    """There was no connection, so nothing was sent."""


class ConnectionLostError(ExchangeError):
    """The connection ended before the answer was complete.

    `reused`: it had carried an earlier request. `began`: at least one byte of the answer arrived.
    """

    def __init__(self, reason: str, *, reused: bool, began: bool) -> None:
        super().__init__(reason)
        self.reused = reused
        self.began = began

    @property
    def is_stale(self) -> bool:
        """Returns whether the instance probably closed the connection before it received the request."""
        return self.reused and not self.began


class InvalidAnswerError(ExchangeError):
    """The answer is not valid HTTP/1.1, exceeds a limit, or can be read in two ways."""


class InvalidRequestError(ExchangeError):
    """The request cannot be sent as HTTP/1.1. Nothing was sent."""
