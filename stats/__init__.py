"""How far graders agree: arrays in, estimates out."""
