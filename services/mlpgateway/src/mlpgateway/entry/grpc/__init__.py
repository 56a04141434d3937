"""The gRPC server of a gate: methods for clients, and the registration of those for instances and other gates."""
