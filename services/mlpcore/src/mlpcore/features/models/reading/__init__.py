"""A model as a viewer sees it: access, lists, and the data shown."""
