"""The nested settings of a model: their shape, and those stored encrypted."""
