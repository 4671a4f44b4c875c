"""Which products hold which words, prefixes and values, as sets of positions (db/schema/005_search.sql)."""
