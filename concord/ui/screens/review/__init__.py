"""Review: one list of disagreements, contradicted claims and answers with their claims."""
