"""The few loops that numpy cannot express, one file per idea, compiled by numba on first use and cached on disk.

Large arrays are allocated by numpy and handed to the loops: it asks for huge pages, without which scattering over
gigabytes waits for the page tables. Loops run on ordinary threads, never numba's own, which do not survive a fork.
"""
