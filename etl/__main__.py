"""`python -m etl`."""

import os
import signal

if __name__ == "__main__":
    # Until the command line can tell of it, Ctrl-C ends the process without a word: nothing has begun.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Rejected rows are readable by the same accounts, whatever shell starts this.
    os.umask(0o022)

import sys

from etl.cli import main

if __name__ == "__main__":
    # `npm run load` makes SIGTERM of a Ctrl-C: the cursor and the last line are owed then too.
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
