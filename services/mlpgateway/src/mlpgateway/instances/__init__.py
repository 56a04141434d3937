"""Transports of calls: to instances over gRPC streams or HTTP, and to other gates."""
