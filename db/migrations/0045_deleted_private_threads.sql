-- The ids of private threads that were deleted. Nobody can say who saw such a thread, so what a call has recorded about it, before the
-- deletion or after, is for no user. A later thread can have the id: what was recorded since then, or since `hides_until`, is about that one.
create table deleted_private_threads (
  organization_key uuid not null,
  resource_key uuid not null,
  annotation_id text collate "C" not null,
  hides_until timestamptz not null default 'infinity',
  primary key (organization_key, resource_key, annotation_id),
  constraint deleted_private_threads__resource_key__fkey foreign key (organization_key, resource_key) references resources on delete cascade
);
alter table deleted_private_threads alter column organization_key set (n_distinct = 10);

-- A thread that goes with its document leaves nothing.
create function remember_private_thread() returns trigger language plpgsql as $$
begin
  insert into deleted_private_threads as p (organization_key, resource_key, annotation_id)
  select r.organization_key, r.resource_key, old.annotation_id from resources r
   where r.organization_key = old.organization_key and r.resource_key = old.resource_key
  on conflict (organization_key, resource_key, annotation_id) do update set hides_until = 'infinity';
  return null;
end
$$;
create trigger threads__private_deleted after delete on threads for each row
  when ((old.visibility = 'public' and (old.access_context is null or old.access_context = '{}')) is not true)
  execute function remember_private_thread();

-- Those that were deleted before, as far as their events are kept, if there is an activity about them.
insert into deleted_private_threads (organization_key, resource_key, annotation_id)
select distinct a.organization_key, a.resource_key, a.target_entity_id
  from activities a
  join resources r on r.organization_key = a.organization_key and r.resource_key = a.resource_key
  join events e on e.stream = a.organization_key and e.resource_kind = 'document'
               and (e.resource_id = r.id or e.resource_id in (
                      select d.document_id from document_aliases d
                       where d.organization_key = a.organization_key and d.resource_key = a.resource_key))
 where a.feature_type not in ('comment', 'reaction') and a.target_entity_id is not null
   and e.type = 'thread.deleted' and e.before ->> 'annotationId' = a.target_entity_id and e.before ->> 'visibility' <> 'public';
