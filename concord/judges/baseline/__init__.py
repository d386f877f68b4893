"""The embedded baseline: an ordinal model on text features, trained on annotators’ grades."""
