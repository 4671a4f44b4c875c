"""lock_for.py PYTHON LOCK: prints the entries of a lock file for that Python. pip download would judge them by the one that runs it."""

import re
import sys
from pathlib import Path

from packaging.markers import Marker

python, lock = sys.argv[1:]
wanted = {"python_version": python, "python_full_version": f"{python}.0"}
for name, marker, digests in re.findall(r"^(\S+)(?: ; (.*?))?( \\(?:\n .*)+)", Path(lock).read_text(), re.M):
    if not marker or Marker(marker).evaluate(wanted):
        print(name + digests)
