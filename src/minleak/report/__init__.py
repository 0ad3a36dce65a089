"""Showing: charts, the report of a plan, and the paper's tables and figures again."""
