"""Loads six CSV files into the product catalog. README.md says what belongs where."""
