-- Makes this session the one that sends to hooks, unless another is. Its end gives that up, however it ends.
SELECT pg_try_advisory_lock(hashtext('catalog hooks')) AS leads
