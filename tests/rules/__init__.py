"""What the product's own code may not do (docs/decisions/0022-scanners.md)."""
