-- For a statement whose names of tables were looked up while a swap renamed them: PostgreSQL has already read the notice of the swap,
-- so the plan of two loads would stay. All statements of the connection are planned again.
DISCARD PLANS
