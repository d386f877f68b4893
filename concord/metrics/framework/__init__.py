"""What metrics are made of: their declaration, inputs, canaries and aggregation."""
