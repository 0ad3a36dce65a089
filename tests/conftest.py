"""What every test shares: random tests repeat themselves exactly, and no test depends on the machine's speed.

`pytest --hypothesis-profile=thorough` tries other values each time, and more of them.
"""

from hypothesis import settings

collect_ignore = ["wheel.py", "environment.py"]  # programs of the Makefile

settings.register_profile("minleak", derandomize=True, deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("minleak")
