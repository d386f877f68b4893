"""Answers of a sheet: their names, their record and the search over them."""
