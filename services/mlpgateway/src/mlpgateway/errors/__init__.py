"""The gateway's errors, grouped by the component that raises them."""
