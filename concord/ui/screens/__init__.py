"""The parts of each screen."""
