-- What became of each comment for each user who was to be mailed it, for operators who are asked why somebody got a mail or none
-- (rules/comments.md#delivery). `outcome` is `sent`, `failed`, or why the user was left out. Rows are deleted after 30 days.
create table comment_mail_results (
  organization_key uuid not null,
  resource_key uuid not null,
  annotation_id text collate "C" not null,
  comment_id bigint not null,
  user_id text collate "C" not null,
  outcome text not null,
  finished_at timestamptz not null default clock_timestamp(),
  primary key (organization_key, resource_key, annotation_id, comment_id, user_id),
  constraint comment_mail_results__comment__fkey foreign key (organization_key, resource_key, annotation_id, comment_id)
    references thread_comments on delete cascade
);
alter table comment_mail_results alter column organization_key set (n_distinct = 10);
create index comment_mail_results__user_id__idx on comment_mail_results (organization_key, user_id);
create index comment_mail_results__finished_at__idx on comment_mail_results (finished_at);
create trigger comment_mail_results__erasures after insert on comment_mail_results referencing new table as added
  for each statement execute function refuse_users_being_erased('user_id');
