"""Certificates: that plans are what they claim, by code that shares nothing with the makers."""
