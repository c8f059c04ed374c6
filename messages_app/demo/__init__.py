"""A believable hub to try the console on: made up from a seed, loaded with COPY."""
