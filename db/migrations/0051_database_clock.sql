-- How far the clock of the database has come, and the times that it has had twice because it was set back: events may have these in
-- any order.
create table database_clock (
  singleton boolean primary key default true check (singleton),
  reached timestamptz not null,
  repeated tstzmultirange not null default '{}'
);
