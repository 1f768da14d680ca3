-- Operators who want what is worth a look by mail, once a week (docs/rules/operators.md#weekly-mail). `week` is the Monday of the last week
-- whose mail was handed over; `finished_at` is set while they do not want it.
create table findings_mails (
  workspace_id text collate "C" not null,
  operator_id uuid not null,
  week date,
  due_at timestamptz not null,
  claimed_at timestamptz,
  claims integer not null default 0,
  finished_at timestamptz,
  primary key (workspace_id, operator_id),
  constraint findings_mails__operator__fkey foreign key (workspace_id, operator_id) references operators on delete cascade
);
create index findings_mails__due_at__idx on findings_mails (due_at) where finished_at is null;
