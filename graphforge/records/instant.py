"""The one instant that files bear wherever their times could tell something or differ between runs."""

# 2024-01-01T00:00:00Z
EPOCH_SECONDS = 1_704_067_200
