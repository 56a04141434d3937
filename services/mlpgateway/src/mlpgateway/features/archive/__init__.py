"""The archive: requests and answers that an owner keeps."""
