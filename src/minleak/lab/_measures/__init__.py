"""The theory behind the measures: divergences, capacities of other kinds, orders of channels, named attackers."""
