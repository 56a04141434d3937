"""The event bus on Kafka."""
