"""What holds for all tests: machines are shared, so no example fails for being slow."""

from hypothesis import settings

settings.register_profile("shared", deadline=None)
settings.load_profile("shared")
