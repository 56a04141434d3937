"""How many instances an AUTOMATIC model gets: its rules, the decision, and the history of decisions."""
