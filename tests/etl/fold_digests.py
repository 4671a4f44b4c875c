"""Digests of the folding of all code points of Unicode 14. `python tests/etl/fold_digests.py` writes the fixture.

For each block of 256 code points, it has those that count, as bits, and a digest of one line each: what the code point
is folded to, a tab, and the words of a query of it between a and b, separated by spaces.
"""

import hashlib
import json
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURE = ROOT / "tests/helpers/unicode-14.json"
_BLOCK = 256
_NOT_TEXT = ("Cn", "Cs", "Co")
_CHANGED_LATER = "\U0001171e"
"""A mark of Ahom, which Unicode 15.1 no longer counts as an accent."""


def digests() -> dict[str, list[str]]:
    """By block, in hexadecimal: the code points that count, and the digest."""
    from etl.search.fold import fold

    found = {}
    for block in range(0x110000 // _BLOCK):
        chars = [chr(block * _BLOCK + at) for at in range(_BLOCK)]
        is_counted = [unicodedata.category(char) not in _NOT_TEXT and char not in _CHANGED_LATER for char in chars]
        if any(is_counted):
            lines = [
                f"{fold(c)}\t{' '.join(_query_words(f'a{c}b'))}\n"
                for c, counts in zip(chars, is_counted, strict=True)
                if counts
            ]
            bits = sum(1 << at for at, counts in enumerate(is_counted) if counts)
            found[f"{block:x}"] = [f"{bits:x}", hashlib.sha256("".join(lines).encode()).hexdigest()[:16]]
    return found


def _query_words(text: str) -> list[str]:
    from etl.search.fold import is_cjk, runs_of

    words: dict[str, None] = {}
    for run in runs_of(text):
        pairs = [run[at : at + 2] for at in range(len(run) - 1)] if is_cjk(run) else []
        words |= dict.fromkeys(pairs or [run])
    return list(words)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    assert unicodedata.unidata_version == "14.0.0"
    blocks = ",\n".join(f"  {json.dumps(block)}: {json.dumps(value)}" for block, value in digests().items())
    FIXTURE.write_text("{\n" + blocks + "\n}\n")
