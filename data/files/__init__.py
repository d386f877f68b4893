"""Reading files of answers and of grades: formats, encodings, columns, and every bad row."""
