-- A notification of a comment names it and is deleted with it, so nobody hears of what is gone. Nothing else retracts a notification.
alter table notifications
  drop column retracted_at,
  add column target_comment_id bigint,
  add constraint notifications__comment__fkey foreign key (organization_key, resource_key, target_annotation_id, target_comment_id)
    references thread_comments on delete cascade;
drop index notifications__thread__idx;
create index notifications__comment__idx on notifications (organization_key, resource_key, target_annotation_id, target_comment_id)
  where target_annotation_id is not null;
