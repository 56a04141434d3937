"""When models and accounts were last used: models by calls, accounts by the calls that they make."""
