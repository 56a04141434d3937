"""The demo: accounts, money and models of a new installation, created through the public API."""
