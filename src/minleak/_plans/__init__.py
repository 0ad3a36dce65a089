"""The plans that users hold, made of what is below: design, load, certify, update."""
