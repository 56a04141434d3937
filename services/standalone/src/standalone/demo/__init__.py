"""The demo: accounts, money and services that a new installation starts with, made through the API like anybody's."""
