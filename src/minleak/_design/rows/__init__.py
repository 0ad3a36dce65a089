"""Rows: any channel in whole numbers, so that it can be drawn from exactly, saved and certified."""
