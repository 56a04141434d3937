"""Who may call what, and how much: access, limits, money."""
