"""What a run would send for one item, and how long that is."""
