"""The gRPC server of a gate: methods for clients, and the registration of those that instances and other gates use."""
