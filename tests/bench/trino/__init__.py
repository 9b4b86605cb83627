"""What is measured on a real Trino, which TRINO_URL and TRINO_USER name."""
