"""The concave core of each entropy: its value, its hypograph for a solver, and the planes that lie above it."""
