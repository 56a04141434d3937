"""What instances, servers and accounts use, for those who have Prometheus."""
