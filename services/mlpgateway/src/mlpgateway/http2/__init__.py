"""A gRPC server over HTTP/2 that reads no more than the caller is entitled to send.

It does not know the gate: methods are passed to it, and they decide who may send large messages.
"""
