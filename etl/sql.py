"""The SQL files of db/, and the schemas that they fill."""

import re
from pathlib import Path

SQL = Path(__file__).resolve().parent.parent / "db"
SERVED, STAGING, PREVIOUS, META = "catalog", "catalog_staging", "catalog_previous", "catalog_meta"
UPSERT, DRY_UPSERT = "catalog_upsert", "catalog_upsert_dry"
"""The rows and the plan of a part. A dry run leaves the plan that a stopped run goes on with."""


def read_sql(name: str, **names: str) -> str:
    """A file of db/ with {schema} and the like filled in; other braces stay."""
    return fill((SQL / name).read_text(encoding="utf-8"), **names)


def fill(sql: str, **names: str) -> str:
    """SQL with {schema} and the like filled in, in the order given."""
    for key, value in names.items():
        sql = sql.replace("{" + key + "}", value)
    return sql


def statements(sql: str) -> list[str]:
    """The statements of a file that holds no function bodies."""
    without_comments = re.sub(r"--[^\n]*", "", sql)
    return [part.strip() for part in without_comments.split(";") if part.strip()]
