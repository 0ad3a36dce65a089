"""Designs under any other constraint: allowed pairs, costs, budgets, privacy."""
