"""What the demo's documents leave in the message store: customers, orders, invoices and payments."""
