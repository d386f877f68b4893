"""Review: disagreements, evidence and contradicted claims."""
