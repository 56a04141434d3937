"""Errors that end a call with a gRPC status."""


class CallRefused(Exception):
    """`status` is the name of a grpc.StatusCode."""

    def __init__(self, status: str, details: str, *, pushback_ms: int | None = None) -> None:
        super().__init__(details)
        self.status = status
        self.details = details
        self.pushback_ms = pushback_ms


class MessageTooLarge(CallRefused):
    def __init__(self, most: int) -> None:
        super().__init__("RESOURCE_EXHAUSTED", f"the message is larger than {most} bytes")


class MessageLate(CallRefused):
    def __init__(self, details: str | None = None) -> None:
        super().__init__("DEADLINE_EXCEEDED", details or "the message did not come in time")


class CallerLeft(Exception):
    """The caller is gone; nobody receives what is written."""
