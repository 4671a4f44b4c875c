"""Recognises files that are not UTF-8 text by their first bytes, and says how to make CSV of them."""

_COMPRESSED = (
    (b"\x1f\x8b", "gzip", "gunzip"),
    (b"\x1f\x9d", "compress", "gunzip"),
    (b"BZh", "bzip2", "bunzip2"),
    (b"\xfd7zXZ\0", "xz", "unxz"),
    (b"\x5d\0\0", "lzma", "unlzma"),
    (b"LZIP", "lzip", "lzip -d"),
    (b"\x89LZO\0", "lzop", "lzop -d"),
    (b"\x28\xb5\x2f\xfd", "zstd", "unzstd"),
    (b"\x04\x22\x4d\x18", "lz4", "unlz4"),
    (b"\xff\x06\0\0sNaPpY", "snappy", "snzip -d"),
)
"""First bytes, name, and the command that unpacks its standard input."""
_AS_CSV = "export it again as CSV (UTF-8)"
_OTHERS = (
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it with 7z x"),
    (b"Rar!\x1a\x07", "a RAR archive", "unpack it with unrar x"),
    (b"PK\x03\x04", "a zip archive", "unpack it with unzip"),
    (b"PK\x05\x06", "an empty zip archive", _AS_CSV),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook", _AS_CSV),
    (b"PAR1", "a Parquet file", _AS_CSV),
    (b"ORC", "an ORC file", _AS_CSV),
    (b"Obj\x01", "an Avro file", _AS_CSV),
    (b"ARROW1", "an Arrow file", _AS_CSV),
    (b"SQLite format 3\0", "an SQLite database", _AS_CSV),
    (b"PGDMP", "a pg_dump archive", _AS_CSV),
    (b"PGCOPY\n", "a binary COPY of PostgreSQL", "export it again with FORMAT csv"),
    (b"%PDF-", "a PDF document", _AS_CSV),
    (b"\xff\xfe\0\0", "UTF-32", _AS_CSV),
    (b"\0\0\xfe\xff", "UTF-32", _AS_CSV),
)
_SPREADSHEET = (b"[Content_Types].xml", b"application/vnd.oasis")
"""Names inside a zip archive that make it a workbook of Excel or LibreOffice."""
_TAR_MAGIC = slice(257, 262)


def foreign_format(head: bytes) -> tuple[str, str] | None:
    """The format of a file that is not UTF-8 text, and the remedy; None when its first bytes are not known."""
    for magic, name, command in _COMPRESSED:
        if head.startswith(magic):
            return f"compressed ({name})", f"unpack it with `{command} < FILE`"
    for magic, name, remedy in _OTHERS:
        if head.startswith(magic):
            if name == "a zip archive" and any(part in head for part in _SPREADSHEET):
                return "a spreadsheet (xlsx or ods)", _AS_CSV
            return name, remedy
    if head[_TAR_MAGIC] == b"ustar":
        return "a tar archive", "unpack it with tar -xf"
    if utf16 := _utf16(head):
        return utf16, f"convert it with `iconv -f {utf16} -t UTF-8 < FILE`"
    return None


def _utf16(head: bytes) -> str | None:
    """With or without a byte order mark: in the rows of these files most second bytes are NUL."""
    half = len(head[:2000]) // 4
    if head.startswith(b"\xff\xfe") or head[1:2000:2].count(0) > half:
        return None if head[:2000:2].count(0) > half else "UTF-16LE"
    if head.startswith(b"\xfe\xff") or head[:2000:2].count(0) > half:
        return "UTF-16BE"
    return None
