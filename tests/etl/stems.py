"""Stems by another Snowball than the server's. Reads {"danish": [words], …} as JSON, and writes lists of stems."""

import json
import sys

from snowballstemmer import stemmer

if __name__ == "__main__":
    given = json.load(sys.stdin)
    json.dump({name: stemmer(name).stemWords(words) for name, words in given.items()}, sys.stdout)
