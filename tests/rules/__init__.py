"""What the product's own code may not do (docs/contributing/decisions/0022-scanners.md)."""
