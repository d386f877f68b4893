"""Combined judges: majorities, means and fitted rules over stored grades of other judges."""
