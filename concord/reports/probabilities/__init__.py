"""How good the probabilities are that judges give with their scores."""
