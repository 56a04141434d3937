"""Requests and answers that an owner keeps."""
