-- How the load in {schema} differs from what is served, for its commit.

WITH changes AS (SELECT id, kind, has_card FROM {schema}.changes),
{lists}
