"""Import: from a file of answers, grades or unit labels to the store."""
