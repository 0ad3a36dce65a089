"""Mechanisms of differential privacy as channels, each with the epsilon that its matrix has."""
