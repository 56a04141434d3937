"""Contracts between the services: topics, events, internal API schemas. Golden files pin their JSON."""
