"""Charts as plotly figures. No Streamlit here."""
