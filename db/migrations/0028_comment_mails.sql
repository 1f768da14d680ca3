-- Mails about comments (rules/comments.md#mails-about-comments, ADR 0056). A comment whose call asks for it is queued in its own
-- transaction, and deleted with it from every table here.

-- What a mail about comments collects for its recipient: one comment, a document, an organization, or a day. Null: a mail about events.
-- `handed_over_at`: a server may have accepted it, so it is not sent again.
alter table mails
  add column collects text collate "C",
  add column handed_over_at timestamptz;
drop index mails__open__key;
create unique index mails__open__key on mails (api_key_id, kind, stream, user_id, collects) nulls not distinct where claims = 0;
-- The API keys that have mails to send take turns.
create index mails__turns__idx on mails (carrier, api_key_id, due_at) where finished_at is null;

-- Comments to be mailed, until their recipients are known. `resume_after` is the last recipient of the part that is done.
create table comment_mailings (
  organization_key uuid not null,
  mailing_id uuid not null default gen_random_uuid(),
  api_key_id text collate "C" not null,
  resource_key uuid not null,
  annotation_id text collate "C" not null,
  comment_id bigint not null,
  action_type text not null,
  resume_after text collate "C" not null default '',
  due_at timestamptz not null,
  claimed_at timestamptz,
  claims integer not null default 0,
  finished_at timestamptz,
  primary key (organization_key, mailing_id),
  constraint comment_mailings__comment__fkey foreign key (organization_key, resource_key, annotation_id, comment_id)
    references thread_comments on delete cascade
);
alter table comment_mailings alter column organization_key set (n_distinct = 10);
create index comment_mailings__due_at__idx on comment_mailings (due_at) where finished_at is null;
create index comment_mailings__turns__idx on comment_mailings (api_key_id, due_at) where finished_at is null;
create index comment_mailings__comment__idx on comment_mailings (organization_key, resource_key, annotation_id, comment_id);

-- A comment that waits for a mail to one user: for the mail about its document or for the one about everything, whichever is sent first.
-- `mail_id` is the mail that has taken it.
create table comment_mail_items (
  organization_key uuid not null,
  resource_key uuid not null,
  annotation_id text collate "C" not null,
  comment_id bigint not null,
  user_id text collate "C" not null,
  action_type text not null,
  document_mail_id uuid,
  user_mail_id uuid,
  mail_id uuid,
  primary key (organization_key, resource_key, annotation_id, comment_id, user_id),
  constraint comment_mail_items__comment__fkey foreign key (organization_key, resource_key, annotation_id, comment_id)
    references thread_comments on delete cascade
);
alter table comment_mail_items alter column organization_key set (n_distinct = 10);
create index comment_mail_items__user_id__idx on comment_mail_items (organization_key, user_id);
create trigger comment_mail_items__erasures after insert on comment_mail_items referencing new table as added
  for each statement execute function refuse_users_being_erased('user_id');

-- The user has unsubscribed from all mails about comments of the organization; in the row of its own resource.
alter table notification_preferences add column is_mail_off boolean not null default false;
