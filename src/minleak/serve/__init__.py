"""The service: draws over HTTP, from plans that are replaced while it runs."""
