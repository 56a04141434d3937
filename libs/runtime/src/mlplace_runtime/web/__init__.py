"""The web app factory: policies, the error shape, request context, body limits."""
