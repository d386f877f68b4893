"""Items, grades and the store they are kept in."""
