"""What is graded, on which scale, and what each score means: one TOML file per rubric."""
