"""One subcommand a file; its docstring is its help. Steps never import each other: pipeline.py joins them."""
