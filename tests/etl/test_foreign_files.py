"""Files that are not UTF-8 text are named with a remedy; the loader never waits for a file that is not regular."""

import bz2
import gzip
import io
import lzma
import os
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from reading import SKUS, read_file
from support import SOUND, Catalog, Database, run, run_process

from etl.errors import Refused
from etl.files import fingerprint, read_layouts
from etl.rows.blocks import BlockReader
from etl.rows.layout import read_layout
from etl.tables import TABLES

CSV = (SKUS + '1,1,"M",5\n').encode()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket has 108 bytes at most
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path.name)
    finally:
        os.chdir(here)


def _link_to(make: Callable[[Path], None]) -> Callable[[Path], None]:
    def link(path: Path) -> None:
        target = path.with_name("elsewhere")
        make(target)
        path.symlink_to(target)

    return link


NOT_REGULAR: dict[str, Callable[[Path], None]] = {
    "named pipe": _pipe,
    "socket": _socket,
    "folder": Path.mkdir,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "named pipe by a link": _link_to(_pipe),
    "folder by a link": _link_to(Path.mkdir),
}


@pytest.mark.parametrize("kind", NOT_REGULAR)
@pytest.mark.parametrize("file", SOUND)
def test_each_of_the_six_must_be_a_regular_file(catalog: Catalog, file: str, kind: str) -> None:
    (catalog.directory / file).unlink()
    NOT_REGULAR[kind](catalog.directory / file)
    message = f"{file} cannot be read: it is a {kind.removesuffix(' by a link')}, not a regular file; put the CSV file"
    with pytest.raises(Refused, match=message):
        read_layouts(catalog.directory)


@pytest.mark.parametrize("command", [["load"], ["load", "--dry-run"], ["copy"]], ids=" ".join)
def test_a_named_pipe_is_refused_before_a_load_begins(database: Database, catalog: Catalog, command: list[str]) -> None:
    assert run(database, "prepare").status == 0
    (catalog.directory / "related.csv").unlink()
    _pipe(catalog.directory / "related.csv")
    done = run_process(database, *command, catalog.directory)
    assert (
        done.status,
        "related.csv cannot be read: it is a named pipe" in done.last_line,
    ) == (2, True), done.stderr
    assert database.query("SELECT to_regnamespace('catalog_staging')") == [(None,)]


