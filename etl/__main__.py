"""`python -m etl`."""

import sys

from etl.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
