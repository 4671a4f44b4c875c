"""`python -m etl`."""

import os
import signal

if __name__ == "__main__":
    # Nothing has begun: until the command line can report it, Ctrl-C ends the process silently.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The same accounts can read rejected rows, whatever shell starts this.
    os.umask(0o022)

import sys

from etl.cli import main

if __name__ == "__main__":
    # `npm run load` turns Ctrl-C into SIGTERM, which must restore the cursor and print the last line too.
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
