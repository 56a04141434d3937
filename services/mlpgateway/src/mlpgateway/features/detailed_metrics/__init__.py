"""What this gate has counted of each model, instance and account, for those who have Prometheus."""
