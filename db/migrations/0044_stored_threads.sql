-- When a thread was stored. A new thread can have the id of a deleted one, and what remains of that one, activities and events of which
-- webhooks are still sent, must not be taken for a part of it. All threads that exist count as stored before everything.
alter table threads add column stored_at timestamptz not null default '-infinity';
alter table threads alter column stored_at set default clock_timestamp();
