"""The web app factory with policies, the error format, request context and body limits."""
