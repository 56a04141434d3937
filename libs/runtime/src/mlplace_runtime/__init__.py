"""Infrastructure shared by all services: database, event bus, web, authentication, telemetry, process."""
