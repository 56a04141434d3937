"""The documents of a model: its description and the descriptor of its methods."""
