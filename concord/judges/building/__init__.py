"""Building a sheet: drafting questions from documents and asking models for answers."""
