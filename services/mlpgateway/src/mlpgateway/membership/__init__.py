"""The live gates, and how each gate learns of the others."""
