"""What every test shares: random tests repeat themselves exactly, and no test depends on the machine's speed."""

from hypothesis import settings

settings.register_profile("minleak", derandomize=True, deadline=None)
settings.load_profile("minleak")
