"""Binds the port of the HTTP server. Loads little, so that a process can claim its port before it loads the rest."""

import socket


def bind(host: str, port: int) -> socket.socket:
    """Returns a bound socket that does not listen: callers are refused until the server starts. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener


def listen(host: str, port: int) -> socket.socket:
    """Like `bind`, but callers wait from now on for the server to start. Raises OSError."""
    listener = bind(host, port)
    try:
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener
