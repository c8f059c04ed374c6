"""What the product is measured against, side by side on one machine: `make bench`."""
