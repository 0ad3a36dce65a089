"""The .cloak file: read and written whole."""
