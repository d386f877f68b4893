"""Planning: sample sizes, pilots and the next sample."""
