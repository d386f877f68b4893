"""The choice of a judge: conditions, verdict, price and robustness."""
