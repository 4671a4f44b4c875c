"""Digests of the folding of all code points of Unicode 14. `python tests/etl/fold_digests.py` writes the fixture.

For each block of 256 code points, it has those that count, as bits, and a digest of one line each: what the code point
is folded to, a tab, and the words under which it is found between a and b, each once, separated by spaces.
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


def digests() -> dict[str, list[str]]:
    """By block, in hexadecimal: the code points that count, and the digest."""
    from etl.search.words import fold, indexed_words

    found = {}
    for block in range(0x110000 // _BLOCK):
        chars = [chr(block * _BLOCK + at) for at in range(_BLOCK)]
        is_counted = [unicodedata.category(char) not in _NOT_TEXT for char in chars]
        if any(is_counted):
            lines = [
                f"{fold(c)}\t{' '.join(dict.fromkeys(indexed_words(f'a{c}b')))}\n"
                for c, counts in zip(chars, is_counted, strict=True)
                if counts
            ]
            bits = sum(1 << at for at, counts in enumerate(is_counted) if counts)
            found[f"{block:x}"] = [f"{bits:x}", hashlib.sha256("".join(lines).encode()).hexdigest()[:16]]
    return found


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    assert unicodedata.unidata_version == "14.0.0"
    blocks = ",\n".join(f"  {json.dumps(block)}: {json.dumps(value)}" for block, value in digests().items())
    FIXTURE.write_text("{\n" + blocks + "\n}\n")
