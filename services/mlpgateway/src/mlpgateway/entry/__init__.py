"""Entry points: each turns requests of one protocol into calls. None of them knows how a call is served."""
