"""``false`` in a query counts as absent, which a schema cannot say without telling clients to send it."""

import schemathesis


def _is_false(value: object) -> bool:
    return any(_is_false(each) for each in value) if isinstance(value, list) else str(value).lower() == "false"


@schemathesis.hook
def filter_query(_context: object, query: dict[str, object] | None) -> bool:
    """Keeps a generated query of which the document says what becomes of it."""
    return not any(_is_false(value) for value in (query or {}).values())
