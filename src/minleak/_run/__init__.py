"""Running a plan: exact drawing, sticky draws, keys and the file."""
