"""`python -m etl`."""

import signal

if __name__ == "__main__":
    # Until the command line can tell of it, Ctrl-C ends the process without a word: nothing has begun.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import sys

from etl.cli import main

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
