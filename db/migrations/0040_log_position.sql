-- A position of the log after every change that is visible to the caller: sessions commit with synchronous_commit, which writes the
-- log before a change becomes visible. Null where a service does not reveal its log (ADR 0063).
create function log_position() returns pg_lsn language plpgsql as $$
begin
  return pg_current_wal_flush_lsn();
exception
  when insufficient_privilege or undefined_function or feature_not_supported or object_not_in_prerequisite_state then
    return null;
end $$;
