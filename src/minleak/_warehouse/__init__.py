"""The warehouse: designing, certifying and drawing by queries, where the data is."""
