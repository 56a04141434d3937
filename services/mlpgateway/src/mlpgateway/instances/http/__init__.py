"""Instances that speak HTTP: found through events, probed, called through a connection pool."""
