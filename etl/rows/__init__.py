"""From the bytes of a file to clean rows. No database, no processes: a block in, rows and rejects out."""
