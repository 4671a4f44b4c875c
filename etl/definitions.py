"""The definitions of replies and cards in db/documents, and what is made of them for a load that is served."""

from etl.sql import SERVED, SQL, fill, read_sql


def document_parts() -> dict[str, str]:
    """The files of db/documents by name: {NAME} in one of them, or in a check, stands for another one."""
    return {path.stem: path.read_text(encoding="utf-8") for path in (SQL / "documents").glob("*.sql")}


def served_sql(schema: str) -> str:
    """The functions, rights and settings of a load that is served, in the schema that it has when this runs."""
    styles = fill(document_parts()["styles"], wanted="= $1", schema=SERVED)
    return read_sql("schema/007_served.sql", styles=styles, schema=schema) + skus_sql(schema)


def skus_sql(schema: str) -> str:
    """The view of skus."""
    return read_sql("schema/008_skus.sql", sku=document_parts()["sku"], schema=schema)
