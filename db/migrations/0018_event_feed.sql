-- One order over all events of an API key, which a reader can follow without missing one (ADR 0018): `written_by` is the
-- transaction that wrote an event, `tick` a Lamport clock, so that the order by tick keeps the order within each stream.
-- Events from before this are done for every reader, in the order of their times.
alter table events add column written_by xid8 not null default '2', add column tick bigint;
update events e set tick = before.tick
  from (select stream, sequence,
               (extract(epoch from max(changed_at) over (partition by stream order by sequence)
                                   - max(changed_at) over ()) * 1000)::bigint as tick
          from events) before
 where before.stream = e.stream and before.sequence = e.sequence;
alter table events alter column written_by set default pg_current_xact_id(), alter column tick set not null;
create index events__tick__idx on events (api_key_id, tick, stream, sequence);

-- The tick of the last event, moved on together with event_count.
alter table organizations add column event_tick bigint not null default 0;
alter table event_streams add column event_tick bigint not null default 0;

-- How far a consumer has read the events of an API key: all that `seen` sees and, of what `until` sees beyond that, what
-- comes up to the place (tick, stream, sequence); without a place nothing.
create table event_followers (
  consumer text not null,
  api_key_id text collate "C" not null references api_keys on delete cascade,
  seen pg_snapshot not null,
  until pg_snapshot,
  tick bigint,
  stream uuid,
  sequence bigint,
  primary key (consumer, api_key_id),
  constraint event_followers__place check (num_nulls(until, tick, stream, sequence) in (0, 4))
);
create index event_followers__api_key_id__idx on event_followers (api_key_id);
