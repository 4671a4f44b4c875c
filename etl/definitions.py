"""The definitions of replies and cards in db/documents."""

from etl.sql import SQL


def document_parts() -> dict[str, str]:
    """The files of db/documents by name: {NAME} in one of them, or in a check, stands for another one."""
    return {path.stem: path.read_text(encoding="utf-8") for path in (SQL / "documents").glob("*.sql")}
