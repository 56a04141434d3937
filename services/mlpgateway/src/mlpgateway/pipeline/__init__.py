"""The stages of a call in their order. A walk through the gateway begins here."""
