"""The gRPC gate: where instances connect and callers call."""
