"""A server of gRPC over HTTP/2 that reads no more than its caller has proven a right to.

It knows nothing of the gate: methods are given to it, and who may send large messages is judged by them.
"""