def test_a_pipe_is_refused_without_being_opened(catalog: Catalog) -> None:
    """A waiting writer keeps waiting: its data would be lost."""
    path = catalog.directory / "skus.csv"
    path.unlink()
    _pipe(path)
    program = "import sys; print('asks', flush=True); open(sys.argv[1], 'w'); print('was let in', flush=True)"
    with subprocess.Popen([sys.executable, "-c", program, path], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout and writer.stdout.readline() == "asks\n"
        try:
            for _ in range(20):
                with pytest.raises(Refused, match="named pipe"):
                    read_file(path, "skus")
        finally:
            writer.kill()
        assert writer.stdout.read() == ""


def test_a_file_that_becomes_a_pipe_later_is_not_waited_for(catalog: Catalog) -> None:
    layout = read_layout(catalog.directory / "skus.csv", TABLES[3])
    (catalog.directory / "skus.csv").unlink()
    _pipe(catalog.directory / "skus.csv")
    with pytest.raises(Refused, match="named pipe"):
        fingerprint(catalog.directory, "hr-lax")
    with pytest.raises(Refused, match="named pipe"):
        BlockReader(layout.path, layout.first_byte, layout.first_line)


def test_a_link_to_a_regular_file_is_read(catalog: Catalog) -> None:
    for file in SOUND:
        (catalog.directory / file).rename(catalog.directory / f"of-{file}")
        (catalog.directory / file).symlink_to(f"of-{file}")
    assert run(None, "load", catalog.directory, "--dry-run").status == 0


def _zip(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, CSV)
    return out.getvalue()


def _parquet() -> bytes:
    out = io.BytesIO()
    parquet.write_table(pa.table({"id": [1]}), out)
    return out.getvalue()


FOREIGN: dict[str, tuple[bytes, str]] = {
    "gzip": (
        gzip.compress(CSV),
        "is compressed (gzip), not UTF-8 text: unpack it with `gunzip < ",
    ),
    "an empty gzip": (gzip.compress(b""), "is compressed (gzip)"),
    "bzip2": (
        bz2.compress(CSV),
        "is compressed (bzip2), not UTF-8 text: unpack it with `bunzip2 < ",
    ),
    "xz": (
        lzma.compress(CSV),
        "is compressed (xz), not UTF-8 text: unpack it with `unxz < ",
    ),
    "lzma": (lzma.compress(CSV, lzma.FORMAT_ALONE), "is compressed (lzma)"),
    "zstd": (bytes(pa.Codec("zstd").compress(CSV)), "is compressed (zstd)"),
    "lz4": (bytes(pa.Codec("lz4").compress(CSV)), "is compressed (lz4)"),
    "snappy": (b"\xff\x06\0\0sNaPpY" + CSV, "is compressed (snappy)"),
    "compress": (b"\x1f\x9d\x90" + CSV, "is compressed (compress)"),
    "lzip": (b"LZIP\x01\x0c" + CSV, "is compressed (lzip)"),
    "lzop": (b"\x89LZO\0\r\n\x1a\n" + CSV, "is compressed (lzop)"),
    "zip": (
        _zip("skus.csv"),
        "is a zip archive, not UTF-8 text: unpack it with unzip",
    ),
    "xlsx": (
        _zip("[Content_Types].xml", "xl/workbook.xml"),
        "is a spreadsheet (xlsx or ods), not UTF-8 text",
    ),
    "xls": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(9),
        "is an Excel workbook, not UTF-8 text",
    ),
    "7z": (b"7z\xbc\xaf\x27\x1c" + CSV, "is a 7z archive"),
    "rar": (b"Rar!\x1a\x07\x01\0" + CSV, "is a RAR archive"),
    "tar": (
        b"skus.csv".ljust(257, b"\0") + b"ustar\x0000" + bytes(247) + CSV * 9000,
        "is a tar archive",
    ),
    "parquet": (
        _parquet(),
        "is a Parquet file, not UTF-8 text: export it again as CSV (UTF-8)",
    ),
    "orc": (b"ORC\x08" + CSV, "is an ORC file"),
    "avro": (b"Obj\x01" + CSV, "is an Avro file"),
    "arrow": (b"ARROW1\0\0" + CSV, "is an Arrow file"),
    "sqlite": (b"SQLite format 3\0" + CSV, "is an SQLite database"),
    "pg_dump": (b"PGDMP\x01\x0e" + CSV, "is a pg_dump archive"),
    "binary COPY": (b"PGCOPY\n\xff\r\n\0" + bytes(8), "is a binary COPY of PostgreSQL"),
    "pdf": (b"%PDF-1.7\n" + CSV, "is a PDF document"),
    "UTF-16": (
        CSV.decode().encode("utf-16"),
        "is UTF-16LE, not UTF-8 text: convert it with `iconv -f UTF-16LE ",
    ),
    "UTF-16, one row": (
        "\ufeff1,1,M,5".encode("utf-16-be"),
        "is UTF-16BE, not UTF-8 text",
    ),
    "UTF-16LE without a mark": (
        CSV.decode().encode("utf-16-le"),
        "is UTF-16LE, not UTF-8 text",
    ),
    "UTF-16BE without a mark": (
        CSV.decode().encode("utf-16-be"),
        "is UTF-16BE, not UTF-8 text",
    ),
    "UTF-32": (CSV.decode().encode("utf-32"), "is UTF-32, not UTF-8 text"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_another_format_is_named_with_the_remedy(catalog: Catalog, kind: str) -> None:
    content, message = FOREIGN[kind]
    for table in TABLES:
        catalog.write(table.file, content)
        with pytest.raises(Refused) as refused:
            read_layout(catalog.directory / table.file, table)
        assert message in str(refused.value)
        assert "FILE" not in str(refused.value)


def test_the_named_command_unpacks_a_file_whose_path_has_a_space(
    tmp_path: Path,
) -> None:
    catalog = Catalog(tmp_path / "my shop")
    catalog.write("skus.csv", gzip.compress(SOUND["skus.csv"].encode()))
    done = run(None, "load", catalog.directory, "--dry-run")
    command = done.last_line.split("`")[1]
    catalog.write(
        "skus.csv",
        subprocess.run(["sh", "-c", command], capture_output=True, check=True).stdout,
    )
    assert run(None, "load", catalog.directory, "--dry-run").status == 0


def test_tiny_binary_data_with_a_cr_is_not_text(
    catalog: Catalog,
) -> None:
    catalog.write("skus.csv", b"\x01\x8b\xff\r\x00\x9c")
    with pytest.raises(Refused, match="is not UTF-8 text"):
        read_file(catalog.directory / "skus.csv", "skus")
