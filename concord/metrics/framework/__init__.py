"""Building blocks of metrics: declaration, inputs, canaries and aggregation."""
