"""Instances that speak HTTP: found by events, probed, called from a pool of connections."""
