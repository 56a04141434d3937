"""Runs one service as its own process, as in the distributed shape."""

SERVICES = ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling")
