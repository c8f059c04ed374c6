"""What `doctor` and /health/ look at, a function for each part."""
