-- activities.add (server/features/activities/statements.ts)
with named as materialized (
    select item.*, r.resource_key, moved.id as migrated_to, coalesce((k.config->>'immutable')::boolean, false) as is_immutable,
           case when (k.config->>'isEnabled')::boolean is not true then 'activities_off'
                when o.added_at is null then 'organization_does_not_exist'
                when r.resource_key is null then 'document_does_not_exist'
                when held.is_immutable then 'activity_immutable'
                else 'ok' end as outcome
      from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::jsonb[]) with ordinality as item(organization_key, api_key_id, document_id, activity_id, feature_type, action_type, actor_id, target_entity_id, target_sub_entity_id, content, ord)
      left join lateral (
        select k.activity_config->'activityServiceConfig' as config from api_keys k where k.api_key_id = item.api_key_id limit 1
      ) k on true
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key from resources r
         where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id limit 1
      ) r on true
      left join lateral (
        select a.is_immutable from activities a
         where a.organization_key = item.organization_key and a.activity_id = item.activity_id limit 1
      ) held on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.document_id limit 1
      ) moved on true
  ),
  written as (
    insert into activities (organization_key, activity_id, resource_key, recorded_at, feature_type, action_type, actor_id,
                            target_entity_id, target_sub_entity_id, is_immutable, content)
    select organization_key, activity_id, resource_key, coalesce($11::timestamptz, clock_timestamp()), feature_type, action_type, actor_id,
           target_entity_id, target_sub_entity_id, is_immutable, content
      from named where not exists (select from named where outcome <> 'ok')
     order by organization_key, activity_id
    on conflict (organization_key, activity_id) do update
       set resource_key = excluded.resource_key, feature_type = excluded.feature_type, action_type = excluded.action_type,
           actor_id = excluded.actor_id, target_entity_id = excluded.target_entity_id,
           target_sub_entity_id = excluded.target_sub_entity_id, is_immutable = excluded.is_immutable, content = excluded.content
  )
  select activity_id as "activityId", outcome, migrated_to as "migratedTo" from named order by ord;

-- activities.add-of-comments (server/features/activities/comment-statements.ts)
insert into activities (organization_key, activity_id, resource_key, recorded_at, feature_type, action_type, actor_id,
                          target_entity_id, target_sub_entity_id, is_immutable, content)
  select item.organization_key, item.activity_id, d.resource_key, coalesce($10::timestamptz, clock_timestamp()), 'comment', item.event_type, c.author_id,
         item.annotation_id, item.comment_id::text, coalesce((k.config ->> 'immutable')::boolean, false),
         item.content || jsonb_build_object('actionUser', c.author)
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::jsonb[]) with ordinality as item(organization_key, api_key_id, document_id, annotation_id, comment_id, short_word, event_type, activity_id, content, ord)
   cross join lateral (
      select r.resource_key from resources r
       where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id limit 1
   ) d
   cross join lateral (
      select c.author_id, c.content -> 'from' as author from thread_comments c
       where c.organization_key = item.organization_key and c.resource_key = d.resource_key
         and c.annotation_id = item.annotation_id and c.comment_id = item.comment_id limit 1
   ) c
   cross join lateral (
      select k.activity_config -> 'activityServiceConfig' as config from api_keys k where k.api_key_id = item.api_key_id limit 1
   ) k
   where (k.config ->> 'isEnabled')::boolean
     and coalesce(((k.config #> '{triggers,comment}') ->> item.event_type)::boolean, ((k.config #> '{triggers,comment}') ->> item.short_word)::boolean, true)
   order by item.organization_key, item.activity_id;

-- activities.delete-by-document (server/features/activities/statements.ts)
with found as materialized (
    select a.activity_id, a.is_immutable, a.row
      from (select a.*, a.ctid as row from activities a
             where a.organization_key = $1 and a.resource_key = $2::uuid) a
     where ($2::uuid is null or a.resource_key = $2::uuid)
       and ($3::text is null or a.target_entity_id = $3::text)
       and ($4::text[] is null or a.activity_id = any($4::text[]))
     order by a.is_immutable, a.activity_id limit 10000
  ),
  deleted as (
    delete from activities a using found f where a.ctid = f.row and not f.is_immutable
  )
  select activity_id as "activityId", is_immutable as "isImmutable" from found order by activity_id;

-- activities.delete-by-id (server/features/activities/statements.ts)
with found as materialized (
    select a.activity_id, a.is_immutable, a.row
      from (select a.* from (select distinct id from unnest($4::text[]) as asked (id)) asked
             cross join lateral (select a.*, a.ctid as row from activities a
             where a.organization_key = $1 and a.activity_id = asked.id limit 1) a) a
     where ($2::uuid is null or a.resource_key = $2::uuid)
       and ($3::text is null or a.target_entity_id = $3::text)
       and ($4::text[] is null or a.activity_id = any($4::text[]))
     order by a.is_immutable, a.activity_id limit 10000
  ),
  deleted as (
    delete from activities a using found f where a.ctid = f.row and not f.is_immutable
  )
  select activity_id as "activityId", is_immutable as "isImmutable" from found order by activity_id;

-- activities.delete-by-target (server/features/activities/statements.ts)
with found as materialized (
    select a.activity_id, a.is_immutable, a.row
      from (select a.*, a.ctid as row from activities a
             where a.organization_key = $1 and a.target_entity_id = $3::text) a
     where ($2::uuid is null or a.resource_key = $2::uuid)
       and ($3::text is null or a.target_entity_id = $3::text)
       and ($4::text[] is null or a.activity_id = any($4::text[]))
     order by a.is_immutable, a.activity_id limit 10000
  ),
  deleted as (
    delete from activities a using found f where a.ctid = f.row and not f.is_immutable
  )
  select activity_id as "activityId", is_immutable as "isImmutable" from found order by activity_id;

-- activities.list-by-document asc (server/features/activities/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select a.activity_id as id, a.feature_type as "featureType", a.action_type as "actionType",
         floor(extract(epoch from a.recorded_at) * 1000)::float8 as timestamp, a.target_entity_id as "targetEntityId",
         a.target_sub_entity_id as "targetSubEntityId", a.is_immutable as "isImmutable", a.content, u.profile,
         d.id as "documentId", f.id as "folderId", a.matches, a.scanned = 10000 as "isScanEnd"
    from (
      select a.*, row_number() over (order by a.recorded_at asc, a.activity_id asc) as scanned,
             ($6::uuid is null or a.resource_key = $6::uuid) and ($7::text is null or a.target_entity_id = $7::text)
               and ($8::text[] is null or a.feature_type = any($8::text[])) and ($9::text[] is null or a.action_type = any($9::text[]))
               and ($10::text is null or a.actor_id = $10::text)
               and ($11::text[] is null or a.activity_id = any($11::text[])) and ($12::text is null or coalesce(
                   (select 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $12::text or $12::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $12::text and (g.standing_role is not null or g.expires_at > coalesce($13::timestamptz, clock_timestamp())) limit 1
                            ) g)) from threads t
                     where t.organization_key = a.organization_key and t.resource_key = a.resource_key
                       and t.annotation_id = a.target_entity_id limit 1),
                   a.feature_type not in ('comment', 'reaction'))) as matches
        from (select a.* from activities a
               where a.organization_key = $1 and a.resource_key = $6::uuid and (a.recorded_at, a.activity_id) > (coalesce(to_timestamp($2::float8 / 1000), '-infinity'), coalesce($3::text, ''))
               order by a.recorded_at asc, a.activity_id asc limit 10000) a
    ) a
   cross join lateral (
      select r.id, r.folder_key from resources r
       where r.organization_key = a.organization_key and r.resource_key = a.resource_key limit 1
    ) d
    left join lateral (
      select r.id from resources r where r.organization_key = a.organization_key and r.resource_key = d.folder_key limit 1
    ) f on true
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = a.actor_id limit 1) u on true
   where a.matches or a.scanned = 10000
   order by a.recorded_at asc, a.activity_id asc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- activities.list-by-document desc (server/features/activities/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select a.activity_id as id, a.feature_type as "featureType", a.action_type as "actionType",
         floor(extract(epoch from a.recorded_at) * 1000)::float8 as timestamp, a.target_entity_id as "targetEntityId",
         a.target_sub_entity_id as "targetSubEntityId", a.is_immutable as "isImmutable", a.content, u.profile,
         d.id as "documentId", f.id as "folderId", a.matches, a.scanned = 10000 as "isScanEnd"
    from (
      select a.*, row_number() over (order by a.recorded_at desc, a.activity_id desc) as scanned,
             ($6::uuid is null or a.resource_key = $6::uuid) and ($7::text is null or a.target_entity_id = $7::text)
               and ($8::text[] is null or a.feature_type = any($8::text[])) and ($9::text[] is null or a.action_type = any($9::text[]))
               and ($10::text is null or a.actor_id = $10::text)
               and ($11::text[] is null or a.activity_id = any($11::text[])) and ($12::text is null or coalesce(
                   (select 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $12::text or $12::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $12::text and (g.standing_role is not null or g.expires_at > coalesce($13::timestamptz, clock_timestamp())) limit 1
                            ) g)) from threads t
                     where t.organization_key = a.organization_key and t.resource_key = a.resource_key
                       and t.annotation_id = a.target_entity_id limit 1),
                   a.feature_type not in ('comment', 'reaction'))) as matches
        from (select a.* from activities a
               where a.organization_key = $1 and a.resource_key = $6::uuid and (a.recorded_at, a.activity_id) < (coalesce(to_timestamp($2::float8 / 1000), 'infinity'), coalesce($3::text, ''))
               order by a.recorded_at desc, a.activity_id desc limit 10000) a
    ) a
   cross join lateral (
      select r.id, r.folder_key from resources r
       where r.organization_key = a.organization_key and r.resource_key = a.resource_key limit 1
    ) d
    left join lateral (
      select r.id from resources r where r.organization_key = a.organization_key and r.resource_key = d.folder_key limit 1
    ) f on true
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = a.actor_id limit 1) u on true
   where a.matches or a.scanned = 10000
   order by a.recorded_at desc, a.activity_id desc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- activities.list-by-id asc (server/features/activities/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select a.activity_id as id, a.feature_type as "featureType", a.action_type as "actionType",
         floor(extract(epoch from a.recorded_at) * 1000)::float8 as timestamp, a.target_entity_id as "targetEntityId",
         a.target_sub_entity_id as "targetSubEntityId", a.is_immutable as "isImmutable", a.content, u.profile,
         d.id as "documentId", f.id as "folderId", a.matches, a.scanned = 10000 as "isScanEnd"
    from (
      select a.*, row_number() over (order by a.recorded_at asc, a.activity_id asc) as scanned,
             ($6::uuid is null or a.resource_key = $6::uuid) and ($7::text is null or a.target_entity_id = $7::text)
               and ($8::text[] is null or a.feature_type = any($8::text[])) and ($9::text[] is null or a.action_type = any($9::text[]))
               and ($10::text is null or a.actor_id = $10::text)
               and ($11::text[] is null or a.activity_id = any($11::text[])) and ($12::text is null or coalesce(
                   (select 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $12::text or $12::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $12::text and (g.standing_role is not null or g.expires_at > coalesce($13::timestamptz, clock_timestamp())) limit 1
                            ) g)) from threads t
                     where t.organization_key = a.organization_key and t.resource_key = a.resource_key
                       and t.annotation_id = a.target_entity_id limit 1),
                   a.feature_type not in ('comment', 'reaction'))) as matches
        from (select a.* from (select distinct id from unnest($11::text[]) as asked (id)) asked
               cross join lateral (select a.* from activities a
               where a.organization_key = $1 and a.activity_id = asked.id limit 1) a
               where true and (a.recorded_at, a.activity_id) > (coalesce(to_timestamp($2::float8 / 1000), '-infinity'), coalesce($3::text, ''))
               order by a.recorded_at asc, a.activity_id asc limit 10000) a
    ) a
   cross join lateral (
      select r.id, r.folder_key from resources r
       where r.organization_key = a.organization_key and r.resource_key = a.resource_key limit 1
    ) d
    left join lateral (
      select r.id from resources r where r.organization_key = a.organization_key and r.resource_key = d.folder_key limit 1
    ) f on true
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = a.actor_id limit 1) u on true
   where a.matches or a.scanned = 10000
   order by a.recorded_at asc, a.activity_id asc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- activities.list-by-id desc (server/features/activities/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select a.activity_id as id, a.feature_type as "featureType", a.action_type as "actionType",
         floor(extract(epoch from a.recorded_at) * 1000)::float8 as timestamp, a.target_entity_id as "targetEntityId",
         a.target_sub_entity_id as "targetSubEntityId", a.is_immutable as "isImmutable", a.content, u.profile,
         d.id as "documentId", f.id as "folderId", a.matches, a.scanned = 10000 as "isScanEnd"
    from (
      select a.*, row_number() over (order by a.recorded_at desc, a.activity_id desc) as scanned,
             ($6::uuid is null or a.resource_key = $6::uuid) and ($7::text is null or a.target_entity_id = $7::text)
               and ($8::text[] is null or a.feature_type = any($8::text[])) and ($9::text[] is null or a.action_type = any($9::text[]))
               and ($10::text is null or a.actor_id = $10::text)
               and ($11::text[] is null or a.activity_id = any($11::text[])) and ($12::text is null or coalesce(
                   (select 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $12::text or $12::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $12::text and (g.standing_role is not null or g.expires_at > coalesce($13::timestamptz, clock_timestamp())) limit 1
                            ) g)) from threads t
                     where t.organization_key = a.organization_key and t.resource_key = a.resource_key
                       and t.annotation_id = a.target_entity_id limit 1),
                   a.feature_type not in ('comment', 'reaction'))) as matches
        from (select a.* from (select distinct id from unnest($11::text[]) as asked (id)) asked
               cross join lateral (select a.* from activities a
               where a.organization_key = $1 and a.activity_id = asked.id limit 1) a
               where true and (a.recorded_at, a.activity_id) < (coalesce(to_timestamp($2::float8 / 1000), 'infinity'), coalesce($3::text, ''))
               order by a.recorded_at desc, a.activity_id desc limit 10000) a
    ) a
   cross join lateral (
      select r.id, r.folder_key from resources r
       where r.organization_key = a.organization_key and r.resource_key = a.resource_key limit 1
    ) d
    left join lateral (
      select r.id from resources r where r.organization_key = a.organization_key and r.resource_key = d.folder_key limit 1
    ) f on true
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = a.actor_id limit 1) u on true
   where a.matches or a.scanned = 10000
   order by a.recorded_at desc, a.activity_id desc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- activities.list-by-target asc (server/features/activities/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select a.activity_id as id, a.feature_type as "featureType", a.action_type as "actionType",
         floor(extract(epoch from a.recorded_at) * 1000)::float8 as timestamp, a.target_entity_id as "targetEntityId",
         a.target_sub_entity_id as "targetSubEntityId", a.is_immutable as "isImmutable", a.content, u.profile,
         d.id as "documentId", f.id as "folderId", a.matches, a.scanned = 10000 as "isScanEnd"
    from (
      select a.*, row_number() over (order by a.recorded_at asc, a.activity_id asc) as scanned,
             ($6::uuid is null or a.resource_key = $6::uuid) and ($7::text is null or a.target_entity_id = $7::text)
               and ($8::text[] is null or a.feature_type = any($8::text[])) and ($9::text[] is null or a.action_type = any($9::text[]))
               and ($10::text is null or a.actor_id = $10::text)
               and ($11::text[] is null or a.activity_id = any($11::text[])) and ($12::text is null or coalesce(
                   (select 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $12::text or $12::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $12::text and (g.standing_role is not null or g.expires_at > coalesce($13::timestamptz, clock_timestamp())) limit 1
                            ) g)) from threads t
                     where t.organization_key = a.organization_key and t.resource_key = a.resource_key
                       and t.annotation_id = a.target_entity_id limit 1),
                   a.feature_type not in ('comment', 'reaction'))) as matches
        from (select a.* from activities a
               where a.organization_key = $1 and a.target_entity_id = $7::text and (a.recorded_at, a.activity_id) > (coalesce(to_timestamp($2::float8 / 1000), '-infinity'), coalesce($3::text, ''))
               order by a.recorded_at asc, a.activity_id asc limit 10000) a
    ) a
   cross join lateral (
      select r.id, r.folder_key from resources r
       where r.organization_key = a.organization_key and r.resource_key = a.resource_key limit 1
    ) d
    left join lateral (
      select r.id from resources r where r.organization_key = a.organization_key and r.resource_key = d.folder_key limit 1
    ) f on true
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = a.actor_id limit 1) u on true
   where a.matches or a.scanned = 10000
   order by a.recorded_at asc, a.activity_id asc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- activities.list-by-target desc (server/features/activities/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select a.activity_id as id, a.feature_type as "featureType", a.action_type as "actionType",
         floor(extract(epoch from a.recorded_at) * 1000)::float8 as timestamp, a.target_entity_id as "targetEntityId",
         a.target_sub_entity_id as "targetSubEntityId", a.is_immutable as "isImmutable", a.content, u.profile,
         d.id as "documentId", f.id as "folderId", a.matches, a.scanned = 10000 as "isScanEnd"
    from (
      select a.*, row_number() over (order by a.recorded_at desc, a.activity_id desc) as scanned,
             ($6::uuid is null or a.resource_key = $6::uuid) and ($7::text is null or a.target_entity_id = $7::text)
               and ($8::text[] is null or a.feature_type = any($8::text[])) and ($9::text[] is null or a.action_type = any($9::text[]))
               and ($10::text is null or a.actor_id = $10::text)
               and ($11::text[] is null or a.activity_id = any($11::text[])) and ($12::text is null or coalesce(
                   (select 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $12::text or $12::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $12::text and (g.standing_role is not null or g.expires_at > coalesce($13::timestamptz, clock_timestamp())) limit 1
                            ) g)) from threads t
                     where t.organization_key = a.organization_key and t.resource_key = a.resource_key
                       and t.annotation_id = a.target_entity_id limit 1),
                   a.feature_type not in ('comment', 'reaction'))) as matches
        from (select a.* from activities a
               where a.organization_key = $1 and a.target_entity_id = $7::text and (a.recorded_at, a.activity_id) < (coalesce(to_timestamp($2::float8 / 1000), 'infinity'), coalesce($3::text, ''))
               order by a.recorded_at desc, a.activity_id desc limit 10000) a
    ) a
   cross join lateral (
      select r.id, r.folder_key from resources r
       where r.organization_key = a.organization_key and r.resource_key = a.resource_key limit 1
    ) d
    left join lateral (
      select r.id from resources r where r.organization_key = a.organization_key and r.resource_key = d.folder_key limit 1
    ) f on true
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = a.actor_id limit 1) u on true
   where a.matches or a.scanned = 10000
   order by a.recorded_at desc, a.activity_id desc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- activities.list-by-time asc (server/features/activities/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select a.activity_id as id, a.feature_type as "featureType", a.action_type as "actionType",
         floor(extract(epoch from a.recorded_at) * 1000)::float8 as timestamp, a.target_entity_id as "targetEntityId",
         a.target_sub_entity_id as "targetSubEntityId", a.is_immutable as "isImmutable", a.content, u.profile,
         d.id as "documentId", f.id as "folderId", a.matches, a.scanned = 10000 as "isScanEnd"
    from (
      select a.*, row_number() over (order by a.recorded_at asc, a.activity_id asc) as scanned,
             ($6::uuid is null or a.resource_key = $6::uuid) and ($7::text is null or a.target_entity_id = $7::text)
               and ($8::text[] is null or a.feature_type = any($8::text[])) and ($9::text[] is null or a.action_type = any($9::text[]))
               and ($10::text is null or a.actor_id = $10::text)
               and ($11::text[] is null or a.activity_id = any($11::text[])) and ($12::text is null or coalesce(
                   (select 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $12::text or $12::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $12::text and (g.standing_role is not null or g.expires_at > coalesce($13::timestamptz, clock_timestamp())) limit 1
                            ) g)) from threads t
                     where t.organization_key = a.organization_key and t.resource_key = a.resource_key
                       and t.annotation_id = a.target_entity_id limit 1),
                   a.feature_type not in ('comment', 'reaction'))) as matches
        from (select a.* from activities a
               where a.organization_key = $1 and a.recorded_at is not null and (a.recorded_at, a.activity_id) > (coalesce(to_timestamp($2::float8 / 1000), '-infinity'), coalesce($3::text, ''))
               order by a.recorded_at asc, a.activity_id asc limit 10000) a
    ) a
   cross join lateral (
      select r.id, r.folder_key from resources r
       where r.organization_key = a.organization_key and r.resource_key = a.resource_key limit 1
    ) d
    left join lateral (
      select r.id from resources r where r.organization_key = a.organization_key and r.resource_key = d.folder_key limit 1
    ) f on true
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = a.actor_id limit 1) u on true
   where a.matches or a.scanned = 10000
   order by a.recorded_at asc, a.activity_id asc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- activities.list-by-time desc (server/features/activities/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select a.activity_id as id, a.feature_type as "featureType", a.action_type as "actionType",
         floor(extract(epoch from a.recorded_at) * 1000)::float8 as timestamp, a.target_entity_id as "targetEntityId",
         a.target_sub_entity_id as "targetSubEntityId", a.is_immutable as "isImmutable", a.content, u.profile,
         d.id as "documentId", f.id as "folderId", a.matches, a.scanned = 10000 as "isScanEnd"
    from (
      select a.*, row_number() over (order by a.recorded_at desc, a.activity_id desc) as scanned,
             ($6::uuid is null or a.resource_key = $6::uuid) and ($7::text is null or a.target_entity_id = $7::text)
               and ($8::text[] is null or a.feature_type = any($8::text[])) and ($9::text[] is null or a.action_type = any($9::text[]))
               and ($10::text is null or a.actor_id = $10::text)
               and ($11::text[] is null or a.activity_id = any($11::text[])) and ($12::text is null or coalesce(
                   (select 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $12::text or $12::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $12::text and (g.standing_role is not null or g.expires_at > coalesce($13::timestamptz, clock_timestamp())) limit 1
                            ) g)) from threads t
                     where t.organization_key = a.organization_key and t.resource_key = a.resource_key
                       and t.annotation_id = a.target_entity_id limit 1),
                   a.feature_type not in ('comment', 'reaction'))) as matches
        from (select a.* from activities a
               where a.organization_key = $1 and a.recorded_at is not null and (a.recorded_at, a.activity_id) < (coalesce(to_timestamp($2::float8 / 1000), 'infinity'), coalesce($3::text, ''))
               order by a.recorded_at desc, a.activity_id desc limit 10000) a
    ) a
   cross join lateral (
      select r.id, r.folder_key from resources r
       where r.organization_key = a.organization_key and r.resource_key = a.resource_key limit 1
    ) d
    left join lateral (
      select r.id from resources r where r.organization_key = a.organization_key and r.resource_key = d.folder_key limit 1
    ) f on true
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = a.actor_id limit 1) u on true
   where a.matches or a.scanned = 10000
   order by a.recorded_at desc, a.activity_id desc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- activities.list-by-user asc (server/features/activities/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select a.activity_id as id, a.feature_type as "featureType", a.action_type as "actionType",
         floor(extract(epoch from a.recorded_at) * 1000)::float8 as timestamp, a.target_entity_id as "targetEntityId",
         a.target_sub_entity_id as "targetSubEntityId", a.is_immutable as "isImmutable", a.content, u.profile,
         d.id as "documentId", f.id as "folderId", a.matches, a.scanned = 10000 as "isScanEnd"
    from (
      select a.*, row_number() over (order by a.recorded_at asc, a.activity_id asc) as scanned,
             ($6::uuid is null or a.resource_key = $6::uuid) and ($7::text is null or a.target_entity_id = $7::text)
               and ($8::text[] is null or a.feature_type = any($8::text[])) and ($9::text[] is null or a.action_type = any($9::text[]))
               and ($10::text is null or a.actor_id = $10::text)
               and ($11::text[] is null or a.activity_id = any($11::text[])) and ($12::text is null or coalesce(
                   (select 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $12::text or $12::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $12::text and (g.standing_role is not null or g.expires_at > coalesce($13::timestamptz, clock_timestamp())) limit 1
                            ) g)) from threads t
                     where t.organization_key = a.organization_key and t.resource_key = a.resource_key
                       and t.annotation_id = a.target_entity_id limit 1),
                   a.feature_type not in ('comment', 'reaction'))) as matches
        from (select a.* from activities a
               where a.organization_key = $1 and a.actor_id = $10::text and (a.recorded_at, a.activity_id) > (coalesce(to_timestamp($2::float8 / 1000), '-infinity'), coalesce($3::text, ''))
               order by a.recorded_at asc, a.activity_id asc limit 10000) a
    ) a
   cross join lateral (
      select r.id, r.folder_key from resources r
       where r.organization_key = a.organization_key and r.resource_key = a.resource_key limit 1
    ) d
    left join lateral (
      select r.id from resources r where r.organization_key = a.organization_key and r.resource_key = d.folder_key limit 1
    ) f on true
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = a.actor_id limit 1) u on true
   where a.matches or a.scanned = 10000
   order by a.recorded_at asc, a.activity_id asc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- activities.list-by-user desc (server/features/activities/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select a.activity_id as id, a.feature_type as "featureType", a.action_type as "actionType",
         floor(extract(epoch from a.recorded_at) * 1000)::float8 as timestamp, a.target_entity_id as "targetEntityId",
         a.target_sub_entity_id as "targetSubEntityId", a.is_immutable as "isImmutable", a.content, u.profile,
         d.id as "documentId", f.id as "folderId", a.matches, a.scanned = 10000 as "isScanEnd"
    from (
      select a.*, row_number() over (order by a.recorded_at desc, a.activity_id desc) as scanned,
             ($6::uuid is null or a.resource_key = $6::uuid) and ($7::text is null or a.target_entity_id = $7::text)
               and ($8::text[] is null or a.feature_type = any($8::text[])) and ($9::text[] is null or a.action_type = any($9::text[]))
               and ($10::text is null or a.actor_id = $10::text)
               and ($11::text[] is null or a.activity_id = any($11::text[])) and ($12::text is null or coalesce(
                   (select 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $12::text or $12::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $12::text and (g.standing_role is not null or g.expires_at > coalesce($13::timestamptz, clock_timestamp())) limit 1
                            ) g)) from threads t
                     where t.organization_key = a.organization_key and t.resource_key = a.resource_key
                       and t.annotation_id = a.target_entity_id limit 1),
                   a.feature_type not in ('comment', 'reaction'))) as matches
        from (select a.* from activities a
               where a.organization_key = $1 and a.actor_id = $10::text and (a.recorded_at, a.activity_id) < (coalesce(to_timestamp($2::float8 / 1000), 'infinity'), coalesce($3::text, ''))
               order by a.recorded_at desc, a.activity_id desc limit 10000) a
    ) a
   cross join lateral (
      select r.id, r.folder_key from resources r
       where r.organization_key = a.organization_key and r.resource_key = a.resource_key limit 1
    ) d
    left join lateral (
      select r.id from resources r where r.organization_key = a.organization_key and r.resource_key = d.folder_key limit 1
    ) f on true
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = a.actor_id limit 1) u on true
   where a.matches or a.scanned = 10000
   order by a.recorded_at desc, a.activity_id desc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- activities.update (server/features/activities/statements.ts)
with named as materialized (
    select item.*, held.is_immutable, held.row
      from unnest($1::uuid[], $2::text[], $3::jsonb[]) with ordinality as item(organization_key, activity_id, changes, ord)
      left join lateral (
        select a.is_immutable, a.ctid as row from activities a
         where a.organization_key = item.organization_key and a.activity_id = item.activity_id limit 1
      ) held on true
  ),
  written as (
    update activities a set content = 
  ((a.content || n.changes) - array(select key from jsonb_each(n.changes) where value = 'null')) from named n
     where not n.is_immutable and a.ctid = n.row
  )
  select activity_id as "activityId", is_immutable as "isImmutable" from named order by ord;

-- activity-config.get (server/features/service-configs/statements.ts)
select activity_config as config, floor(extract(epoch from coalesce($2::timestamptz, clock_timestamp())) * 1000)::float8 as "nowMs" from api_keys where api_key_id = $1;

-- activity-config.update (server/features/service-configs/statements.ts)
update api_keys set activity_config = $2::jsonb where api_key_id = $1;

-- advanced-webhook-config.get (server/features/webhooks/endpoints/endpoint-statements.ts)
select is_enabled as "isEnabled", encode_data as "encodeData", encrypt_data as "encryptData", public_key as "publicKey"
    from webhook_settings where api_key_id = $1;

-- advanced-webhook-config.update (server/features/webhooks/endpoints/endpoint-statements.ts)
insert into webhook_settings (api_key_id, is_enabled, encode_data, encrypt_data, public_key) values ($1, $2, $3, $4, $5)
  on conflict (api_key_id) do update
     set is_enabled = excluded.is_enabled, encode_data = excluded.encode_data, encrypt_data = excluded.encrypt_data,
         public_key = excluded.public_key;

-- api-keys.close (server/features/api-keys/deletion-statements.ts)
select name, type, owner_email as "ownerEmail" from api_keys where api_key_id = $1 for update;

-- api-keys.count-production (server/features/api-keys/statements.ts)
select count(*) as count from api_keys where workspace_id = $1 and type = 'production';

-- api-keys.create (server/features/api-keys/statements.ts)
with key as (
    insert into api_keys (api_key_id, workspace_id, type, name, owner_email, plan, allowed_domains, require_known_resources,
                          use_email_service, email_service_config, email_service_key_sealed,
                          use_webhook_service, webhook_service_config, webhook_service_token_sealed, default_access_type,
                          default_access_role, require_auto_org_user, notification_config, private_comments_enabled, has_commenter)
    values ($1, $2, $3, $4, $5, $6::jsonb, $7::text[], $8, $9, $10::jsonb, $11::bytea, $12, $13::jsonb, $14::bytea,
            $21::access_type, $22::access_role, $23, $25::jsonb, $26, $27)
  ),
  token as (
    insert into auth_tokens (token_hash, api_key_id, name, token_sealed, origin)
    select $15::bytea, $1, $16::text, $17::bytea, $24::jsonb where $15::bytea is not null returning auth_token_id
  ),
  signing as (
    insert into signing_keys (api_key_id, kid, public_jwk, private_key_sealed) values ($1, $18, $19::jsonb, $20::bytea)
  )
  select (select auth_token_id from token) as "authTokenId";

-- api-keys.delete (server/features/api-keys/deletion-statements.ts)
delete from api_keys where api_key_id = $1;

-- api-keys.delete-activities (server/features/api-keys/deletion-statements.ts)
with batch as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from activities t where t.organization_key = o.organization_key offset 0
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from activities t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted;

-- api-keys.delete-document-aliases (server/features/api-keys/deletion-statements.ts)
with batch as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from document_aliases t where t.organization_key = o.organization_key offset 0
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from document_aliases t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted;

-- api-keys.delete-document-migrations (server/features/api-keys/deletion-statements.ts)
with batch as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from document_migrations t where t.organization_key = o.organization_key offset 0
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from document_migrations t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted;

-- api-keys.delete-documents (server/features/api-keys/deletion-statements.ts)
with batch as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from resources t where t.organization_key = o.organization_key and t.kind = 'document' offset 0
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from resources t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted;

-- api-keys.delete-folders (server/features/api-keys/deletion-statements.ts)
with batch as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from resources t where t.organization_key = o.organization_key and t.kind = 'folder' order by t.path desc limit $2::int
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from resources t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted;

-- api-keys.delete-grants (server/features/api-keys/deletion-statements.ts)
with batch as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from grants t where t.organization_key = o.organization_key offset 0
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from grants t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted;

-- api-keys.delete-invitations (server/features/api-keys/deletion-statements.ts)
with batch as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from invitations t where t.organization_key = o.organization_key offset 0
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from invitations t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted;

-- api-keys.delete-mails (server/features/api-keys/deletion-statements.ts)
with batch as materialized (select t.ctid from mails t where t.api_key_id = $1 limit $2::int),
  deleted as (delete from mails t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted;

-- api-keys.delete-notification-preferences (server/features/api-keys/deletion-statements.ts)
with batch as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from notification_preferences t where t.organization_key = o.organization_key offset 0
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from notification_preferences t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted;

-- api-keys.delete-notification-recipients (server/features/api-keys/deletion-statements.ts)
with batch as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from notification_recipients t where t.organization_key = o.organization_key offset 0
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from notification_recipients t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted;

-- api-keys.delete-notifications (server/features/api-keys/deletion-statements.ts)
with batch as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from notifications t where t.organization_key = o.organization_key offset 0
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from notifications t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted;

-- api-keys.delete-organizations (server/features/api-keys/deletion-statements.ts)
with deleted as (
    delete from organizations o
     using (select organization_key from organizations where api_key_id = $1 limit $2::int) batch
     where o.organization_key = batch.organization_key
    returning 1
  )
  select count(*) as deleted from deleted;

-- api-keys.delete-user-access-revocations (server/features/api-keys/deletion-statements.ts)
with deleted as (
    delete from user_access_revocations t
     using (select job_id from user_access_revocations where api_key_id = $1 order by job_id limit $2::int) batch
     where t.api_key_id = $1 and t.job_id = batch.job_id
    returning 1
  )
  select count(*) as deleted from deleted;

-- api-keys.delete-user-data-deletions (server/features/api-keys/deletion-statements.ts)
with deleted as (
    delete from user_data_deletions t
     using (select job_id from user_data_deletions where api_key_id = $1 order by job_id limit $2::int) batch
     where t.api_key_id = $1 and t.job_id = batch.job_id
    returning 1
  )
  select count(*) as deleted from deleted;

-- api-keys.delete-user-group-members (server/features/api-keys/deletion-statements.ts)
with batch as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from user_group_members t where t.organization_key = o.organization_key offset 0
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from user_group_members t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted;

-- api-keys.delete-user-groups (server/features/api-keys/deletion-statements.ts)
with batch as materialized (
    select t.ctid from organizations o
     cross join lateral (
       select t.ctid from user_groups t where t.organization_key = o.organization_key offset 0
     ) t
     where o.api_key_id = $1 limit $2::int
  ),
  deleted as (delete from user_groups t using batch where t.ctid = batch.ctid returning 1)
  select count(*) as deleted from deleted;

-- api-keys.delete-users (server/features/api-keys/deletion-statements.ts)
with deleted as (
    delete from users t
     using (select user_id from users where api_key_id = $1 order by user_id limit $2::int) batch
     where t.api_key_id = $1 and t.user_id = batch.user_id
    returning 1
  )
  select count(*) as deleted from deleted;

-- api-keys.disable (server/features/api-keys/statements.ts)
update api_keys set disabled_at = case when $2::boolean then clock_timestamp() end
   where api_key_id = $1 and (disabled_at is not null) <> $2::boolean
  returning api_key_id as "apiKeyId";

-- api-keys.get (server/features/api-keys/statements.ts)
select api_key_id as id, name as "apiKeyName", type, disabled_at is not null as disabled from api_keys
   where workspace_id = $1 and ($2::text[] is null or api_key_id = any ($2)) and api_key_id > coalesce($3::text, '')
     and ($5::text is null or position(search_fold($5) in search_fold(name)) > 0 or starts_with(api_key_id, $5))
   order by api_key_id limit $4::int;

-- api-keys.get by name (server/features/api-keys/statements.ts)
select k.api_key_id as id, k.name as "apiKeyName", k.type, k.disabled_at is not null as disabled, jsonb_build_array(name_order(k.name, k.api_key_id), k.api_key_id)::text as position from api_keys k
   where k.workspace_id = $1 and ($2::text[] is null or k.api_key_id = any ($2)) and (name_order(k.name, k.api_key_id), k.api_key_id) > (coalesce($3::jsonb ->> 0, '') collate "C", coalesce($3::jsonb ->> 1, '') collate "C")
     and ($5::text is null or position(search_fold($5) in search_fold(k.name)) > 0 or starts_with(k.api_key_id, $5))
   order by name_order(k.name, k.api_key_id) asc, k.api_key_id asc limit $4::int;

-- api-keys.get by name desc (server/features/api-keys/statements.ts)
select k.api_key_id as id, k.name as "apiKeyName", k.type, k.disabled_at is not null as disabled, jsonb_build_array(name_order(k.name, k.api_key_id), k.api_key_id)::text as position from api_keys k
   where k.workspace_id = $1 and ($2::text[] is null or k.api_key_id = any ($2)) and (name_order(k.name, k.api_key_id), k.api_key_id) < (coalesce($3::jsonb ->> 0, repeat(chr(1114111), 101)) collate "C", coalesce($3::jsonb ->> 1, repeat(chr(1114111), 101)) collate "C")
     and ($5::text is null or position(search_fold($5) in search_fold(k.name)) > 0 or starts_with(k.api_key_id, $5))
   order by name_order(k.name, k.api_key_id) desc, k.api_key_id desc limit $4::int;

-- api-keys.hold-commenter (server/tenancy/writes/commenter.ts)
select api_key_id as "apiKeyId" from api_keys
   where api_key_id = any($1::text[]) and has_commenter
   order by api_key_id for share;

-- api-keys.lock (server/tenancy/writes/api-key.ts)
select api_key_id as "apiKeyId" from api_keys where api_key_id = $2 and workspace_id = $1 for no key update;

-- api-keys.lock-organizations (server/features/api-keys/deletion-statements.ts)
select count(*) as count
    from (select from organizations where api_key_id = $1 order by organization_key for update) locked;

-- api-keys.update (server/features/api-keys/statements.ts)
with old as (select api_key_id, name from api_keys where api_key_id = $1)
  update api_keys k set name = $2 from old where k.api_key_id = old.api_key_id and old.name <> $2
  returning old.name as before;

-- auth-tokens.check (server/features/auth-tokens/statements.ts)
select item.req, t.name as "tokenName", t.scopes, k.workspace_id as "workspaceId", k.default_access_type as "defaultAccessType",
         k.default_access_role as "defaultAccessRole", k.has_commenter as "hasCommenter", k.has_disabled_users as "hasDisabledUsers",
         k.require_known_resources as "requireKnownResources", k.expiring_soon_seconds as "expiringSoonSeconds", k.disabled_at is not null as disabled,
         (t.last_used_at is null or t.last_used_at <= coalesce($4::timestamptz, clock_timestamp()) - interval '1 minute') as "isUnrecorded"
    from unnest($1::int[], $2::text[], $3::bytea[]) with ordinality as item(req, api_key_id, token_hash, ord)
    join auth_tokens t on t.token_hash = item.token_hash and t.api_key_id = item.api_key_id
    join api_keys k on k.api_key_id = t.api_key_id
   where t.revoked_at is null and (t.expires_at is null or t.expires_at > coalesce($4::timestamptz, clock_timestamp()));

-- auth-tokens.count (server/features/auth-tokens/statements.ts)
select count(*) as count from unnest($1::text[]) with ordinality as item(api_key_id, ord) join auth_tokens t on t.api_key_id = item.api_key_id where t.revoked_at is null and (t.expires_at is null or t.expires_at > coalesce($2::timestamptz, clock_timestamp()));

-- auth-tokens.create (server/features/auth-tokens/statements.ts)
insert into auth_tokens (token_hash, api_key_id, name, token_sealed, scopes, expires_at, origin)
  values ($1::bytea, $2, $3, $4::bytea, $5::text[], $6::timestamptz, $7::jsonb)
  returning auth_token_id as id, name, scopes, created_at as "createdAt", expires_at as "expiresAt",
            last_used_at as "lastUsedAt", origin;

-- auth-tokens.get (server/features/auth-tokens/statements.ts)
select t.auth_token_id as id, t.token_hash as hash, t.name, t.token_sealed as sealed, t.scopes,
         t.created_at as "createdAt", t.expires_at as "expiresAt", t.last_used_at as "lastUsedAt", t.origin
    from unnest($1::text[]) with ordinality as item(api_key_id, ord) join auth_tokens t on t.api_key_id = item.api_key_id
   where t.revoked_at is null and (t.expires_at is null or t.expires_at > coalesce($2::timestamptz, clock_timestamp()))
   order by t.created_at, t.token_hash;

-- auth-tokens.get-key (server/features/auth-tokens/statements.ts)
select api_key_id as "apiKeyId" from api_keys where api_key_id = $2 and workspace_id = $1;

-- auth-tokens.record-use (server/features/auth-tokens/statements.ts)
with used as materialized (
    select t.token_hash from unnest($1::bytea[]) with ordinality as item(token_hash, ord)
     cross join lateral (
       select t.token_hash from auth_tokens t
        where t.token_hash = item.token_hash and (t.last_used_at is null or t.last_used_at <= coalesce($2::timestamptz, clock_timestamp()) - interval '1 minute') for no key update skip locked
     ) t
  )
  update auth_tokens t set last_used_at = coalesce($2::timestamptz, clock_timestamp()) from used where t.token_hash = used.token_hash;

-- auth-tokens.reset (server/features/auth-tokens/statements.ts)
update auth_tokens t
     set expires_at = least(t.expires_at, ended.at), revoked_at = case when ended.grace_period_seconds = 0 then ended.at end
    from (select item.*, coalesce($3::timestamptz, clock_timestamp()) + make_interval(secs => grace_period_seconds) as at from unnest($1::text[], $2::int[]) with ordinality as item(api_key_id, grace_period_seconds, ord)) ended
   where t.api_key_id = ended.api_key_id and t.revoked_at is null;

-- auth-tokens.revoke (server/features/auth-tokens/statements.ts)
with named as materialized (
    select t.token_hash, t.auth_token_id, t.name, t.revoked_at is null and (t.expires_at is null or t.expires_at > coalesce($3::timestamptz, clock_timestamp())) as was_valid
      from unnest($1::text[], $2::text[]) with ordinality as item(api_key_id, auth_token_id, ord)
      join auth_tokens t on t.api_key_id = item.api_key_id and t.auth_token_id::text = item.auth_token_id
  ),
  revoked as (
    update auth_tokens t set revoked_at = coalesce($3::timestamptz, clock_timestamp())
      from named where named.was_valid and t.token_hash = named.token_hash
  )
  select auth_token_id as id, name, was_valid as "wasValid" from named;

-- comment-data.add-thread-users (server/features/comment-data/thread-statements.ts)
insert into thread_users (organization_key, resource_key, annotation_id, user_id, subscription, is_manual, contact, seen_through)
  select item.organization_key, item.resource_key, item.annotation_id, item.user_id, item.subscription, item.is_manual, item.contact, item.seen_through
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::jsonb[], $8::int[]) with ordinality as item(organization_key, resource_key, annotation_id, user_id, subscription, is_manual, contact, seen_through, ord)
   order by item.organization_key, item.resource_key, item.annotation_id, item.user_id
  on conflict (organization_key, resource_key, annotation_id, user_id) do nothing;

-- comment-data.find-documents (server/features/comment-data/list-statements.ts)
select d.id as "documentId", d.resource_key as "resourceKey", d.added_at is not null as "isAdded"
    from unnest($2::text[]) as asked (id)
   cross join lateral (
      select d.* from resources d
       where d.organization_key = $1 and d.kind = 'document' and d.id = asked.id limit 1
    ) d;

-- comment-data.list-activities (server/features/comment-data/list-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select a.activity_id as id, d.id as "documentId", floor(extract(epoch from a.recorded_at) * 1000)::float8 as timestamp, a.feature_type as "featureType",
         a.action_type as "actionType", a.target_entity_id as "targetEntityId", a.target_sub_entity_id as "targetSubEntityId",
         a.is_immutable as immutable, a.content
    from activities a 
  cross join lateral (
     select d.* from resources d
      where d.organization_key = a.organization_key and d.resource_key = a.resource_key limit 1
   ) d
   where a.organization_key = $1 and a.activity_id > $2 and $3::text is not null and (d.added_at is not null
           or exists (select from grants g where g.organization_key = d.organization_key and g.resource_key = d.resource_key)
           or exists (select from invitations i where i.organization_key = d.organization_key and i.resource_key = d.resource_key))
   order by a.activity_id limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- comment-data.list-notifications (server/features/comment-data/list-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select n.notification_id as "notificationId", d.id as "documentId", floor(extract(epoch from n.notified_at) * 1000)::float8 as timestamp,
         n.notification_source as "notificationSource", n.action_type as "actionType", n.target_annotation_id as "targetAnnotationId",
         n.target_comment_id::float8 as "targetCommentId", n.notifies_all as "notifyAll", n.requires_access as "requiresAccess", n.content
    from notifications n 
  cross join lateral (
     select d.* from resources d
      where d.organization_key = n.organization_key and d.resource_key = n.resource_key limit 1
   ) d
   where n.organization_key = $1 and n.notification_id > $2 and $3::text is not null and (d.added_at is not null
           or exists (select from grants g where g.organization_key = d.organization_key and g.resource_key = d.resource_key)
           or exists (select from invitations i where i.organization_key = d.organization_key and i.resource_key = d.resource_key))
   order by n.notification_id limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- comment-data.list-preferences (server/features/comment-data/list-statements.ts)
select p.user_id as "userId", d.document_id as "documentId",
         case when unsubscribed.is_mail_off and (d.kind <> 'document' or p.channels ? 'email') then p.channels || '{"email": "NONE"}' else p.channels end as config
    from notification_preferences p
   cross join lateral (
      select d.*, case d.kind when 'document' then d.id else '' end as document_id from resources d
       where d.organization_key = p.organization_key and d.resource_key = p.resource_key limit 1
    ) d
    left join lateral (
      select u.is_mail_off from notification_preferences u
       where u.organization_key = p.organization_key and u.resource_key = p.organization_key and u.user_id = p.user_id limit 1
    ) unsubscribed on true
   where p.organization_key = $1 and p.user_id >= $2 and (p.user_id, d.document_id) > ($2, $3) and (d.added_at is not null
           or exists (select from grants g where g.organization_key = d.organization_key and g.resource_key = d.resource_key)
           or exists (select from invitations i where i.organization_key = d.organization_key and i.resource_key = d.resource_key))
   order by p.user_id, d.document_id limit $4::int;

-- comment-data.list-recipients (server/features/comment-data/list-statements.ts)
select r.notification_id as "notificationId", r.user_id as "userId", r.is_named as "isNamed", r.email,
         floor(extract(epoch from r.read_at) * 1000)::float8 as "readAt", r.is_hidden as "isHidden"
    from notification_recipients r
   cross join lateral (
      select n.organization_key, n.resource_key from notifications n
       where n.organization_key = r.organization_key and n.notification_id = r.notification_id limit 1
    ) n 
  cross join lateral (
     select d.* from resources d
      where d.organization_key = n.organization_key and d.resource_key = n.resource_key limit 1
   ) d
   where r.organization_key = $1 and (r.user_id, r.notification_id) > ($2, $3) and (d.added_at is not null
           or exists (select from grants g where g.organization_key = d.organization_key and g.resource_key = d.resource_key)
           or exists (select from invitations i where i.organization_key = d.organization_key and i.resource_key = d.resource_key))
   order by r.user_id, r.notification_id limit $4::int;

-- comment-data.list-threads (server/features/comment-data/list-statements.ts)
with page as materialized (
    select t.*, d.id as document_id
      from threads t 
  cross join lateral (
     select d.* from resources d
      where d.organization_key = t.organization_key and d.resource_key = t.resource_key limit 1
   ) d
     where t.organization_key = $1 and t.annotation_id >= $2 and (t.annotation_id, d.id) > ($2, $3)
     order by t.annotation_id, d.id limit $4::int
  ),
  sized as (
    select page.*, lead(true) over following is not null as has_next,
           sum(bytes) over (order by annotation_id, document_id rows between unbounded preceding and 1 preceding) as bytes_before
      from page window following as (order by annotation_id, document_id)
  )
  select t.annotation_id as "annotationId", t.document_id as "documentId", t.has_next as "hasNext", t.content,
         floor(extract(epoch from t.created_at) * 1000)::float8 as "createdAt", floor(extract(epoch from t.last_updated) * 1000)::float8 as "lastUpdated",
         t.comments_written as "commentsWritten",
         coalesce((select jsonb_agg(jsonb_build_object('commentId', c.comment_id, 'position', c.position, 'content', c.content,
                            'createdAt', floor(extract(epoch from c.created_at) * 1000)::float8, 'lastUpdated', floor(extract(epoch from c.last_updated) * 1000)::float8)
                            order by c.position, c.comment_id)
                     from thread_comments c
                    where c.organization_key = t.organization_key and c.resource_key = t.resource_key
                      and c.annotation_id = t.annotation_id), '[]') as comments,
         coalesce((select jsonb_agg(jsonb_build_object('userId', u.user_id, 'subscription', u.subscription, 'isManual', u.is_manual,
                            'contact', u.contact, 'seenThrough', u.seen_through) order by u.user_id)
                     from thread_users u
                    where u.organization_key = t.organization_key and u.resource_key = t.resource_key
                      and u.annotation_id = t.annotation_id), '[]') as users
    from sized t
   where coalesce(t.bytes_before, 0) < 2097152
   order by t.annotation_id, t.document_id;

-- comment-data.refresh-threads (server/features/comment-data/thread-statements.ts)
with thread as materialized (
    select t.ctid as row, octet_length(t.content::text) + c.bytes as bytes, c.last_position, c.comment_count, m.mentioned
      from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality as item(organization_key, resource_key, annotation_id, ord)
     cross join lateral (
        select t.ctid, t.content from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t
     cross join lateral (
        select sum(c.bytes)::int as bytes, max(c.position) as last_position, count(*)::int as comment_count from thread_comments c
         where c.organization_key = item.organization_key and c.resource_key = item.resource_key and c.annotation_id = item.annotation_id
      ) c
     cross join lateral (
        select coalesce(array_agg(id order by position, id), '{}') as mentioned
          from (select tag.value ->> 'userId' as id, min(c.position) as position
                  from thread_comments c cross join lateral jsonb_array_elements(c.content -> 'taggedUserContacts') as tag(value)
                 where c.organization_key = item.organization_key and c.resource_key = item.resource_key and c.annotation_id = item.annotation_id
                 group by 1) each_user
      ) m
     where c.comment_count > 0
  )
  update threads t
     set bytes = n.bytes, last_position = n.last_position, comment_count = n.comment_count, mentioned_user_ids = n.mentioned,
         comments_written = greatest(t.comments_written, n.last_position)
    from thread n where t.ctid = n.row
     and (t.bytes, t.last_position, t.comment_count, t.mentioned_user_ids) is distinct from (n.bytes, n.last_position, n.comment_count, n.mentioned);

-- comment-data.set-activities (server/features/comment-data/record-statements.ts)
with named as materialized (
    select item.*, coalesce(held.is_same, false) as is_same,
           case when held.is_immutable and not held.is_same then 'immutable' else 'ok' end as outcome
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::boolean[], $11::jsonb[]) with ordinality as item(organization_key, resource_key, id, timestamp, feature_type, action_type, actor_id, target_entity_id, target_sub_entity_id, immutable, content, ord)
      left join lateral (
        select a.is_immutable,
               (a.resource_key, a.recorded_at, a.feature_type, a.action_type, a.actor_id, a.target_entity_id, a.target_sub_entity_id, a.is_immutable, a.content)
               is not distinct from (item.resource_key, item.timestamp, item.feature_type, item.action_type, item.actor_id, item.target_entity_id,
                                     item.target_sub_entity_id, item.immutable, item.content) as is_same
          from activities a
         where a.organization_key = item.organization_key and a.activity_id = item.id limit 1
      ) held on true
  ),
  written as (
    insert into activities (organization_key, activity_id, resource_key, recorded_at, feature_type, action_type, actor_id,
                            target_entity_id, target_sub_entity_id, is_immutable, content)
    select organization_key, id, resource_key, timestamp, feature_type, action_type, actor_id, target_entity_id, target_sub_entity_id, immutable, content
      from named where outcome = 'ok' and not is_same order by organization_key, id
    on conflict (organization_key, activity_id) do update
       set resource_key = excluded.resource_key, recorded_at = excluded.recorded_at, feature_type = excluded.feature_type,
           action_type = excluded.action_type, actor_id = excluded.actor_id, target_entity_id = excluded.target_entity_id,
           target_sub_entity_id = excluded.target_sub_entity_id, is_immutable = excluded.is_immutable, content = excluded.content
  )
  select ord::int, outcome from named order by ord;

-- comment-data.set-comments (server/features/comment-data/thread-statements.ts)
with named as materialized (
    select item.*, t.comments_written, known.position as known_position,
           known.position is not null
             and (known.content, known.created_at, known.last_updated) = (item.content, item.created_at, item.last_updated) as is_same,
           known.position is null and (
             row_number() over (partition by item.resource_key, item.annotation_id, item.position order by item.ord) > 1
             or item.position <= t.last_position and exists (
               select from thread_comments c
                where c.organization_key = item.organization_key and c.resource_key = item.resource_key
                  and c.annotation_id = item.annotation_id and c.position = item.position)) as is_taken,
           case when t.annotation_id is null then 'missing'
                when t.comment_count + sum((known.position is null)::int) over thread_so_far > 10000
                  or t.bytes + sum(item.bytes - coalesce(known.bytes, 0)) over thread_so_far > 16777216 then 'full'
                else 'ok' end as outcome
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::int[], $7::timestamptz[], $8::timestamptz[], $9::jsonb[], $10::int[], $11::boolean[], $12::jsonb[]) with ordinality as item(organization_key, resource_key, annotation_id, document_id, comment_id, position, created_at, last_updated, content, bytes, is_root, actor, ord) 
      left join lateral (
        select t.* from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t on true
      left join lateral (
        select c.position, c.content, c.created_at, c.last_updated, c.bytes from thread_comments c
         where c.organization_key = item.organization_key and c.resource_key = item.resource_key
           and c.annotation_id = item.annotation_id and c.comment_id = item.comment_id limit 1
      ) known on true
    window thread_so_far as (partition by item.resource_key, item.annotation_id order by item.ord)
  ),
  accepted as materialized (
    select n.*, case when n.known_position is not null then n.known_position
                     when not n.is_taken then n.position
                     else greatest(n.comments_written, max(n.position) over thread_rows)
                          + (sum(n.is_taken::int) over (thread_rows order by n.ord))::int end as new_position
      from named n where n.outcome = 'ok' and not n.is_same
    window thread_rows as (partition by n.resource_key, n.annotation_id)
  ),
  written as (
    insert into thread_comments (organization_key, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes)
    select organization_key, resource_key, annotation_id, comment_id, new_position, created_at, last_updated, content, bytes
      from accepted order by organization_key, resource_key, annotation_id, comment_id
    on conflict (organization_key, resource_key, annotation_id, comment_id) do update
       set created_at = excluded.created_at, last_updated = excluded.last_updated, content = excluded.content, bytes = excluded.bytes
  ),
  event as (
    select organization_key, ord as position, case when known_position is null then 'comment.added' else 'comment.updated' end as type,
           'document'::resource_kind as resource_kind, document_id as resource_id, content -> 'from' ->> 'userId' as user_id, actor,
           null::jsonb as before,
           jsonb_build_object('annotationId', annotation_id, 'commentId', comment_id)
             || case when known_position is null then '{}' else '{"fields": []}'::jsonb end as after
      from accepted where not (is_root and known_position is null)
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select ord::int, outcome from named order by ord;

-- comment-data.set-notifications (server/features/comment-data/record-statements.ts)
with named as materialized (
    select item.*, case when item.target_comment_id is not null and c.comment_id is null then 'missing' else 'ok' end as outcome
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[], $11::boolean[], $12::boolean[], $13::jsonb[]) with ordinality as item(organization_key, resource_key, notification_id, timestamp, notification_source, action_type, actor_id, target_annotation_id, target_comment_id, location_id, notify_all, requires_access, content, ord)
      left join lateral (
        select c.comment_id from thread_comments c
         where c.organization_key = item.organization_key and c.resource_key = item.resource_key
           and c.annotation_id = item.target_annotation_id and c.comment_id = item.target_comment_id limit 1
      ) c on true
  ),
  written as (
    insert into notifications (organization_key, notification_id, resource_key, notified_at, notification_source, action_type, actor_id,
                               target_annotation_id, target_comment_id, location_id, notifies_all, requires_access, content)
    select organization_key, notification_id, resource_key, timestamp, notification_source, action_type, actor_id,
           target_annotation_id, target_comment_id, location_id, notify_all, requires_access, content
      from named where outcome = 'ok' order by organization_key, notification_id
    on conflict (organization_key, notification_id) do update
       set resource_key = excluded.resource_key, notified_at = excluded.notified_at, notification_source = excluded.notification_source,
           action_type = excluded.action_type, actor_id = excluded.actor_id, target_annotation_id = excluded.target_annotation_id,
           target_comment_id = excluded.target_comment_id, location_id = excluded.location_id, notifies_all = excluded.notifies_all,
           requires_access = excluded.requires_access, content = excluded.content
  )
  select ord::int, outcome from named order by ord;

-- comment-data.set-preferences (server/features/comment-data/record-statements.ts)
insert into notification_preferences as p (organization_key, resource_key, user_id, channels)
  select organization_key, resource_key, user_id, config from unnest($1::uuid[], $2::uuid[], $3::text[], $4::jsonb[]) with ordinality as item(organization_key, resource_key, user_id, config, ord) order by organization_key, resource_key, user_id
  on conflict (organization_key, resource_key, user_id) do update set channels = p.channels || excluded.channels;

-- comment-data.set-recipients (server/features/comment-data/record-statements.ts)
with named as materialized (
    select item.*, n.notified_at, case when n.notified_at is null then 'missing' else 'ok' end as outcome
      from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::timestamptz[], $7::boolean[]) with ordinality as item(organization_key, notification_id, user_id, is_named, email, read_at, is_hidden, ord)
      left join lateral (
        select n.notified_at from notifications n
         where n.organization_key = item.organization_key and n.notification_id = item.notification_id limit 1
      ) n on true
  ),
  written as (
    insert into notification_recipients (organization_key, notification_id, user_id, notified_at, is_named, email, read_at, is_hidden)
    select organization_key, notification_id, user_id, notified_at, is_named, email, read_at, is_hidden
      from named where outcome = 'ok' order by organization_key, user_id, notification_id
    on conflict (organization_key, user_id, notification_id) do update
       set notified_at = excluded.notified_at, is_named = excluded.is_named, email = excluded.email, read_at = excluded.read_at,
           is_hidden = excluded.is_hidden
  )
  select ord::int, outcome from named order by ord;

-- comment-data.set-thread-users (server/features/comment-data/thread-statements.ts)
with named as materialized (
    select item.*, case when t.annotation_id is null then 'missing' else 'ok' end as outcome
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::jsonb[], $8::int[]) with ordinality as item(organization_key, resource_key, annotation_id, user_id, subscription, is_manual, contact, seen_through, ord) 
      left join lateral (
        select t.* from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t on true
  ),
  written as (
    insert into thread_users as u (organization_key, resource_key, annotation_id, user_id, subscription, is_manual, contact, seen_through)
    select organization_key, resource_key, annotation_id, user_id, subscription, is_manual, contact, seen_through
      from named where outcome = 'ok' order by organization_key, resource_key, annotation_id, user_id
    on conflict (organization_key, resource_key, annotation_id, user_id) do update
       set subscription = excluded.subscription, is_manual = excluded.is_manual, contact = excluded.contact, seen_through = excluded.seen_through
     where (u.subscription, u.is_manual, u.contact, u.seen_through)
           is distinct from (excluded.subscription, excluded.is_manual, excluded.contact, excluded.seen_through)
  )
  select ord::int, outcome from named order by ord;

-- comment-data.set-threads (server/features/comment-data/thread-statements.ts)
with named as materialized (
    select item.*, t.annotation_id is null as is_new
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::int[], $8::jsonb[], $9::bigint[], $10::jsonb[]) with ordinality as item(organization_key, resource_key, annotation_id, document_id, created_at, last_updated, comments_written, content, root_id, actor, ord) 
      left join lateral (
        select t.* from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t on true
     where t.annotation_id is null or (t.content, t.created_at, t.last_updated) is distinct from (item.content, item.created_at, item.last_updated)
        or t.comments_written < item.comments_written
  ),
  written as (
    insert into threads as t (organization_key, resource_key, annotation_id, created_at, last_updated, content,
                              comments_written, last_position, comment_count, bytes)
    select organization_key, resource_key, annotation_id, created_at, last_updated, content, comments_written, 0, 0, 0
      from named order by organization_key, resource_key, annotation_id
    on conflict (organization_key, resource_key, annotation_id) do update
       set created_at = excluded.created_at, last_updated = excluded.last_updated, content = excluded.content,
           comments_written = greatest(t.comments_written, excluded.comments_written)
  ),
  event as (
    select organization_key, ord as position, case when is_new then 'thread.added' else 'thread.updated' end as type,
           'document'::resource_kind as resource_kind, document_id as resource_id,
           case when is_new then content -> 'from' ->> 'userId' end as user_id, actor, null::jsonb as before,
           jsonb_build_object('annotationId', annotation_id) || case when is_new then jsonb_strip_nulls(jsonb_build_object(
             'commentId', root_id, 'statusId', content -> 'status' -> 'id', 'priorityId', content -> 'priority' -> 'id',
             'visibility', content -> 'visibility' -> 'type', 'assigned', case when content ? 'assignedTo' then true end))
             else '{"fields": []}' end as after
      from named
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select null where false;

-- comment-mailings.claim (server/features/mail/comments/collect-statements.ts)
with recursive clock as materialized (select clock_timestamp() as now),
  later (id) as (
    (select t.api_key_id as id from comment_mailings t where true and finished_at is null and t.api_key_id > $2::text order by t.api_key_id limit 1) union all select (select t.api_key_id as id from comment_mailings t where true and finished_at is null and t.api_key_id > later.id order by t.api_key_id limit 1) from later where later.id is not null
  ),
  around (id) as (
    (select t.api_key_id as id from comment_mailings t where true and finished_at is null and t.api_key_id > '' order by t.api_key_id limit 1) union all select (select t.api_key_id as id from comment_mailings t where true and finished_at is null and t.api_key_id > around.id order by t.api_key_id limit 1) from around where around.id < $2::text
  ),
  turn as materialized (
    select first.row
      from (select id from later where id is not null union all select id from around where id <= $2::text) tenants
     cross join lateral (
        select t.ctid as row from comment_mailings t where true and finished_at is null and due_at <= (select now from clock) and t.api_key_id = tenants.id
         order by t.due_at limit 1 for update skip locked
      ) first
     where exists (select from comment_mailings where true and finished_at is null and due_at <= (select now from clock))
     limit $1::int
  ),
  filled as materialized (
    select t.ctid as row from comment_mailings t where true and finished_at is null and due_at <= (select now from clock) and t.ctid <> all (array(select row from turn))
     order by t.due_at limit $1::int - (select count(*) from turn) for update skip locked
  ),
  due as (select row from turn union all select row from filled)
  update comment_mailings t set due_at = clock.now + interval '2 seconds', claimed_at = clock.now, claims = t.claims + 1
    from due cross join clock where t.ctid = due.row
  returning t.organization_key as "organizationKey", t.mailing_id as "mailingId", t.claims, t.api_key_id as tenant;

-- comment-mailings.count (server/features/mail/comments/collect-statements.ts)
with clock as materialized (select clock_timestamp() as now)
  select count(*) filter (where due_at <= now)::int as ready,
         count(*) filter (where due_at > now and claimed_at is null)::int as deferred,
         count(*) filter (where due_at > now and claimed_at is not null)::int as active
    from (select due_at, claimed_at from comment_mailings
           where true and finished_at is null order by due_at limit 10000) unfinished
   cross join clock;

-- comment-mailings.release (server/features/mail/comments/collect-statements.ts)
update comment_mailings set due_at = clock_timestamp() + make_interval(secs => $4::float8), claimed_at = null
   where organization_key = $1 and mailing_id = $2
     and claims = $3::int;

-- comment-mailings.renew-claim (server/features/mail/comments/collect-statements.ts)
update comment_mailings t set due_at = clock_timestamp() + interval '2 seconds'
    from (select ctid from comment_mailings where organization_key = $1 and mailing_id = $2
     and claims = $3::int for update skip locked) mine
   where t.ctid = mine.ctid and t.claimed_at is not null and t.finished_at is null;

-- comment-mails.close-full (server/features/mail/comments/collect-statements.ts)
with clock as materialized (select clock_timestamp() as now),
  full_mail as materialized (
    select m.row from unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::int[], $6::int[]) with ordinality as item(api_key_id, organization_key, resource_key, user_id, document_max, user_max, ord)
     cross join lateral (
        select 'document ' || item.resource_key as collects, item.document_max as most where item.document_max is not null
        union all
        select 'user', item.user_max where item.user_max is not null
     ) asked
     cross join lateral (
        select m.ctid as row, m.mail_id from mails m
         where m.api_key_id = item.api_key_id and m.kind = 'comment' and m.stream = item.organization_key and m.user_id = item.user_id
           and m.collects = asked.collects and m.claims = 0 limit 1
     ) m
     where (select count(*) from (
              select from comment_mail_items i
               where i.organization_key = item.organization_key and i.user_id = item.user_id and i.mail_id is null
                 and (i.document_mail_id = m.mail_id or i.user_mail_id = m.mail_id) limit asked.most) collected) >= asked.most
  )
  update mails m set created_at = clock.now, due_at = clock.now
    from full_mail f cross join clock where m.ctid = f.row and m.due_at > clock.now;

-- comment-mails.collect (server/features/mail/comments/collect-statements.ts)
with clock as materialized (select clock_timestamp() as now),
  person as materialized (
    select u.api_key_id, u.user_id, u.profile->>'email' as email from users u
     where (u.api_key_id, u.user_id) in (select item.api_key_id, item.user_id from unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::int[], $11::int[]) with ordinality as item(api_key_id, organization_key, resource_key, annotation_id, comment_id, action_type, carrier, user_id, day_at, document_seconds, user_seconds, ord)) and u.profile ? 'email'
     order by u.api_key_id, u.user_id for key share
  ),
  wanted as materialized (
    select item.*, p.email from unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::int[], $11::int[]) with ordinality as item(api_key_id, organization_key, resource_key, annotation_id, comment_id, action_type, carrier, user_id, day_at, document_seconds, user_seconds, ord) join person p on p.api_key_id = item.api_key_id and p.user_id = item.user_id
  ),
  collecting as materialized (
    select w.*, mail.of_user, mail.collects, mail.due_at
      from wanted w cross join clock
     cross join lateral (
        select true as of_user, 'day' as collects, w.day_at as due_at where w.day_at is not null
        union all
        select false, 'document ' || w.resource_key, now + make_interval(secs => w.document_seconds)
         where w.day_at is null and w.document_seconds is not null
        union all
        select true, 'user', now + make_interval(secs => w.user_seconds) where w.day_at is null and w.user_seconds is not null
        union all
        select false, 'comment ' || w.resource_key || ' ' || w.annotation_id || ' ' || w.comment_id, now
         where w.day_at is null and w.document_seconds is null and w.user_seconds is null
     ) mail
  ),
  opened as (
    insert into mails (api_key_id, kind, carrier, user_id, recipient, stream, sequences, collects, created_at, due_at)
    select api_key_id, 'comment', carrier, user_id, email, organization_key, '{}', collects, due_at, due_at
      from collecting order by api_key_id, user_id, collects
    on conflict (api_key_id, kind, stream, user_id, collects) where claims = 0 do update set recipient = excluded.recipient
    returning mail_id, user_id, collects
  )
  insert into comment_mail_items (organization_key, resource_key, annotation_id, comment_id, user_id, action_type, document_mail_id, user_mail_id)
  select c.organization_key, c.resource_key, c.annotation_id, c.comment_id, c.user_id, min(c.action_type),
         (array_agg(o.mail_id) filter (where not c.of_user))[1], (array_agg(o.mail_id) filter (where c.of_user))[1]
    from collecting c join opened o on o.user_id = c.user_id and o.collects = c.collects
   group by c.organization_key, c.resource_key, c.annotation_id, c.comment_id, c.user_id
   order by c.organization_key, c.resource_key, c.annotation_id, c.comment_id, c.user_id
  on conflict (organization_key, resource_key, annotation_id, comment_id, user_id) do nothing;

-- comment-mails.delete-items (server/features/mail/comments/digest-statements.ts)
delete from comment_mail_items where organization_key = $2 and user_id = $3 and mail_id = $1;

-- comment-mails.delete-mail (server/features/mail/comments/digest-statements.ts)
delete from mails where mail_id = $1;

-- comment-mails.delete-mailing (server/features/mail/comments/collect-statements.ts)
delete from comment_mailings where organization_key = $1 and mailing_id = $2;

-- comment-mails.get-items (server/features/mail/comments/digest-statements.ts)
select i.resource_key as "resourceKey", i.comment_id::float8 as "commentId", i.action_type as "actionType",
         o.organization_id as "organizationId", o.name as "organizationName", d.name as "documentName", d.metadata as "documentMetadata",
         k.allowed_domains as "allowedDomains", t.comment_count as "commentCount",
         jsonb_build_object('annotationId', t.annotation_id, 'resourceKey', t.resource_key, 'documentId', d.id, 'folderId', f.id,
                            'content', t.content, 'mentionedUserIds', t.mentioned_user_ids) as thread,
         t.created_at as "createdAt", t.last_updated as "lastUpdated", shown.comments
    from (select * from comment_mail_items
           where organization_key = $2 and user_id = $3 and mail_id = $1) i
   cross join lateral (
      select c.position, c.created_at from thread_comments c
       where c.organization_key = i.organization_key and c.resource_key = i.resource_key
         and c.annotation_id = i.annotation_id and c.comment_id = i.comment_id limit 1
    ) c
   cross join lateral (
      select t.* from threads t
       where t.organization_key = i.organization_key and t.resource_key = i.resource_key and t.annotation_id = i.annotation_id limit 1
    ) t
   cross join lateral (
      select d.id, d.name, d.metadata, d.folder_key from resources d
       where d.organization_key = i.organization_key and d.resource_key = i.resource_key limit 1
    ) d
    left join lateral (
      select f.id from resources f where f.organization_key = i.organization_key and f.resource_key = d.folder_key limit 1
    ) f on true
   cross join lateral (select o.organization_id, o.name, o.api_key_id from organizations o where o.organization_key = i.organization_key limit 1) o
   cross join lateral (select k.allowed_domains from api_keys k where k.api_key_id = o.api_key_id limit 1) k
   cross join lateral (
      select jsonb_agg(jsonb_build_object(
               'commentId', s.comment_id, 'position', s.position, 'createdAt', (extract(epoch from s.created_at) * 1000)::bigint,
               'commentText', coalesce(s.content ->> 'commentText', ''), 'from', s.content -> 'from',
               'taggedUserContacts', coalesce(s.content -> 'taggedUserContacts', '[]')) order by s.position) as comments
        from (
          select s.*, row_number() over (order by s.position) as nth, row_number() over (order by s.position desc) as nth_last,
                 lead(s.position) over (order by s.position) as next_position
            from (select s.comment_id, s.position, s.created_at, s.content from thread_comments s
                   where s.organization_key = i.organization_key and s.resource_key = i.resource_key and s.annotation_id = i.annotation_id) s
        ) s
       where s.nth = 1 or s.nth_last <= 3 or s.position = c.position or s.next_position = c.position
    ) shown
   order by c.created_at, i.resource_key, i.annotation_id, c.position limit $4::int;

-- comment-mails.get-mailing (server/features/mail/comments/collect-statements.ts)
select m.api_key_id as "apiKeyId", m.organization_key as "organizationKey", m.resource_key as "resourceKey",
         m.annotation_id as "annotationId", m.comment_id::float8 as "commentId", m.action_type as "actionType", m.resume_after as "resumeAfter",
         k.carrier, k.batches
    from comment_mailings m
    left join lateral (
      select case when k.email_service_config->>'type' = 'sendgrid' then 'sendgrid' else 'smtp' end as carrier,
             k.notification_config #> '{notificationServiceConfig,batchConfig}' as batches
        from api_keys k where k.api_key_id = m.api_key_id and k.use_email_service limit 1
    ) k on true
   where m.organization_key = $1 and m.mailing_id = $2 for update of m;

-- comment-mails.get-subscription (server/features/mail/comments/subscription.ts)
select coalesce(o.name, o.organization_id) as "organizationName", coalesce(p.is_mail_off, false) as "isMailOff",
         coalesce(k.subscription = 'unsubscribed', false) as "isMuted"
    from (select * from organizations where organization_key = $1 and added_at is not null) o
   cross join lateral (select u.user_id from users u where u.api_key_id = o.api_key_id and u.user_id = $2 limit 1) u
    left join lateral (
      select p.is_mail_off from notification_preferences p
       where p.organization_key = $1 and p.resource_key = $1 and p.user_id = $2 limit 1
    ) p on true
    left join lateral (
      select t.annotation_id from threads t
       where t.organization_key = $1 and t.resource_key = $3::uuid and t.annotation_id = $4::text limit 1
    ) t on true
    left join lateral (
      select k.subscription from thread_users k
       where k.organization_key = $1 and k.resource_key = $3::uuid and k.annotation_id = t.annotation_id and k.user_id = $2 limit 1
    ) k on true
   where $4::text is null or t.annotation_id is not null;

-- comment-mails.hand-over (server/features/mail/comments/digest-statements.ts)
update mails set handed_over_at = clock_timestamp()
   where mail_id = $1 and state = 'pending' and handed_over_at is null
  returning mail_id as "mailId";

-- comment-mails.queue (server/features/comments/mailings.ts)
insert into comment_mailings (api_key_id, organization_key, resource_key, annotation_id, comment_id, action_type, due_at)
  select item.api_key_id, item.organization_key, d.resource_key, item.annotation_id, item.comment_id, item.short_word,
         clock_timestamp() + make_interval(secs => case when (key.delay ->> 'isEnabled')::boolean then (key.delay ->> 'delaySeconds')::float8 else 0 end)
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[]) with ordinality as item(organization_key, api_key_id, document_id, annotation_id, comment_id, short_word, event_type, ord)
   cross join lateral (
      select d.resource_key from resources d
       where d.organization_key = item.organization_key and d.kind = 'document' and d.id = item.document_id limit 1
    ) d
   cross join lateral (
      select c.content from thread_comments c
       where c.organization_key = item.organization_key and c.resource_key = d.resource_key
         and c.annotation_id = item.annotation_id and c.comment_id = item.comment_id limit 1
    ) c
   cross join lateral (
      select k.email_service_config #> '{triggers,comment}' as triggers,
             k.notification_config #> '{notificationServiceConfig,delayConfig}' as delay
        from api_keys k where k.api_key_id = item.api_key_id and k.use_email_service limit 1
    ) key
   where coalesce((key.triggers ->> item.event_type)::boolean, (key.triggers ->> item.short_word)::boolean, true) and coalesce(c.content ->> 'isCommentResolverUsed', 'false') <> 'true'
   order by item.organization_key, d.resource_key, item.annotation_id, item.comment_id;

-- comment-mails.resume-mailing (server/features/mail/comments/collect-statements.ts)
update comment_mailings set resume_after = $3 where organization_key = $1 and mailing_id = $2;

-- comment-mails.take-items (server/features/mail/comments/digest-statements.ts)
update comment_mail_items set mail_id = $1
   where organization_key = $2 and user_id = $3 and mail_id is null and (document_mail_id = $1 or user_mail_id = $1);

-- comment-recipients.list (server/features/comments/recipients/statements.ts)
with commented as materialized (
    select item.*, t.author_id, t.visibility, t.visibility_user_ids, t.visibility_organization_keys, t.access_context, t.assigned_to, c.position,
           coalesce(c.mentioned, '{}') as mentioned, coalesce(item.actor_id, c.author_id, '') as acting_id, d.id as document_id,
           o.api_key_id, k.default_access_type, k.default_access_role
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[]) with ordinality as item(organization_key, resource_key, annotation_id, comment_id, actor_id, channel, default_level, after_user_id, only_user_id, ord)
     cross join lateral (
        select t.* from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key and t.annotation_id = item.annotation_id limit 1
      ) t
      left join lateral (
        select c.position, c.author_id, json_texts(jsonb_path_query_array(c.content, '$.taggedUserContacts[*].userId')) as mentioned
          from thread_comments c
         where c.organization_key = item.organization_key and c.resource_key = item.resource_key
           and c.annotation_id = item.annotation_id and c.comment_id = item.comment_id limit 1
      ) c on true
     cross join lateral (
        select d.id from resources d where d.organization_key = item.organization_key and d.resource_key = item.resource_key limit 1
      ) d
     cross join lateral (select o.api_key_id from organizations o where o.organization_key = item.organization_key limit 1) o
     cross join lateral (
        select k.default_access_type, k.default_access_role from api_keys k where k.api_key_id = o.api_key_id limit 1
      ) k
     where item.comment_id is null or c.position is not null
  ),
  question as materialized (
    select t.organization_key, 'document'::resource_kind as kind, t.document_id as resource_id, involved.user_id,
           t.default_access_type, t.default_access_role, null::access_role as at_least, t.ord as comment_ord
      from commented t
     cross join lateral (
        select each_user.user_id from (
          (select u.user_id from thread_users u
            where u.organization_key = t.organization_key and u.resource_key = t.resource_key and u.annotation_id = t.annotation_id
              and t.only_user_id is null and u.user_id > t.after_user_id and (u.subscription is not null or u.user_id = t.assigned_to) and u.user_id <> t.acting_id
            order by u.user_id limit 1000)
          union
          (select p.user_id from notification_preferences p
            where p.organization_key = t.organization_key and p.resource_key = t.resource_key
              and t.only_user_id is null and p.user_id > t.after_user_id and p.channels ->> t.channel = 'ALL' and p.user_id <> t.acting_id
            order by p.user_id limit 1000)
          union
          (select p.user_id from notification_preferences p
            where p.organization_key = t.organization_key and p.resource_key = t.organization_key
              and t.only_user_id is null and p.user_id > t.after_user_id and p.channels ->> t.channel = 'ALL' and p.user_id <> t.acting_id
            order by p.user_id limit 1000)
          union
          (select t.only_user_id where t.only_user_id <> t.acting_id)
        ) each_user
        order by each_user.user_id limit 1000
      ) involved
  ),
  clock as materialized (select coalesce($10::timestamptz, clock_timestamp()) as now),
  ruled as (
    select item.*, target.*, held.member_until, case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end as live_rank, case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end as any_rank, case when held.of_groups is not null and case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end > coalesce(held.own_live, 0)
                then substr(target.groups[131071 - (held.of_groups[1] & 131071)], 2) end as group_id,
           case when target.chain is null then 'does_not_exist'
                when target.is_disabled then 'disabled'
                when target.is_user_disabled then 'user_disabled'
                when (case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end) >> 39 >= target.boundary_at then 'grant'
                when item.kind = 'organization' then case when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) is null then 'no_grant' else 'grant_expired' end
                when target.access_type = 'public' then 'access_type'
                when target.access_type = 'organizationPrivate' and held.member_until is not null then 'membership'
                when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) >> 39 >= target.boundary_at then 'grant_expired'
                when target.access_type = 'organizationPrivate' and held.was_member then 'grant_expired'
                else 'no_grant' end as rule
      from question item
      left join lateral (
        select case item.kind when 'document' then coalesce(f.path, array[r.organization_key]) || r.resource_key else r.path end as chain,
               case when item.kind <> 'document' then r.boundary_depth
                    when r.own_access_type is not null then coalesce(cardinality(f.path), 1) + 1
                    else coalesce(f.boundary_depth, 1) end as boundary_at,
               case item.kind when 'organization' then null
                    when 'folder' then coalesce(r.boundary_access_type, item.default_access_type)
                    else coalesce(r.own_access_type, f.boundary_access_type, item.default_access_type) end as access_type,
               o.disabled or (item.kind = 'document' and r.disabled) as is_disabled, exists (select from disabled_users d where d.api_key_id = o.api_key_id and d.user_id = item.user_id) as is_user_disabled, o.organization_id,
               o.has_group_grants, case when o.has_group_grants
                    then array(select chr(1) || m.group_id from user_group_members m
                                where m.organization_key = item.organization_key and m.user_id = item.user_id
                                order by m.group_id) end as groups
          from resources r
          join organizations o on o.organization_key = r.organization_key
          left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) target on true
      left join lateral (
        with few as materialized (
          select g.resource_key, g.standing_role, g.temporary_role, g.expires_at from grants g
           where g.organization_key = item.organization_key and g.principal = item.user_id and g.kind < 'document' limit 16
        ),
        found as (
          select array_position(target.chain, resource_key)::bigint as position, standing_role, temporary_role, expires_at from few
           union all
          (select cardinality(target.chain), g.standing_role, g.temporary_role, g.expires_at from grants g
            where item.kind = 'document' and g.organization_key = item.organization_key
              and g.resource_key = target.chain[cardinality(target.chain)] and g.principal = item.user_id and g.kind = 'document' limit 1)
           union all
          select c.position, g.standing_role, g.temporary_role, g.expires_at
            from unnest(target.chain) with ordinality as c(resource_key, position)
           cross join lateral (
              select g.standing_role, g.temporary_role, g.expires_at from grants g
               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal = item.user_id
                 and g.kind = case c.position when 1 then 'organization'::resource_kind else 'folder' end limit 1
            ) g
           where (select count(*) from few) = 16
        )
        select max(position << 39 | greatest(standing, case when live then temporary end)) as own_live, max(position << 39 | greatest(standing, temporary)) as own_any,
               max(case when position = 1 then case when standing is not null then 137438953471 when live then extract(epoch from expires_at)::bigint end end) as member_until, bool_or(position = 1 and greatest(standing, temporary) is not null) as was_member, case when target.groups <> '{}' then (
                       select case when is_over or expires_at is not null then (
                 select array[max((position << 39 | greatest(standing, case when live then temporary end)) << 17 | 131071 - least(nth, 131071)) filter (where true), max(position << 39 | greatest(standing, temporary)) filter (where true)]
                   from (select position, expires_at, nth, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (with of_any as materialized (
                               select c.position, case when cardinality(target.groups) <= 64 then array_position(target.groups, g.principal)::bigint
                                           else ((select jsonb_object_agg(principal, nth)
                                                    from unnest(target.groups) with ordinality as p(principal, nth)) -> g.principal)::bigint end as nth, g.standing_role, g.temporary_role, g.expires_at
                                 from unnest(target.chain) with ordinality as c(resource_key, position)
                                cross join lateral (
                                   select g.principal, g.standing_role, g.temporary_role, g.expires_at from grants g
                                    where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                      and g.principal < ' ' limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                                ) g
                                limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                            ),
                            amount as materialized (
                               select count(*) > 4 * cardinality(target.chain) * cardinality(target.groups) as is_large from of_any
                            )
                            select position, nth, standing_role, temporary_role, expires_at
                              from of_any where nth is not null and not (select is_large from amount)
                            union all
                            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
                              from unnest(target.chain) with ordinality as c(resource_key, position)
                             cross join unnest(target.groups) with ordinality as p(principal, nth)
                             cross join lateral (
                                select g.standing_role, g.temporary_role, g.expires_at from grants g
                                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                   and g.principal = p.principal limit 1
                             ) g
                             where (select is_large from amount)) of_groups where position is not null offset 0) ranked)
                                   else array[(position << 39 | case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end) << 17 | 131071 - array_position(target.groups, principal), position << 39 | case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end] end
                         from (select * from unnest(target.chain) with ordinality as c(resource_key, position) order by position desc) c
                        cross join lateral (
                           select * from (
                              select g.principal, g.standing_role, g.expires_at, row_number() over (order by g.expires_at is not null desc, g.standing_role desc, g.principal) > case when cardinality(target.groups) <= 64 then 4 * cardinality(target.groups) else 0 end as is_over
                                from grants g
                               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal < ' '
                               order by g.expires_at is not null desc, g.standing_role desc, g.principal limit case when cardinality(target.groups) <= 64 then 4 * cardinality(target.groups) else 0 end + 1
                           ) g
                            where is_over or principal = any(target.groups) limit 1
                        ) g
                        order by position desc limit 1
                    ) end as of_groups
          from (select position, expires_at, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from found where position is not null offset 0) ranked
      ) held on true
  ),
  allowance as (
    select *, rule in ('grant', 'access_type', 'membership') and (at_least is null or nearest_role >= at_least) as allowed,
           case rule when 'grant' then live_rank >> 39 when 'access_type' then boundary_at when 'membership' then 1 end as via_at
      from (select *, case live_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else default_access_role end as nearest_role from ruled offset 0) r
    offset 0
  ),
  decided as (
    select r.*, case when r.allowed then r.nearest_role end as role,
           case when r.allowed or r.at_least is null or r.rule in ('disabled', 'user_disabled', 'does_not_exist', 'no_grant') then r.rule
                when case r.any_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else null::access_role end >= r.at_least then 'grant_expired'
                else 'no_grant' end as reason,
           case when r.allowed then nullif(least(r.live_rank & 137438953471, case r.rule when 'membership' then r.member_until end),
                                           137438953471) end as expires_at,
           case r.via_at when cardinality(r.chain) then r.kind when 1 then 'organization' else 'folder' end as via_kind,
           case r.via_at when cardinality(r.chain) then r.resource_id when 1 then r.organization_id else folder.id end as via_id,
           r.via_at < cardinality(r.chain) as inherited, moved.id as migrated_to
      from allowance r
      left join lateral (
        select f.id from resources f
         where r.allowed and r.via_at > 1 and r.via_at < cardinality(r.chain)
           and f.organization_key = r.organization_key and f.resource_key = r.chain[r.via_at] limit 1
      ) folder on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.rule = 'does_not_exist' and r.kind = 'document'
           and a.organization_key = r.organization_key and a.document_id = r.resource_id limit 1
      ) moved on true
  ),
  concerned as (
    select d.comment_ord, d.user_id, d.allowed, d.reason as decision, u.subscription, coalesce(u.seen_through, 0) >= t.position as is_seen,
           (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = d.user_id or d.user_id = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = d.user_id and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())) limit 1
                            ) g)) as is_visible,
           case when d.user_id = any(t.mentioned) then 'mention' when u.subscription = 'subscribed' then 'reply' else 'all' end as why,
           case when t.channel = 'email' and of_organization.is_mail_off then 'NONE'
                else coalesce(of_document.channels ->> t.channel, of_organization.channels ->> t.channel, t.default_level) end as level,
           of_organization.channels as organization_channels, of_document.channels as document_channels,
           coalesce(p.profile ->> 'name', u.contact ->> 'name') as name, p.profile ->> 'email' as email,
           p.profile ->> 'timezone' as timezone
      from decided d
      join commented t on t.ord = d.comment_ord
      left join lateral (
        select u.subscription, u.seen_through, u.contact from thread_users u
         where u.organization_key = t.organization_key and u.resource_key = t.resource_key
           and u.annotation_id = t.annotation_id and u.user_id = d.user_id limit 1
      ) u on true
      left join lateral (
        select p.channels from notification_preferences p
         where p.organization_key = t.organization_key and p.resource_key = t.resource_key and p.user_id = d.user_id limit 1
      ) of_document on true
      left join lateral (
        select p.channels, p.is_mail_off from notification_preferences p
         where p.organization_key = t.organization_key and p.resource_key = t.organization_key and p.user_id = d.user_id limit 1
      ) of_organization on true
      left join lateral (
        select p.profile from users p where p.api_key_id = t.api_key_id and p.user_id = d.user_id limit 1
      ) p on true
  )
  select (comment_ord - 1)::int as index, user_id as "userId", why as reason,
         case when decision = 'user_disabled' then 'disabled'
              when not allowed then 'no_access'
              when not is_visible then 'not_visible'
              when subscription = 'unsubscribed' then 'unsubscribed'
              when level = 'NONE' or level <> 'ALL' and why = 'all' then 'level'
              when is_seen then 'seen' end as "leftOut",
         level, organization_channels as "organizationChannels", document_channels as "documentChannels", name, email, timezone
    from concerned order by comment_ord, user_id;

-- comments.add (server/features/comments/comments/statements.ts)
with clock as materialized (select date_trunc('milliseconds', coalesce($12::timestamptz, clock_timestamp())) as now),
  named as materialized (
    select item.*, d.resource_key, t.row, t.comments_written, t.last_position, t.mentioned_user_ids, taken.ids as taken,
           moved.id as migrated_to, jsonb_array_length(item.comments) as added,
           case when o.added_at is null then 'organization_does_not_exist'
                when d.resource_key is null then 'document_does_not_exist'
                when t.row is null then 'thread_does_not_exist'
                when taken.ids <> '[]' then 'comment_exists'
                when t.comment_count + jsonb_array_length(item.comments) > item.comments_max
                  or t.bytes + item.bytes > item.bytes_max then 'thread_full'
                else 'ok' end as outcome
      from unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::jsonb[], $7::jsonb[], $8::int[], $9::int[], $10::int[], $11::jsonb[]) with ordinality as item(req, organization_key, document_id, annotation_id, comments, users, mentioned, bytes, comments_max, bytes_max, actor, ord) 
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key from resources r
         where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
           and r.added_at is not null limit 1
      ) d on true
      left join lateral (
        select t.ctid as row, t.* from threads t
         where t.organization_key = item.organization_key and t.resource_key = d.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where d.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.document_id limit 1
      ) moved on true
     cross join lateral (
        select coalesce(jsonb_agg(c.comment_id), '[]') as ids from jsonb_array_elements(item.comments) as n(value)
         cross join lateral (
            select c.comment_id from thread_comments c
             where c.organization_key = item.organization_key and c.resource_key = t.resource_key
               and c.annotation_id = item.annotation_id and c.comment_id = (n.value ->> 'commentId')::bigint limit 1
          ) c
      ) taken
  ),
  accepted as materialized (select * from named where outcome = 'ok'),
  comment as materialized (
    select a.organization_key, a.resource_key, a.annotation_id, a.ord, c.position::int,
           (c.value ->> 'commentId')::bigint as comment_id, a.comments_written + c.position::int as written_position,
           c.value -> 'content' as content, (c.value ->> 'bytes')::int as bytes,
           coalesce((c.value ->> 'createdAt')::timestamptz, clock.now) as created_at,
           coalesce((c.value ->> 'lastUpdated')::timestamptz, clock.now) as last_updated,
           jsonb_strip_nulls(jsonb_build_object('notify', c.value -> 'notify')) as asked
      from accepted a cross join clock cross join lateral jsonb_array_elements(a.comments) with ordinality as c(value, position)
  ),
  written as (
    insert into thread_comments (organization_key, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes)
    select organization_key, resource_key, annotation_id, comment_id, written_position, created_at, last_updated, content, bytes
      from comment order by organization_key, resource_key, annotation_id, comment_id
  ),
  named_user as materialized (
    select a.organization_key, a.resource_key, a.annotation_id, u.value ->> 'userId' as user_id,
           u.value ->> 'subscription' as subscription, nullif(u.value -> 'contact', 'null') as contact,
           case when (u.value ->> 'seenThrough')::int > 0 and known.seen_through >= a.last_position
                then a.comments_written + (u.value ->> 'seenThrough')::int else 0 end as seen_through
      from accepted a cross join lateral jsonb_array_elements(a.users) as u(value)
      left join lateral (
        select k.seen_through from thread_users k
         where k.organization_key = a.organization_key and k.resource_key = a.resource_key
           and k.annotation_id = a.annotation_id and k.user_id = u.value ->> 'userId' limit 1
      ) known on true
  ),
  users_written as (
    insert into thread_users as k (organization_key, resource_key, annotation_id, user_id, subscription, contact, seen_through)
    select * from named_user order by organization_key, resource_key, annotation_id, user_id
    on conflict (organization_key, resource_key, annotation_id, user_id) do update
       set subscription = coalesce(k.subscription, excluded.subscription), contact = coalesce(excluded.contact, k.contact),
           seen_through = greatest(k.seen_through, excluded.seen_through)
  ),
  moved_on as (
    update threads t
       set last_updated = clock.now, comments_written = a.comments_written + a.added, last_position = a.comments_written + a.added,
           comment_count = t.comment_count + a.added, bytes = t.bytes + a.bytes,
           mentioned_user_ids = (select coalesce(array_agg(id order by nth), '{}')
                                   from (select id, min(nth) as nth
                                           from unnest(a.mentioned_user_ids || json_texts(a.mentioned)) with ordinality as m(id, nth)
                                          group by id) each_user)
      from accepted a cross join clock where t.ctid = a.row
  ),
  event as (
    select a.organization_key, c.ord * 10000 + c.position as position, 'comment.added' as type, 'document'::resource_kind as resource_kind,
           a.document_id as resource_id, c.content -> 'from' ->> 'userId' as user_id, a.actor, null::jsonb as before,
           jsonb_build_object('annotationId', c.annotation_id, 'commentId', c.comment_id) || c.asked as after
      from comment c join accepted a on a.ord = c.ord
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select req, outcome, taken, migrated_to as "migratedTo" from named order by ord;

-- comments.delete (server/features/comments/comments/change-statements.ts)
with clock as materialized (select date_trunc('milliseconds', coalesce($8::timestamptz, clock_timestamp())) as now),
  named as materialized (
    select item.*, d.resource_key, t.row, t.comment_count, t.visibility, moved.id as migrated_to,
           case when o.added_at is null then 'organization_does_not_exist'
                when d.resource_key is null then 'document_does_not_exist'
                when t.row is null then 'thread_does_not_exist'
                else 'ok' end as outcome
      from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[], $5::jsonb[], $6::jsonb[], $7::text[]) with ordinality as item(organization_key, document_id, annotation_id, comment_ids, user_ids, actor, by_user_id, ord) 
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key from resources r
         where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
           and r.added_at is not null limit 1
      ) d on true
      left join lateral (
        select t.ctid as row, t.* from threads t
         where t.organization_key = item.organization_key and t.resource_key = d.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where d.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.document_id limit 1
      ) moved on true
  ),
  found as materialized (
    select n.ord, c.* from named n cross join lateral (
        select c.ctid as comment_row, c.comment_id, c.position, c.content, c.bytes, c.author_id
          from thread_comments c
         where c.organization_key = n.organization_key and c.resource_key = n.resource_key
           and c.annotation_id = n.annotation_id
           and (n.comment_ids is null or c.comment_id = any(json_texts(n.comment_ids)::bigint[]))
           and (n.user_ids is null or c.author_id = any(json_texts(n.user_ids)))
         offset 0
      ) c where n.outcome = 'ok'
  ),
  total as materialized (
    select n.*, f.fewer, coalesce(f.chosen, 0) as chosen, f.ids, coalesce(f.chosen, 0) >= n.comment_count as is_all
      from named n
     cross join lateral (
        select sum(f.bytes) as fewer, count(*) as chosen, jsonb_agg(f.comment_id order by f.position) as ids
          from found f where f.ord = n.ord
      ) f
  ),
  accepted as materialized (select * from total where outcome = 'ok' and chosen > 0),
  deleted as (delete from thread_comments c using found f where c.ctid = f.comment_row),
  thread_deleted as (delete from threads t using accepted a where t.ctid = a.row and a.is_all),
  moved_on as (
    update threads t
       set last_updated = clock.now, bytes = t.bytes - a.fewer, comment_count = t.comment_count - a.chosen,
           last_position = (select max(m.position) from (
        select c.position, c.content from thread_comments c
         where c.organization_key = a.organization_key and c.resource_key = a.resource_key and c.annotation_id = a.annotation_id
           and not exists (select from found f where f.ord = a.ord and f.comment_id = c.comment_id)) m),
           mentioned_user_ids = 
      (select coalesce(array_agg(id order by position), '{}')
         from (select tag.value ->> 'userId' as id, min(m.position) as position
                 from (
        select c.position, c.content from thread_comments c
         where c.organization_key = a.organization_key and c.resource_key = a.resource_key and c.annotation_id = a.annotation_id
           and not exists (select from found f where f.ord = a.ord and f.comment_id = c.comment_id)) m cross join lateral jsonb_array_elements(m.content -> 'taggedUserContacts') as tag(value)
                group by 1) each_user)
      from accepted a cross join clock where t.ctid = a.row and not a.is_all
  ),
  event as (
    select a.organization_key, 0 as position, 'thread.deleted' as type, 'document'::resource_kind as resource_kind,
           a.document_id as resource_id, a.by_user_id as user_id, a.actor,
           jsonb_build_object('annotationId', a.annotation_id, 'visibility', a.visibility, 'comments', a.chosen) as before, null::jsonb as after
      from accepted a where a.is_all
    union all
    select a.organization_key, f.position, 'comment.deleted', 'document', a.document_id, f.author_id, a.actor,
           jsonb_build_object('annotationId', a.annotation_id, 'commentId', f.comment_id), null
      from found f join accepted a on a.ord = f.ord where not a.is_all
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select outcome, coalesce(ids, '[]') as ids, migrated_to as "migratedTo" from total order by ord;

-- comments.find-of-others (server/features/comments/users/statements.ts)
select c.comment_id::float8 as "commentId"
    from (select distinct id from unnest($4::bigint[]) as asked (id)) asked
   cross join lateral (
      select c.comment_id, c.author_id from thread_comments c
       where c.organization_key = $1 and c.resource_key = $2::uuid and c.annotation_id = $3::text and c.comment_id = asked.id limit 1
    ) c
   where c.author_id is distinct from $5::text;

-- comments.find-thread (server/features/comments/comments/statements.ts)
select from threads where organization_key = $1 and resource_key = $2::uuid and annotation_id = $3;

-- comments.get (server/features/comments/comments/statements.ts)
select c.comment_id::float8 as "commentId", c.content, (extract(epoch from c.created_at) * 1000)::float8 as "createdAt",
         (extract(epoch from c.last_updated) * 1000)::float8 as "lastUpdated"
    from thread_comments c
   where c.organization_key = $1 and c.resource_key = $2::uuid and c.annotation_id = $3
     and ($4::bigint[] is null or c.comment_id = any($4::bigint[]))
     and ($5::text[] is null or c.author_id = any($5::text[]))
   order by c.position;

-- comments.update (server/features/comments/comments/change-statements.ts)
with clock as materialized (select date_trunc('milliseconds', coalesce($15::timestamptz, clock_timestamp())) as now),
  named as materialized (
    select item.*, d.resource_key, t.row, t.content as thread, t.bytes as thread_bytes, moved.id as migrated_to,
           case when o.added_at is null then 'organization_does_not_exist'
                when d.resource_key is null then 'document_does_not_exist'
                when t.row is null then 'thread_does_not_exist'
                else 'ok' end as outcome
      from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[], $5::jsonb[], $6::jsonb[], $7::text[], $8::jsonb[], $9::timestamptz[], $10::timestamptz[], $11::jsonb[], $12::jsonb[], $13::boolean[], $14::int[]) with ordinality as item(organization_key, document_id, annotation_id, comment_ids, user_ids, actor, by_user_id, changes, created_at, last_updated, users, fields, notify, bytes_max, ord) 
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key from resources r
         where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
           and r.added_at is not null limit 1
      ) d on true
      left join lateral (
        select t.ctid as row, t.* from threads t
         where t.organization_key = item.organization_key and t.resource_key = d.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where d.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.document_id limit 1
      ) moved on true
  ),
  found as materialized (
    select n.ord, c.*, c.content || n.changes || '{"status": "updated"}' as new_content,
           octet_length((c.content || n.changes)::text) + 22 as new_bytes
      from named n cross join lateral (
        select c.ctid as comment_row, c.comment_id, c.position, c.content, c.bytes, c.author_id
          from thread_comments c
         where c.organization_key = n.organization_key and c.resource_key = n.resource_key
           and c.annotation_id = n.annotation_id
           and (n.comment_ids is null or c.comment_id = any(json_texts(n.comment_ids)::bigint[]))
           and (n.user_ids is null or c.author_id = any(json_texts(n.user_ids)))
         offset 0
      ) c where n.outcome = 'ok'
  ),
  total as materialized (
    select n.*, coalesce(f.more, 0) as more, coalesce(f.chosen, 0) as chosen, f.ids, f.first_position
      from named n
     cross join lateral (
        select sum(f.new_bytes - f.bytes) as more, count(*) as chosen, jsonb_agg(f.comment_id order by f.position) as ids,
               min(f.position) as first_position
          from found f where f.ord = n.ord
      ) f
  ),
  accepted as materialized (
    select * from total where outcome = 'ok' and chosen > 0 and thread_bytes + more <= bytes_max
  ),
  changed as materialized (
    select f.*, a.created_at, coalesce(a.last_updated, clock.now) as last_updated
      from accepted a cross join clock join found f on f.ord = a.ord
     where f.new_content <> f.content or a.created_at is not null or a.last_updated is not null
  ),
  written as (
    update thread_comments c
       set content = n.new_content, bytes = n.new_bytes, created_at = coalesce(n.created_at, c.created_at), last_updated = n.last_updated
      from changed n where c.ctid = n.comment_row
  ),
  users_written as (
    insert into thread_users (organization_key, resource_key, annotation_id, user_id)
    select a.organization_key, a.resource_key, a.annotation_id, u.id
      from accepted a cross join lateral jsonb_array_elements_text(a.users) as u(id)
     order by a.organization_key, a.resource_key, a.annotation_id, u.id
    on conflict (organization_key, resource_key, annotation_id, user_id) do nothing
  ),
  moved_on as (
    update threads t
       set last_updated = clock.now, bytes = t.bytes + a.more,
           content = case when a.changes ? 'from' and not exists (
                                 select from thread_comments c
                                  where c.organization_key = a.organization_key and c.resource_key = a.resource_key
                                    and c.annotation_id = a.annotation_id and c.position < a.first_position)
                          then t.content || jsonb_build_object('from', a.changes -> 'from') else t.content end,
           mentioned_user_ids = case when a.changes ? 'taggedUserContacts' then
      (select coalesce(array_agg(id order by position), '{}')
         from (select tag.value ->> 'userId' as id, min(m.position) as position
                 from (
        select c.position, coalesce(f.new_content, c.content) as content
          from thread_comments c left join found f on f.ord = a.ord and f.comment_id = c.comment_id
         where c.organization_key = a.organization_key and c.resource_key = a.resource_key and c.annotation_id = a.annotation_id) m cross join lateral jsonb_array_elements(m.content -> 'taggedUserContacts') as tag(value)
                group by 1) each_user)
             else t.mentioned_user_ids end
      from accepted a cross join clock
     where t.ctid = a.row and exists (select from changed c where c.ord = a.ord)
  ),
  event as (
    select a.organization_key, c.position, 'comment.updated' as type, 'document'::resource_kind as resource_kind,
           a.document_id as resource_id, c.new_content -> 'from' ->> 'userId' as user_id, a.actor, null::jsonb as before,
           jsonb_build_object('annotationId', a.annotation_id, 'commentId', c.comment_id, 'fields', a.fields)
             || case when a.notify then '{"notify": true}'::jsonb else '{}' end as after
      from changed c join accepted a on a.ord = c.ord
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select case when outcome = 'ok' and thread_bytes + more > bytes_max then 'thread_full' else outcome end as outcome,
         coalesce(ids, '[]') as ids, migrated_to as "migratedTo",
         (select coalesce(jsonb_agg(c.comment_id order by c.position), '[]') from changed c where c.ord = total.ord) as "changedIds"
    from total order by ord;

-- console-sessions.confirm (server/features/console/sessions/statements.ts)
update console_sessions set authenticated_at = coalesce($2::timestamptz, clock_timestamp()) where session_hash = $1::bytea;

-- console-sessions.delete (server/features/console/sessions/statements.ts)
delete from console_sessions where session_hash = $1::bytea returning true as ended;

-- console-sessions.delete-expired (server/features/console/sessions/statements.ts)
with clock as materialized (select coalesce($1::timestamptz, clock_timestamp()) as now),
  expired as (
    select ctid from console_sessions
     where expires_at <= (select now from clock) order by expires_at limit 1000 for update skip locked
  ),
  deleted as (
    delete from console_sessions s using expired where s.ctid = expired.ctid returning 1
  )
  select count(*) as count from deleted;

-- console-sessions.delete-listed (server/features/console/sessions/statements.ts)
with ended as (
    delete from console_sessions
     where workspace_id = $1 and session_id::text = $2 and ($3::uuid is null or operator_id = $3::uuid)
    returning workspace_id, operator_id
  ),
  withdrawn as (
    delete from device_authorizations d using ended
     where d.workspace_id = ended.workspace_id and d.operator_id = ended.operator_id
  )
  select operator_id as "operatorId" from ended;

-- console-sessions.get (server/features/console/sessions/statements.ts)
select s.workspace_id as "workspaceId", s.api_key_id as "apiKeyId", s.token_hash as "tokenHash",
         o.operator_id as "operatorId", o.name as "operatorName", o.email as "operatorEmail", o.role as "operatorRole",
         s.authenticated_at > coalesce($3::timestamptz, clock_timestamp()) - interval '10 minutes' as "isFresh",
         s.last_seen_at <= coalesce($3::timestamptz, clock_timestamp()) - interval '1 minute' as "isUnrecorded"
    from console_sessions s
    left join operators o on o.workspace_id = s.workspace_id and o.operator_id = s.operator_id
   where s.session_hash = $1::bytea and (s.machine is not null) = $2::boolean and case when s.operator_id is null then s.expires_at else least(s.expires_at, s.last_seen_at + interval '12 hours') end > coalesce($3::timestamptz, clock_timestamp());

-- console-sessions.get-command-line (server/features/console/device/statements.ts)
select s.workspace_id as "workspaceId", w.name as "workspaceName", o.operator_id as "operatorId", o.name, o.email, o.role,
         s.machine, case when s.operator_id is null then s.expires_at else least(s.expires_at, s.last_seen_at + interval '12 hours') end as "endsAt", s.expires_at as "expiresAt"
    from console_sessions s
    join operators o on o.workspace_id = s.workspace_id and o.operator_id = s.operator_id
    join workspaces w on w.workspace_id = s.workspace_id
   where s.session_hash = $1::bytea and s.machine is not null and case when s.operator_id is null then s.expires_at else least(s.expires_at, s.last_seen_at + interval '12 hours') end > coalesce($2::timestamptz, clock_timestamp());

-- console-sessions.get-key (server/features/console/sessions/statements.ts)
select type, default_access_type as "defaultAccessType", default_access_role as "defaultAccessRole",
         has_commenter as "hasCommenter", has_disabled_users as "hasDisabledUsers", require_known_resources as "requireKnownResources",
         expiring_soon_seconds as "expiringSoonSeconds", disabled_at is not null as disabled
    from api_keys where api_key_id = $2 and workspace_id = $1;

-- console-sessions.hold (server/features/console/sessions/statements.ts)
select from console_sessions where session_hash = $1::bytea for key share;

-- console-sessions.insert (server/features/console/sessions/statements.ts)
insert into console_sessions (session_hash, workspace_id, api_key_id, token_hash, operator_id, user_agent, address,
                                created_at, last_seen_at, authenticated_at, expires_at)
  select $1::bytea, $2::text, $3::text, $4::bytea, $5::uuid, $6::text, $8::text, clock.now, clock.now, clock.now,
         clock.now + $7::int * interval '1 hour'
    from (select coalesce($9::timestamptz, clock_timestamp()) as now) clock;

-- console-sessions.list (server/features/console/sessions/statements.ts)
select s.session_id as id, s.operator_id as "operatorId", o.name as "operatorName", t.name as "tokenName",
         s.machine, s.user_agent as "userAgent", s.address, s.created_at as "createdAt", s.last_seen_at as "lastSeenAt",
         case when s.operator_id is null then s.expires_at else least(s.expires_at, s.last_seen_at + interval '12 hours') end as "endsAt", s.session_hash = $3::bytea as "isCurrent"
    from console_sessions s
    left join operators o on o.workspace_id = s.workspace_id and o.operator_id = s.operator_id
    left join workspace_tokens t on t.token_hash = s.token_hash and t.revoked_at is null and (t.expires_at is null or t.expires_at > coalesce($4::timestamptz, clock_timestamp()))
   where s.workspace_id = $1 and ($2::uuid is null or s.operator_id = $2::uuid) and case when s.operator_id is null then s.expires_at else least(s.expires_at, s.last_seen_at + interval '12 hours') end > coalesce($4::timestamptz, clock_timestamp())
     and num_nonnulls(o.operator_id, t.token_hash) = 1
   order by s.last_seen_at desc, s.session_id limit 1000;

-- console-sessions.record-use (server/features/console/sessions/statements.ts)
update console_sessions set last_seen_at = coalesce($2::timestamptz, clock_timestamp())
   where session_hash = $1::bytea and last_seen_at <= coalesce($2::timestamptz, clock_timestamp()) - interval '1 minute';

-- declared.find (server/tenancy/declared.ts)
select r.id, r.resource_key as "resourceKey", granted.permissions
    from unnest($1::uuid[], $2::resource_kind[], $3::text[]) with ordinality as item(organization_key, kind, id, ord)
    join resources r on r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.id and r.added_at is null
   cross join lateral (
     select count(*)::int as permissions from grants g where g.organization_key = r.organization_key and g.resource_key = r.resource_key
   ) granted
   where granted.permissions > 0;

-- device-authorizations.add (server/features/console/device/statements.ts)
insert into device_authorizations (device_code_hash, user_code, machine, user_agent, address, only_workspace_id,
                                     expires_at, poll_seconds)
  values ($1::bytea, $2::text, $3::text, $4::text, $5::text, $6::text,
          coalesce($7::timestamptz, clock_timestamp()) + interval '600 seconds', 5)
  on conflict (user_code) do nothing returning true as added;

-- device-authorizations.approve (server/features/console/device/statements.ts)
update device_authorizations d
     set answered_at = coalesce($5::timestamptz, clock_timestamp()), workspace_id = $2::text, operator_id = $3::uuid, session_expires_at = s.expires_at
    from console_sessions s
   where 
  d.user_code = $1::text and d.answered_at is null and d.expires_at > coalesce($5::timestamptz, clock_timestamp())
  and coalesce(d.only_workspace_id, $2::text) = $2::text and s.session_hash = $4::bytea and s.workspace_id = $2::text and s.operator_id = $3::uuid
  returning true as answered;

-- device-authorizations.delete (server/features/console/device/statements.ts)
delete from device_authorizations where device_code_hash = $1::bytea;

-- device-authorizations.delete-expired (server/features/console/device/statements.ts)
with expired as (
    select ctid from device_authorizations
     where expires_at <= coalesce($1::timestamptz, clock_timestamp()) order by expires_at limit 1000 for update skip locked
  ),
  deleted as (
    delete from device_authorizations d using expired where d.ctid = expired.ctid returning 1
  )
  select count(*) as count from deleted;

-- device-authorizations.deny (server/features/console/device/statements.ts)
update device_authorizations d set answered_at = coalesce($3::timestamptz, clock_timestamp()) where 
  d.user_code = $1::text and d.answered_at is null and d.expires_at > coalesce($3::timestamptz, clock_timestamp())
  and coalesce(d.only_workspace_id, $2::text) = $2::text returning true as answered;

-- device-authorizations.find (server/features/console/device/statements.ts)
select d.machine, d.user_agent as "userAgent", d.address from device_authorizations d where 
  d.user_code = $1::text and d.answered_at is null and d.expires_at > coalesce($3::timestamptz, clock_timestamp())
  and coalesce(d.only_workspace_id, $2::text) = $2::text;

-- device-authorizations.poll (server/features/console/device/statements.ts)
with clock as materialized (select coalesce($2::timestamptz, clock_timestamp()) as now),
  asked as (
    select d.device_code_hash, d.answered_at, d.workspace_id,
           coalesce(d.polled_at > clock.now - make_interval(secs => d.poll_seconds), false) as too_soon
      from device_authorizations d cross join clock
     where d.device_code_hash = $1::bytea and d.expires_at > clock.now
       for update of d
  ),
  polled as (
    update device_authorizations d
       set polled_at = clock.now,
           poll_seconds = d.poll_seconds + case when asked.too_soon then 5 else 0 end
      from asked cross join clock where d.device_code_hash = asked.device_code_hash
    returning d.poll_seconds
  )
  select asked.too_soon as "isTooSoon", polled.poll_seconds as "pollSeconds",
         asked.answered_at is not null as "isAnswered", asked.workspace_id as "workspaceId"
    from asked cross join polled;

-- device-authorizations.redeem (server/features/console/device/statements.ts)
with clock as materialized (select coalesce($4::timestamptz, clock_timestamp()) as now),
  used as (
    delete from device_authorizations d using clock
     where d.device_code_hash = $1::bytea and d.operator_id is not null and d.expires_at > clock.now
    returning d.*
  ),
  started as (
    insert into console_sessions (session_hash, workspace_id, operator_id, machine, user_agent, address, created_at,
                                  last_seen_at, authenticated_at, expires_at)
    select $2::bytea, used.workspace_id, used.operator_id, used.machine, used.user_agent, $3::text, clock.now,
           clock.now, used.answered_at, used.session_expires_at
      from used cross join clock
  )
  select used.operator_id as "operatorId", o.name as "operatorName", used.machine
    from used
   cross join lateral (
     select name from operators o where o.workspace_id = used.workspace_id and o.operator_id = used.operator_id limit 1
   ) o;

-- disabled-users.delete (server/tenancy/disabled-users.ts)
with held as materialized (
    select d.api_key_id, d.user_id from disabled_users d
     where (d.api_key_id, d.user_id) in (select api_key_id, user_id from unnest($1::text[], $2::text[]) with ordinality as item(api_key_id, user_id, ord))
     order by d.api_key_id, d.user_id for update
  )
  delete from disabled_users d using held where d.api_key_id = held.api_key_id and d.user_id = held.user_id
  returning d.user_id as "userId";

-- disabled-users.find (server/tenancy/disabled-users.ts)
select from disabled_users where api_key_id = $1 and user_id = $2;

-- disabled-users.list (server/features/users/disabling-statements.ts)
select user_id as "userId", disabled_at as "disabledAt" from disabled_users
   where api_key_id = $1 and user_id > coalesce($2::text, '')
   order by user_id limit $3::int;

-- disabled-users.list-named (server/features/users/disabling-statements.ts)
select user_id as "userId", disabled_at as "disabledAt" from disabled_users
   where api_key_id = $1 and user_id = any($4::text[]) and user_id > coalesce($2::text, '')
   order by user_id limit $3::int;

-- document-access.set (server/features/resources/documents/change-statements.ts)
with 
  named as materialized (
    select item.*, r.resource_key, r.name as old_name, r.metadata as old_metadata, r.own_access_type as old_access_type,
           r.disabled as old_disabled, r.folder_key as old_folder_key, moved.id as migrated_to
      from unnest($1::uuid[], $2::text[], $3::access_type[], $4::jsonb[]) with ordinality as item(organization_key, document_id, access_type, actor, ord)
      left join lateral (
        select r.* from resources r
         where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
           and r.added_at is not null limit 1
      ) r on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.document_id limit 1
      ) moved on true
  ),
  changed as materialized (
    select *, 'document.access_changed' as event_type, jsonb_build_object('accessType', old_access_type) as before,
           jsonb_build_object('accessType', access_type) as after
      from named where resource_key is not null and old_access_type is distinct from access_type
  ),
  written as (
    update resources r set own_access_type = c.access_type, updated_at = clock_timestamp() from changed c
     where r.organization_key = c.organization_key and r.resource_key = c.resource_key
  ),
  
  event as (
    select organization_key, ord as position, event_type as type, 'document'::resource_kind as resource_kind,
           document_id as resource_id, null::text as user_id, actor, before, after
      from changed
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select document_id as "documentId", resource_key as "resourceKey", migrated_to as "migratedTo", 'ok' as outcome
    from named order by ord;

-- document-migrations.claim (server/features/migrations/statements.ts)
with clock as materialized (select clock_timestamp() as now),
  due as (
    select ctid as row from document_migrations
     where true and finished_at is null and due_at <= (select now from clock)
     order by due_at limit $1::int for update skip locked
  )
  update document_migrations t set due_at = clock.now + interval '2 seconds', claimed_at = clock.now, claims = t.claims + 1
    from due cross join clock where t.ctid = due.row
  returning t.organization_key as "organizationKey", t.migration_id as "migrationId", t.claims;

-- document-migrations.count (server/features/migrations/statements.ts)
with clock as materialized (select clock_timestamp() as now)
  select count(*) filter (where due_at <= now)::int as ready,
         count(*) filter (where due_at > now and claimed_at is null)::int as deferred,
         count(*) filter (where due_at > now and claimed_at is not null)::int as active
    from (select due_at, claimed_at from document_migrations
           where true and finished_at is null order by due_at limit 10000) unfinished
   cross join clock;

-- document-migrations.release (server/features/migrations/statements.ts)
update document_migrations set due_at = clock_timestamp() + make_interval(secs => $4::float8), claimed_at = null
   where organization_key = $1 and migration_id = $2
     and claims = $3::int;

-- document-migrations.renew-claim (server/features/migrations/statements.ts)
update document_migrations t set due_at = clock_timestamp() + interval '2 seconds'
    from (select ctid from document_migrations where organization_key = $1 and migration_id = $2
     and claims = $3::int for update skip locked) mine
   where t.ctid = mine.ctid and t.claimed_at is not null and t.finished_at is null;

-- document-users.list-involved (server/features/users/involved-document-statements.ts)
select n.user_id as "userId", r.id as "documentId", r.name as "documentName", greatest(g.standing_role, case when g.expires_at > coalesce($3::timestamptz, clock_timestamp()) then g.temporary_role end) as "accessRole",
         case when g.standing_role is distinct from greatest(g.standing_role, case when g.expires_at > coalesce($3::timestamptz, clock_timestamp()) then g.temporary_role end) then g.expires_at end as "expiresAt"
    from (select user_id collate "C" as user_id from unnest($2::text[]) as n(user_id)) n
   cross join lateral (
      select * from grants g
       where g.organization_key = $1 and g.principal = n.user_id and g.kind = 'document' and (g.standing_role is not null or g.expires_at > coalesce($3::timestamptz, clock_timestamp()))
       order by g.resource_key limit 1001
    ) g
   cross join lateral (
      select r.id, r.name from resources r where r.organization_key = $1 and r.resource_key = g.resource_key limit 1
    ) r
   order by n.user_id, r.id;

-- documents.add (server/features/resources/documents/statements.ts)
with target as materialized (
    select request.*, o.added_at is not null as organization_added,
           f.resource_key as folder_key, f.shelf_key, f.added_at is not null as folder_added,
           case when o.added_at is null and not request.create_organization then 'organization_does_not_exist'
                when request.folder_id is not null and f.added_at is null and not request.create_folder then 'folder_does_not_exist'
           end as refusal
      from (select ord - 1 as req, shared.* from unnest($7::uuid[], $8::boolean[], $9::text[], $10::boolean[], $11::jsonb[]) with ordinality as shared(organization_key, create_organization, folder_id, create_folder, actor, ord)) request
      left join lateral (
        select o.added_at from organizations o where o.organization_key = request.organization_key limit 1
      ) o on true
      left join lateral (
        select f.resource_key, f.shelf_key, f.added_at from resources f
         where f.organization_key = request.organization_key and f.kind = 'folder' and f.id = request.folder_id limit 1
      ) f on true
  ),
  found as materialized (
    select item.*, p.organization_key, p.organization_added, p.folder_id, p.folder_key, p.shelf_key, p.folder_added, p.actor,
           coalesce(r.resource_key, gen_random_uuid()) as resource_key, r.resource_key is not null as declared,
           coalesce(p.refusal, case when r.added_at is not null then 'already_exists' else 'ok' end) as outcome
      from unnest($1::int[], $2::text[], $3::text[], $4::jsonb[], $5::access_type[], $6::boolean[]) with ordinality as item(req, document_id, name, metadata, access_type, disabled, ord)
      join target p on p.req = item.req
      left join lateral (
        select r.resource_key, r.added_at from resources r
         where r.organization_key = p.organization_key and r.kind = 'document' and r.id = item.document_id limit 1
      ) r on true
  ),
  named as materialized (
    select req, ord, organization_key, organization_added, document_id, name, metadata, access_type, disabled, folder_id,
           folder_key, shelf_key, folder_added, actor, resource_key, declared,
           case when outcome = 'ok' and row_number() over (partition by organization_key, document_id, outcome order by ord) > 1
                then 'already_exists' else outcome end as outcome
      from found
  ),
  used as (select * from named where outcome in ('ok', 'already_exists')),
  accepted as (select * from named where outcome = 'ok'),
  opening as (select distinct organization_key from used where not organization_added),
  
  root as (
    insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
    select o.organization_key, o.organization_key, 'organization'::resource_kind, o.organization_id, clock_timestamp(),
           array[o.organization_key], 1, o.organization_key
      from organizations o
     where o.organization_key in (select organization_key from opening)
  ),
  new_folder as materialized (
    select distinct on (organization_key, folder_id) organization_key, folder_id, ord, actor,
           coalesce(folder_key, gen_random_uuid()) as folder_key
      from used where folder_id is not null and not folder_added
     order by organization_key, folder_id, ord
  ),
  folders_written as (
    insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
    select organization_key, folder_key, 'folder', folder_id, clock_timestamp(), array[organization_key, folder_key], 1, organization_key
      from new_folder
    on conflict (organization_key, kind, id) do update set added_at = excluded.added_at
  ),
  placed as materialized (
    select a.*, coalesce(a.folder_key, n.folder_key) as parent_key, coalesce(a.shelf_key, n.folder_key) as parent_shelf_key
      from accepted a
      left join new_folder n on n.organization_key = a.organization_key and n.folder_id = a.folder_id
  ),
  written as (
    insert into resources (organization_key, resource_key, kind, id, name, metadata, own_access_type, disabled, folder_key, shelf_key, added_at)
    select organization_key, resource_key, 'document', document_id, name, metadata, access_type, disabled, parent_key, parent_shelf_key, clock_timestamp()
      from placed where not declared order by organization_key, document_id
  ),
  adopted as (
    update resources r
       set name = p.name, metadata = p.metadata, own_access_type = p.access_type, disabled = p.disabled, folder_key = p.parent_key,
           added_at = clock_timestamp()
      from placed p where p.declared and r.organization_key = p.organization_key and r.resource_key = p.resource_key
  ),
  released as (
    delete from document_aliases d using accepted a
     where d.organization_key = a.organization_key and d.document_id = a.document_id
       and exists (select from target p join document_aliases any_of on any_of.organization_key = p.organization_key) -- skips the deletion if the organization has no aliases
  ),
  event as (
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind,
           null as resource_id, null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from (select distinct on (organization_key) * from used where not organization_added order by organization_key, ord) first
    union all
    select organization_key, 1, 'folder.added', 'folder', folder_id, null, actor, null, jsonb_build_object('parentFolderId', 'root')
      from new_folder
    union all
    select organization_key, 1 + ord, 'document.added', 'document', document_id, null, actor, null,
           jsonb_build_object('documentName', name, 'folderId', folder_id, 'accessType', access_type, 'metadata', metadata)
             || case when disabled then '{"disabled": true}'::jsonb else '{}' end
      from accepted
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select req, document_id as "documentId", outcome, resource_key as "resourceKey" from named order by ord;

-- documents.count (server/features/resources/documents/read-statements.ts)
select count(*) as count from resources r where r.organization_key = $1 and r.kind = 'document' and true and r.added_at is not null and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition ->> 'operator' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition -> 'values' -> 0 from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place))
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then to_jsonb(floor(extract(epoch from r.added_at) * 1000))
                                when 'lastUpdated' then to_jsonb(floor(extract(epoch from coalesce(r.updated_at, r.added_at)) * 1000)) end) as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'not-in' then not (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when (wanted.place, e.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)) then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then case wanted.operator
                   when '<' then (field.value #>> '{}') collate "C" < (wanted.bound #>> '{}') collate "C" when '<=' then (field.value #>> '{}') collate "C" <= (wanted.bound #>> '{}') collate "C"
                   when '>' then (field.value #>> '{}') collate "C" > (wanted.bound #>> '{}') collate "C" when '>=' then (field.value #>> '{}') collate "C" >= (wanted.bound #>> '{}') collate "C" end
                 else case wanted.operator
                   when '<' then field.value < wanted.bound when '<=' then field.value <= wanted.bound
                   when '>' then field.value > wanted.bound when '>=' then field.value >= wanted.bound end end) is not true));

-- documents.count-folder (server/features/resources/documents/read-statements.ts)
select count(*) as count from resources r where r.organization_key = $1 and r.kind = 'document' and r.folder_key = $3::uuid and r.added_at is not null and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition ->> 'operator' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition -> 'values' -> 0 from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place))
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then to_jsonb(floor(extract(epoch from r.added_at) * 1000))
                                when 'lastUpdated' then to_jsonb(floor(extract(epoch from coalesce(r.updated_at, r.added_at)) * 1000)) end) as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'not-in' then not (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when (wanted.place, e.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)) then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then case wanted.operator
                   when '<' then (field.value #>> '{}') collate "C" < (wanted.bound #>> '{}') collate "C" when '<=' then (field.value #>> '{}') collate "C" <= (wanted.bound #>> '{}') collate "C"
                   when '>' then (field.value #>> '{}') collate "C" > (wanted.bound #>> '{}') collate "C" when '>=' then (field.value #>> '{}') collate "C" >= (wanted.bound #>> '{}') collate "C" end
                 else case wanted.operator
                   when '<' then field.value < wanted.bound when '<=' then field.value <= wanted.bound
                   when '>' then field.value > wanted.bound when '>=' then field.value >= wanted.bound end end) is not true));

-- documents.count-top (server/features/resources/documents/read-statements.ts)
select count(*) as count from resources r where r.organization_key = $1 and r.kind = 'document' and r.folder_key is null and r.added_at is not null and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition ->> 'operator' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition -> 'values' -> 0 from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place))
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then to_jsonb(floor(extract(epoch from r.added_at) * 1000))
                                when 'lastUpdated' then to_jsonb(floor(extract(epoch from coalesce(r.updated_at, r.added_at)) * 1000)) end) as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'not-in' then not (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when (wanted.place, e.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)) then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then case wanted.operator
                   when '<' then (field.value #>> '{}') collate "C" < (wanted.bound #>> '{}') collate "C" when '<=' then (field.value #>> '{}') collate "C" <= (wanted.bound #>> '{}') collate "C"
                   when '>' then (field.value #>> '{}') collate "C" > (wanted.bound #>> '{}') collate "C" when '>=' then (field.value #>> '{}') collate "C" >= (wanted.bound #>> '{}') collate "C" end
                 else case wanted.operator
                   when '<' then field.value < wanted.bound when '<=' then field.value <= wanted.bound
                   when '>' then field.value > wanted.bound when '>=' then field.value >= wanted.bound end end) is not true));

-- documents.delete (server/features/resources/documents/change-statements.ts)
with 
  named as materialized (
    select item.*, r.resource_key, r.name as old_name, r.metadata as old_metadata, r.own_access_type as old_access_type,
           r.disabled as old_disabled, r.folder_key as old_folder_key, moved.id as migrated_to
      from unnest($1::uuid[], $2::text[], $3::jsonb[]) with ordinality as item(organization_key, document_id, actor, ord)
      left join lateral (
        select r.* from resources r
         where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
           and r.added_at is not null limit 1
      ) r on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.document_id limit 1
      ) moved on true
  ),
  deleted as (
    delete from resources r using named n
     where r.organization_key = n.organization_key and r.resource_key = n.resource_key
  ),
  changed as materialized (
    select n.*, 'document.deleted' as event_type,
           jsonb_build_object('documentName', old_name, 'metadata', old_metadata, 'permissions',
             (select count(*) from grants g where g.organization_key = n.organization_key and g.resource_key = n.resource_key)) as before,
           null::jsonb as after
      from named n where resource_key is not null
  ),
  
  event as (
    select organization_key, ord as position, event_type as type, 'document'::resource_kind as resource_kind,
           document_id as resource_id, null::text as user_id, actor, before, after
      from changed
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select document_id as "documentId", resource_key as "resourceKey", migrated_to as "migratedTo", 'ok' as outcome
    from named order by ord;

-- documents.delete-declared (server/features/resources/documents/change-statements.ts)
with changed as materialized (
    select item.*, r.resource_key, granted.permissions
      from unnest($1::uuid[], $2::text[], $3::jsonb[]) with ordinality as item(organization_key, document_id, actor, ord)
      join resources r on r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id and r.added_at is null
     cross join lateral (
       select count(*)::int as permissions from grants g where g.organization_key = r.organization_key and g.resource_key = r.resource_key
     ) granted
     where granted.permissions > 0
  ),
  deleted as (
    delete from resources r using changed c where r.organization_key = c.organization_key and r.resource_key = c.resource_key
  ),
  event as (
    select organization_key, ord as position, 'document.deleted' as type, 'document'::resource_kind as resource_kind,
           document_id as resource_id, null::text as user_id, actor,
           jsonb_build_object('documentName', null, 'metadata', '{}'::jsonb, 'permissions', permissions) as before, null::jsonb as after
      from changed
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select document_id as id, resource_key as "resourceKey", permissions from changed;

-- documents.disable (server/features/resources/documents/change-statements.ts)
with 
  named as materialized (
    select item.*, r.resource_key, r.name as old_name, r.metadata as old_metadata, r.own_access_type as old_access_type,
           r.disabled as old_disabled, r.folder_key as old_folder_key, moved.id as migrated_to
      from unnest($1::uuid[], $2::text[], $3::boolean[], $4::jsonb[]) with ordinality as item(organization_key, document_id, disabled, actor, ord)
      left join lateral (
        select r.* from resources r
         where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
           and r.added_at is not null limit 1
      ) r on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.document_id limit 1
      ) moved on true
  ),
  changed as materialized (
    select *, case when disabled then 'document.disabled' else 'document.enabled' end as event_type,
           jsonb_build_object('disabled', old_disabled) as before, jsonb_build_object('disabled', disabled) as after
      from named where resource_key is not null and old_disabled <> disabled
  ),
  written as (
    update resources r set disabled = c.disabled, updated_at = clock_timestamp() from changed c
     where r.organization_key = c.organization_key and r.resource_key = c.resource_key
  ),
  
  event as (
    select organization_key, ord as position, event_type as type, 'document'::resource_kind as resource_kind,
           document_id as resource_id, null::text as user_id, actor, before, after
      from changed
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select document_id as "documentId", resource_key as "resourceKey", migrated_to as "migratedTo", 'ok' as outcome
    from named order by ord;

-- documents.find-folder (server/features/resources/documents/read-statements.ts)
select o.added_at is not null as "organizationAdded", f.resource_key as "folderKey"
    from organizations o
    left join resources f on f.organization_key = o.organization_key and f.kind = 'folder' and f.id = $2 and f.added_at is not null
   where o.organization_key = $1;

-- documents.get (server/features/resources/documents/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select item.document_id as "documentId", r.id is not null as found, moved.id as "migratedTo", 
  r.id, r.name, r.metadata, r.disabled, coalesce(r.own_access_type, f.boundary_access_type) as "accessType",
  r.own_access_type is null as inherits, f.id as "folderId"
    from unnest($1::uuid[], $2::text[]) with ordinality as item(organization_key, document_id, ord)
    left join lateral (
      select * from resources r
       where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
         and r.added_at is not null limit 1
    ) r on true 
    left join lateral (
      select f.id, f.boundary_access_type from resources f
       where f.organization_key = r.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
    left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.id is null
           and a.organization_key = item.organization_key and a.document_id = item.document_id limit 1
      ) moved on true
   order by item.ord) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 16777216;

-- documents.has-filter-index (server/features/resources/documents/indexed-statements.ts)
select exists (select from pg_index where indexrelid = to_regclass('resources__filters') and indisvalid) as "hasIndex";

-- documents.list (server/features/resources/documents/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select 
  r.id, r.name, r.metadata, r.disabled, coalesce(r.own_access_type, f.boundary_access_type) as "accessType",
  r.own_access_type is null as inherits, f.id as "folderId", r.matches, r.nth = $5 as "isScanEnd"
    from (select r.*, r.added_at is not null and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition ->> 'operator' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition -> 'values' -> 0 from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place))
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then to_jsonb(floor(extract(epoch from r.added_at) * 1000))
                                when 'lastUpdated' then to_jsonb(floor(extract(epoch from coalesce(r.updated_at, r.added_at)) * 1000)) end) as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'not-in' then not (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when (wanted.place, e.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)) then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then case wanted.operator
                   when '<' then (field.value #>> '{}') collate "C" < (wanted.bound #>> '{}') collate "C" when '<=' then (field.value #>> '{}') collate "C" <= (wanted.bound #>> '{}') collate "C"
                   when '>' then (field.value #>> '{}') collate "C" > (wanted.bound #>> '{}') collate "C" when '>=' then (field.value #>> '{}') collate "C" >= (wanted.bound #>> '{}') collate "C" end
                 else case wanted.operator
                   when '<' then field.value < wanted.bound when '<=' then field.value <= wanted.bound
                   when '>' then field.value > wanted.bound when '>=' then field.value >= wanted.bound end end) is not true)) as matches, row_number() over (order by r.id) as nth
            from (select * from resources r where r.organization_key = $1 and r.kind = 'document' and true and r.id > coalesce($3::text, '')
                   order by r.id limit $5::int) r) r 
    left join lateral (
      select f.id, f.boundary_access_type from resources f
       where f.organization_key = r.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
   where r.matches or r.nth = $5
   order by r.id limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- documents.list-folder (server/features/resources/documents/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select 
  r.id, r.name, r.metadata, r.disabled, coalesce(r.own_access_type, f.boundary_access_type) as "accessType",
  r.own_access_type is null as inherits, f.id as "folderId", r.matches, r.nth = $5 as "isScanEnd"
    from (select r.*, r.added_at is not null and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition ->> 'operator' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition -> 'values' -> 0 from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place))
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then to_jsonb(floor(extract(epoch from r.added_at) * 1000))
                                when 'lastUpdated' then to_jsonb(floor(extract(epoch from coalesce(r.updated_at, r.added_at)) * 1000)) end) as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'not-in' then not (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when (wanted.place, e.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)) then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then case wanted.operator
                   when '<' then (field.value #>> '{}') collate "C" < (wanted.bound #>> '{}') collate "C" when '<=' then (field.value #>> '{}') collate "C" <= (wanted.bound #>> '{}') collate "C"
                   when '>' then (field.value #>> '{}') collate "C" > (wanted.bound #>> '{}') collate "C" when '>=' then (field.value #>> '{}') collate "C" >= (wanted.bound #>> '{}') collate "C" end
                 else case wanted.operator
                   when '<' then field.value < wanted.bound when '<=' then field.value <= wanted.bound
                   when '>' then field.value > wanted.bound when '>=' then field.value >= wanted.bound end end) is not true)) as matches, row_number() over (order by r.id) as nth
            from (select * from resources r where r.organization_key = $1 and r.kind = 'document' and r.folder_key = $6::uuid and r.id > coalesce($3::text, '')
                   order by r.id limit $5::int) r) r 
    left join lateral (
      select f.id, f.boundary_access_type from resources f
       where f.organization_key = r.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
   where r.matches or r.nth = $5
   order by r.id limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- documents.list-folder by name (server/features/resources/documents/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select 
  r.id, r.name, r.metadata, r.disabled, coalesce(r.own_access_type, f.boundary_access_type) as "accessType",
  r.own_access_type is null as inherits, f.id as "folderId", jsonb_build_array(r.place, r.id)::text as position, r.matches, r.nth = $5 as "isScanEnd"
    from (select r.*, r.added_at is not null and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition ->> 'operator' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition -> 'values' -> 0 from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place))
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then to_jsonb(floor(extract(epoch from r.added_at) * 1000))
                                when 'lastUpdated' then to_jsonb(floor(extract(epoch from coalesce(r.updated_at, r.added_at)) * 1000)) end) as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'not-in' then not (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when (wanted.place, e.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)) then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then case wanted.operator
                   when '<' then (field.value #>> '{}') collate "C" < (wanted.bound #>> '{}') collate "C" when '<=' then (field.value #>> '{}') collate "C" <= (wanted.bound #>> '{}') collate "C"
                   when '>' then (field.value #>> '{}') collate "C" > (wanted.bound #>> '{}') collate "C" when '>=' then (field.value #>> '{}') collate "C" >= (wanted.bound #>> '{}') collate "C" end
                 else case wanted.operator
                   when '<' then field.value < wanted.bound when '<=' then field.value <= wanted.bound
                   when '>' then field.value > wanted.bound when '>=' then field.value >= wanted.bound end end) is not true)) as matches, row_number() over (order by place asc, r.id asc) as nth
            from (select r.*, name_order(r.name, r.id) as place from resources r where r.organization_key = $1 and r.kind = 'document' and r.folder_key = $6::uuid and (name_order(r.name, r.id), r.id) > (coalesce($3::jsonb ->> 0, '') collate "C", coalesce($3::jsonb ->> 1, '') collate "C")
                   order by place asc, r.id asc limit $5::int) r) r 
    left join lateral (
      select f.id, f.boundary_access_type from resources f
       where f.organization_key = r.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
   where r.matches or r.nth = $5
   order by place asc, r.id asc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- documents.list-folder by name desc (server/features/resources/documents/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select 
  r.id, r.name, r.metadata, r.disabled, coalesce(r.own_access_type, f.boundary_access_type) as "accessType",
  r.own_access_type is null as inherits, f.id as "folderId", jsonb_build_array(r.place, r.id)::text as position, r.matches, r.nth = $5 as "isScanEnd"
    from (select r.*, r.added_at is not null and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition ->> 'operator' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition -> 'values' -> 0 from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place))
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then to_jsonb(floor(extract(epoch from r.added_at) * 1000))
                                when 'lastUpdated' then to_jsonb(floor(extract(epoch from coalesce(r.updated_at, r.added_at)) * 1000)) end) as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'not-in' then not (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when (wanted.place, e.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)) then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then case wanted.operator
                   when '<' then (field.value #>> '{}') collate "C" < (wanted.bound #>> '{}') collate "C" when '<=' then (field.value #>> '{}') collate "C" <= (wanted.bound #>> '{}') collate "C"
                   when '>' then (field.value #>> '{}') collate "C" > (wanted.bound #>> '{}') collate "C" when '>=' then (field.value #>> '{}') collate "C" >= (wanted.bound #>> '{}') collate "C" end
                 else case wanted.operator
                   when '<' then field.value < wanted.bound when '<=' then field.value <= wanted.bound
                   when '>' then field.value > wanted.bound when '>=' then field.value >= wanted.bound end end) is not true)) as matches, row_number() over (order by place desc, r.id desc) as nth
            from (select r.*, name_order(r.name, r.id) as place from resources r where r.organization_key = $1 and r.kind = 'document' and r.folder_key = $6::uuid and (name_order(r.name, r.id), r.id) < (coalesce($3::jsonb ->> 0, repeat(chr(1114111), 101)) collate "C", coalesce($3::jsonb ->> 1, repeat(chr(1114111), 101)) collate "C")
                   order by place desc, r.id desc limit $5::int) r) r 
    left join lateral (
      select f.id, f.boundary_access_type from resources f
       where f.organization_key = r.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
   where r.matches or r.nth = $5
   order by place desc, r.id desc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- documents.list-folder-indexed (server/features/resources/documents/indexed-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  with found as materialized (
    select r.* from resources r
     where r.kind = 'document' and (r.metadata || ('{"": "' || r.organization_key::text || '"}')::jsonb) @> ($6::jsonb || ('{"": "' || $1::uuid::text || '"}')::jsonb)
     limit $5::int + 1
  )
  select n.found, d.*
    from (select count(*) as found from found) n
    left join lateral (
      select 
  r.id, r.name, r.metadata, r.disabled, coalesce(r.own_access_type, f.boundary_access_type) as "accessType",
  r.own_access_type is null as inherits, f.id as "folderId" from found r 
    left join lateral (
      select f.id, f.boundary_access_type from resources f
       where f.organization_key = r.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
       where n.found <= $5 and r.organization_key = $1 and r.kind = 'document' and r.folder_key = $7::uuid and r.added_at is not null and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition ->> 'operator' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition -> 'values' -> 0 from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place))
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then to_jsonb(floor(extract(epoch from r.added_at) * 1000))
                                when 'lastUpdated' then to_jsonb(floor(extract(epoch from coalesce(r.updated_at, r.added_at)) * 1000)) end) as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'not-in' then not (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when (wanted.place, e.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)) then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then case wanted.operator
                   when '<' then (field.value #>> '{}') collate "C" < (wanted.bound #>> '{}') collate "C" when '<=' then (field.value #>> '{}') collate "C" <= (wanted.bound #>> '{}') collate "C"
                   when '>' then (field.value #>> '{}') collate "C" > (wanted.bound #>> '{}') collate "C" when '>=' then (field.value #>> '{}') collate "C" >= (wanted.bound #>> '{}') collate "C" end
                 else case wanted.operator
                   when '<' then field.value < wanted.bound when '<=' then field.value <= wanted.bound
                   when '>' then field.value > wanted.bound when '>=' then field.value >= wanted.bound end end) is not true)) and r.id > coalesce($3::text, '')
       order by r.id limit $4::int
    ) d on true
   order by d.id) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- documents.list-indexed (server/features/resources/documents/indexed-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  with found as materialized (
    select r.* from resources r
     where r.kind = 'document' and (r.metadata || ('{"": "' || r.organization_key::text || '"}')::jsonb) @> ($6::jsonb || ('{"": "' || $1::uuid::text || '"}')::jsonb)
     limit $5::int + 1
  )
  select n.found, d.*
    from (select count(*) as found from found) n
    left join lateral (
      select 
  r.id, r.name, r.metadata, r.disabled, coalesce(r.own_access_type, f.boundary_access_type) as "accessType",
  r.own_access_type is null as inherits, f.id as "folderId" from found r 
    left join lateral (
      select f.id, f.boundary_access_type from resources f
       where f.organization_key = r.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
       where n.found <= $5 and r.organization_key = $1 and r.kind = 'document' and true and r.added_at is not null and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition ->> 'operator' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition -> 'values' -> 0 from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place))
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then to_jsonb(floor(extract(epoch from r.added_at) * 1000))
                                when 'lastUpdated' then to_jsonb(floor(extract(epoch from coalesce(r.updated_at, r.added_at)) * 1000)) end) as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'not-in' then not (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when (wanted.place, e.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)) then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then case wanted.operator
                   when '<' then (field.value #>> '{}') collate "C" < (wanted.bound #>> '{}') collate "C" when '<=' then (field.value #>> '{}') collate "C" <= (wanted.bound #>> '{}') collate "C"
                   when '>' then (field.value #>> '{}') collate "C" > (wanted.bound #>> '{}') collate "C" when '>=' then (field.value #>> '{}') collate "C" >= (wanted.bound #>> '{}') collate "C" end
                 else case wanted.operator
                   when '<' then field.value < wanted.bound when '<=' then field.value <= wanted.bound
                   when '>' then field.value > wanted.bound when '>=' then field.value >= wanted.bound end end) is not true)) and r.id > coalesce($3::text, '')
       order by r.id limit $4::int
    ) d on true
   order by d.id) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- documents.list-top (server/features/resources/documents/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select 
  r.id, r.name, r.metadata, r.disabled, coalesce(r.own_access_type, f.boundary_access_type) as "accessType",
  r.own_access_type is null as inherits, f.id as "folderId", r.matches, r.nth = $5 as "isScanEnd"
    from (select r.*, r.added_at is not null and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition ->> 'operator' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition -> 'values' -> 0 from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place))
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then to_jsonb(floor(extract(epoch from r.added_at) * 1000))
                                when 'lastUpdated' then to_jsonb(floor(extract(epoch from coalesce(r.updated_at, r.added_at)) * 1000)) end) as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'not-in' then not (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when (wanted.place, e.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)) then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then case wanted.operator
                   when '<' then (field.value #>> '{}') collate "C" < (wanted.bound #>> '{}') collate "C" when '<=' then (field.value #>> '{}') collate "C" <= (wanted.bound #>> '{}') collate "C"
                   when '>' then (field.value #>> '{}') collate "C" > (wanted.bound #>> '{}') collate "C" when '>=' then (field.value #>> '{}') collate "C" >= (wanted.bound #>> '{}') collate "C" end
                 else case wanted.operator
                   when '<' then field.value < wanted.bound when '<=' then field.value <= wanted.bound
                   when '>' then field.value > wanted.bound when '>=' then field.value >= wanted.bound end end) is not true)) as matches, row_number() over (order by r.folder_key, r.id) as nth
            from (select * from resources r where r.organization_key = $1 and r.kind = 'document' and r.folder_key is null and r.id > coalesce($3::text, '')
                   order by r.folder_key, r.id limit $5::int) r) r 
    left join lateral (
      select f.id, f.boundary_access_type from resources f
       where f.organization_key = r.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
   where r.matches or r.nth = $5
   order by r.folder_key, r.id limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- documents.list-top by name (server/features/resources/documents/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select 
  r.id, r.name, r.metadata, r.disabled, coalesce(r.own_access_type, f.boundary_access_type) as "accessType",
  r.own_access_type is null as inherits, f.id as "folderId", jsonb_build_array(r.place, r.id)::text as position, r.matches, r.nth = $5 as "isScanEnd"
    from (select r.*, r.added_at is not null and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition ->> 'operator' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition -> 'values' -> 0 from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place))
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then to_jsonb(floor(extract(epoch from r.added_at) * 1000))
                                when 'lastUpdated' then to_jsonb(floor(extract(epoch from coalesce(r.updated_at, r.added_at)) * 1000)) end) as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'not-in' then not (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when (wanted.place, e.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)) then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then case wanted.operator
                   when '<' then (field.value #>> '{}') collate "C" < (wanted.bound #>> '{}') collate "C" when '<=' then (field.value #>> '{}') collate "C" <= (wanted.bound #>> '{}') collate "C"
                   when '>' then (field.value #>> '{}') collate "C" > (wanted.bound #>> '{}') collate "C" when '>=' then (field.value #>> '{}') collate "C" >= (wanted.bound #>> '{}') collate "C" end
                 else case wanted.operator
                   when '<' then field.value < wanted.bound when '<=' then field.value <= wanted.bound
                   when '>' then field.value > wanted.bound when '>=' then field.value >= wanted.bound end end) is not true)) as matches, row_number() over (order by r.folder_key asc, place asc, r.id asc) as nth
            from (select r.*, name_order(r.name, r.id) as place from resources r where r.organization_key = $1 and r.kind = 'document' and r.folder_key is null and (name_order(r.name, r.id), r.id) > (coalesce($3::jsonb ->> 0, '') collate "C", coalesce($3::jsonb ->> 1, '') collate "C")
                   order by r.folder_key asc, place asc, r.id asc limit $5::int) r) r 
    left join lateral (
      select f.id, f.boundary_access_type from resources f
       where f.organization_key = r.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
   where r.matches or r.nth = $5
   order by r.folder_key asc, place asc, r.id asc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- documents.list-top by name desc (server/features/resources/documents/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select 
  r.id, r.name, r.metadata, r.disabled, coalesce(r.own_access_type, f.boundary_access_type) as "accessType",
  r.own_access_type is null as inherits, f.id as "folderId", jsonb_build_array(r.place, r.id)::text as position, r.matches, r.nth = $5 as "isScanEnd"
    from (select r.*, r.added_at is not null and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition ->> 'operator' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition -> 'values' -> 0 from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place))
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then to_jsonb(floor(extract(epoch from r.added_at) * 1000))
                                when 'lastUpdated' then to_jsonb(floor(extract(epoch from coalesce(r.updated_at, r.added_at)) * 1000)) end) as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'not-in' then not (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when (wanted.place, e.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)) then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then case wanted.operator
                   when '<' then (field.value #>> '{}') collate "C" < (wanted.bound #>> '{}') collate "C" when '<=' then (field.value #>> '{}') collate "C" <= (wanted.bound #>> '{}') collate "C"
                   when '>' then (field.value #>> '{}') collate "C" > (wanted.bound #>> '{}') collate "C" when '>=' then (field.value #>> '{}') collate "C" >= (wanted.bound #>> '{}') collate "C" end
                 else case wanted.operator
                   when '<' then field.value < wanted.bound when '<=' then field.value <= wanted.bound
                   when '>' then field.value > wanted.bound when '>=' then field.value >= wanted.bound end end) is not true)) as matches, row_number() over (order by r.folder_key desc, place desc, r.id desc) as nth
            from (select r.*, name_order(r.name, r.id) as place from resources r where r.organization_key = $1 and r.kind = 'document' and r.folder_key is null and (name_order(r.name, r.id), r.id) < (coalesce($3::jsonb ->> 0, repeat(chr(1114111), 101)) collate "C", coalesce($3::jsonb ->> 1, repeat(chr(1114111), 101)) collate "C")
                   order by r.folder_key desc, place desc, r.id desc limit $5::int) r) r 
    left join lateral (
      select f.id, f.boundary_access_type from resources f
       where f.organization_key = r.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
   where r.matches or r.nth = $5
   order by r.folder_key desc, place desc, r.id desc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- documents.list-top-indexed (server/features/resources/documents/indexed-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  with found as materialized (
    select r.* from resources r
     where r.kind = 'document' and (r.metadata || ('{"": "' || r.organization_key::text || '"}')::jsonb) @> ($6::jsonb || ('{"": "' || $1::uuid::text || '"}')::jsonb)
     limit $5::int + 1
  )
  select n.found, d.*
    from (select count(*) as found from found) n
    left join lateral (
      select 
  r.id, r.name, r.metadata, r.disabled, coalesce(r.own_access_type, f.boundary_access_type) as "accessType",
  r.own_access_type is null as inherits, f.id as "folderId" from found r 
    left join lateral (
      select f.id, f.boundary_access_type from resources f
       where f.organization_key = r.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
       where n.found <= $5 and r.organization_key = $1 and r.kind = 'document' and r.folder_key is null and r.added_at is not null and ($2::jsonb is null or not exists (
       select from unnest(array(select c.condition ->> 'key' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition ->> 'operator' from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place),
                          array(select c.condition -> 'values' -> 0 from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place) order by c.place))
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then to_jsonb(floor(extract(epoch from r.added_at) * 1000))
                                when 'lastUpdated' then to_jsonb(floor(extract(epoch from coalesce(r.updated_at, r.added_at)) * 1000)) end) as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'not-in' then not (wanted.place, field.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when (wanted.place, e.value) in (
                select c.place, v.value from jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value)) then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then case wanted.operator
                   when '<' then (field.value #>> '{}') collate "C" < (wanted.bound #>> '{}') collate "C" when '<=' then (field.value #>> '{}') collate "C" <= (wanted.bound #>> '{}') collate "C"
                   when '>' then (field.value #>> '{}') collate "C" > (wanted.bound #>> '{}') collate "C" when '>=' then (field.value #>> '{}') collate "C" >= (wanted.bound #>> '{}') collate "C" end
                 else case wanted.operator
                   when '<' then field.value < wanted.bound when '<=' then field.value <= wanted.bound
                   when '>' then field.value > wanted.bound when '>=' then field.value >= wanted.bound end end) is not true)) and r.id > coalesce($3::text, '')
       order by r.id limit $4::int
    ) d on true
   order by d.id) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- documents.move (server/features/resources/documents/change-statements.ts)
with 
  named as materialized (
    select item.*, r.resource_key, r.name as old_name, r.metadata as old_metadata, r.own_access_type as old_access_type,
           r.disabled as old_disabled, r.folder_key as old_folder_key, moved.id as migrated_to
      from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::jsonb[]) with ordinality as item(organization_key, document_id, folder_key, folder_id, actor, ord)
      left join lateral (
        select r.* from resources r
         where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
           and r.added_at is not null limit 1
      ) r on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.document_id limit 1
      ) moved on true
  ),
  changed as materialized (
    select n.*, 'document.moved' as event_type, jsonb_build_object('folderId', coalesce(f.id, 'root')) as before,
           jsonb_build_object('folderId', n.folder_id) as after
      from named n
      left join resources f on f.organization_key = n.organization_key and f.resource_key = n.old_folder_key
     where n.resource_key is not null and n.old_folder_key is distinct from n.folder_key
  ),
  written as (
    update resources r set folder_key = c.folder_key, updated_at = clock_timestamp() from changed c
     where r.organization_key = c.organization_key and r.resource_key = c.resource_key
  ),
  
  event as (
    select organization_key, ord as position, event_type as type, 'document'::resource_kind as resource_kind,
           document_id as resource_id, null::text as user_id, actor, before, after
      from changed
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select document_id as "documentId", resource_key as "resourceKey", migrated_to as "migratedTo", 'ok' as outcome
    from named order by ord;

-- documents.update (server/features/resources/documents/change-statements.ts)
with 
  named as materialized (
    select item.*, r.resource_key, r.name as old_name, r.metadata as old_metadata, r.own_access_type as old_access_type,
           r.disabled as old_disabled, r.folder_key as old_folder_key, moved.id as migrated_to
      from unnest($1::uuid[], $2::text[], $3::boolean[], $4::text[], $5::boolean[], $6::jsonb[], $7::jsonb[]) with ordinality as item(organization_key, document_id, renames, name, replaces, metadata, actor, ord)
      left join lateral (
        select r.* from resources r
         where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
           and r.added_at is not null limit 1
      ) r on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.document_id limit 1
      ) moved on true
  ),
  merged as materialized (
    select *, case when renames then name else old_name end as new_name,
           
  ((case when replaces then '{}' else old_metadata end || metadata) - array(select key from jsonb_each(metadata) where value = 'null')) as new_metadata
      from named where resource_key is not null
  ),
  checked as materialized (select *, (octet_length(new_metadata::text) <= 73728
    and (select count(*) from jsonb_object_keys(new_metadata)) <= 120) as fits from merged),
  changed as materialized (
    select *, 'document.updated' as event_type,
           jsonb_build_object('documentName', old_name, 'metadata', old_metadata) as before,
           jsonb_build_object('documentName', new_name, 'metadata', new_metadata) as after
      from checked where fits and (old_name, old_metadata) is distinct from (new_name, new_metadata)
  ),
  written as (
    update resources r set name = c.new_name, metadata = c.new_metadata, updated_at = clock_timestamp() from changed c
     where r.organization_key = c.organization_key and r.resource_key = c.resource_key
  ),
  
  event as (
    select organization_key, ord as position, event_type as type, 'document'::resource_kind as resource_kind,
           document_id as resource_id, null::text as user_id, actor, before, after
      from changed
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select document_id as "documentId", resource_key as "resourceKey", migrated_to as "migratedTo", case when exists (select from checked where checked.ord = named.ord and not fits) then 'too_large' else 'ok' end as outcome
    from named order by ord;

-- domain-requests.find-pending (server/features/domains/request-statements.ts)
select request_id as id, domain, requested_organization_id as "organizationId", requested_document_id as "documentId",
         status, requested_at as "requestedAt", responded_at as "respondedAt" from domain_requests where api_key_id = $1 and domain = $2 and status = 'pending';

-- domain-requests.get (server/features/domains/request-statements.ts)
select request_id as id, domain, requested_organization_id as "organizationId", requested_document_id as "documentId",
         status, requested_at as "requestedAt", responded_at as "respondedAt" from domain_requests where api_key_id = $1 and request_id = $2::uuid;

-- domain-requests.insert (server/features/domains/request-statements.ts)
insert into domain_requests (api_key_id, domain, requested_organization_id, requested_document_id) values ($1, $2, $3, $4)
  returning request_id as id, domain, requested_organization_id as "organizationId", requested_document_id as "documentId",
         status, requested_at as "requestedAt", responded_at as "respondedAt";

-- domain-requests.list (server/features/domains/request-statements.ts)
select request_id as id, domain, requested_organization_id as "organizationId", requested_document_id as "documentId",
         status, requested_at as "requestedAt", responded_at as "respondedAt" from domain_requests where api_key_id = $1 order by requested_at desc, request_id;

-- domain-requests.make-room (server/features/domains/request-statements.ts)
with kept as materialized (
    select request_id, row_number() over (order by responded_at desc nulls first, request_id) as nth
      from domain_requests where api_key_id = $1
  ),
  deleted as (
    delete from domain_requests r using kept k
     where r.api_key_id = $1 and r.request_id = k.request_id and k.nth >= 500 and r.status <> 'pending'
    returning 1
  )
  select (select count(*) from kept) - (select count(*) from deleted) as count;

-- domain-requests.name-documents (server/features/domains/request-statements.ts)
select r.name
    from unnest($1::uuid[], $2::text[]) with ordinality as item(organization_key, document_id, ord)
    left join lateral (
      select r.name from resources r
       where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
         and r.added_at is not null limit 1
    ) r on true
   order by item.ord;

-- domain-requests.respond (server/features/domains/request-statements.ts)
update domain_requests set status = $3, responded_at = clock_timestamp() where api_key_id = $1 and request_id = $2::uuid
  returning request_id as id, domain, requested_organization_id as "organizationId", requested_document_id as "documentId",
         status, requested_at as "requestedAt", responded_at as "respondedAt";

-- domains.get (server/features/domains/statements.ts)
select allowed_domains as domains from api_keys where api_key_id = $1;

-- domains.set (server/features/domains/statements.ts)
update api_keys set allowed_domains = $2::text[] where api_key_id = $1;

-- email-config.get (server/features/service-configs/statements.ts)
select use_email_service as enabled, email_service_config as config, email_service_key_sealed as sealed
    from api_keys where api_key_id = $1;

-- email-config.update (server/features/service-configs/statements.ts)
update api_keys set use_email_service = $2, email_service_config = $3::jsonb, email_service_key_sealed = $4::bytea
   where api_key_id = $1;

-- event-feed.find-step (server/tenancy/events/feed-restore.ts)
select stream, sequence from events where (stream, sequence) > ($1::uuid, $2::bigint)
   order by stream, sequence offset $3::int - 1 limit 1;

-- event-feed.is-restored (server/tenancy/events/feed-restore.ts)
with clock as materialized (select pg_snapshot_xmax(pg_current_snapshot()) as next)
  select exists (
           select from api_keys k
            cross join lateral (select e.tick from events e where e.api_key_id = k.api_key_id
                                 order by e.api_key_id desc, e.tick desc limit 1) last
            where last.tick >= (select next::text::bigint from clock))
      or exists (
           select from event_followers f where pg_snapshot_xmax(coalesce(f.until, f.seen)) > (select next from clock)
         ) as "isRestored";

-- event-feed.measure (server/tenancy/events/feed-restore.ts)
select count(*) as count, max(tick) as "greatestTick" from events;

-- event-feed.rebase (server/tenancy/events/feed-restore.ts)
with consumer as materialized (
  select consumer, 1 << (row_number() over (order by consumer) - 1)::int as bit from (select distinct consumer from event_followers) known)
  update events e
     set written_by = (2 + unread.bits)::text::xid8,
         tick = case when unread.bits = 0 then e.tick - $5::bigint else 2 + unread.bits end
    from (select e.stream, e.sequence, coalesce(bit_or(c.bit), 0) as bits
            from events e
            left join event_followers f
              on f.api_key_id = e.api_key_id and not pg_visible_in_snapshot(e.written_by, f.seen)
             and not coalesce(pg_visible_in_snapshot(e.written_by, f.until)
                              and (e.tick, e.stream, e.sequence) <= (f.tick, f.stream, f.sequence), false)
            left join consumer c on c.consumer = f.consumer
           where (e.stream, e.sequence) > ($1::uuid, $2::bigint) and (e.stream, e.sequence) <= ($3::uuid, $4::bigint)
           group by e.stream, e.sequence) unread
   where unread.stream = e.stream and unread.sequence = e.sequence
     and (e.stream, e.sequence) > ($1::uuid, $2::bigint) and (e.stream, e.sequence) <= ($3::uuid, $4::bigint);

-- event-feed.rebase-followers (server/tenancy/events/feed-restore.ts)
with consumer as materialized (
  select consumer, 1 << (row_number() over (order by consumer) - 1)::int as bit from (select distinct consumer from event_followers) known),
  streams as (update event_streams set event_tick = 0 where event_tick <> 0),
  most as materialized (select coalesce(bit_or(bit), 0) as bits from consumer)
  update event_followers f
     set until = null, tick = null, stream = null, sequence = null,
         seen = (select '3:' || 3 + (select bits from most) || ':' || string_agg((2 + bits)::text, ',' order by bits)
                   from generate_series(1, (select bits from most)) as bits where bits & c.bit > 0)::pg_snapshot
    from consumer c where c.consumer = f.consumer;

-- event-feed.rebase-organizations (server/tenancy/events/feed-restore.ts)
update organizations set event_tick = 0 where event_tick <> 0;

-- event-followers.add (server/tenancy/events/feed-statements.ts)
insert into event_followers (consumer, api_key_id, seen) values ($1, $2, (
  select case when own is null or own >= pg_snapshot_xmax(now) then now
              else (pg_snapshot_xmin(now)::text || ':' || pg_snapshot_xmax(now)::text || ':'
                     || (select string_agg(xid::text, ',' order by xid)
                           from (select pg_snapshot_xip(now) union all select own) as running (xid)))::pg_snapshot end
    from (select pg_current_snapshot() as now, pg_current_xact_id_if_assigned() as own) clock)) on conflict do nothing;

-- event-followers.claim (server/tenancy/events/feed-statements.ts)
with clock as materialized (select (
  select case when own is null or own >= pg_snapshot_xmax(now) then now
              else (pg_snapshot_xmin(now)::text || ':' || pg_snapshot_xmax(now)::text || ':'
                     || (select string_agg(xid::text, ',' order by xid)
                           from (select pg_snapshot_xip(now) union all select own) as running (xid)))::pg_snapshot end
    from (select pg_current_snapshot() as now, pg_current_xact_id_if_assigned() as own) clock) as now),
  claimed as materialized (
    select f.api_key_id
      from event_followers f cross join clock
     cross join lateral (select 
  coalesce((select min(xid) from pg_snapshot_xip(f.seen) as xid where pg_visible_in_snapshot(xid, clock.now)),
           pg_snapshot_xmax(f.seen))::text::bigint as tick offset 0) first
     where f.consumer = $1 and (f.until is not null or exists (select from events e where e.api_key_id = f.api_key_id and e.tick >= first.tick)) and f.api_key_id > $2 and f.api_key_id <> all($4::text[])
     order by f.api_key_id limit $3::int
       for no key update of f skip locked
  )
  select c.api_key_id as "apiKeyId"
    from claimed c
   cross join lateral (select from api_keys k where k.api_key_id = c.api_key_id for key share skip locked) k
   order by c.api_key_id;

-- event-followers.count-behind (server/tenancy/events/feed-statements.ts)
with clock as materialized (select (
  select case when own is null or own >= pg_snapshot_xmax(now) then now
              else (pg_snapshot_xmin(now)::text || ':' || pg_snapshot_xmax(now)::text || ':'
                     || (select string_agg(xid::text, ',' order by xid)
                           from (select pg_snapshot_xip(now) union all select own) as running (xid)))::pg_snapshot end
    from (select pg_current_snapshot() as now, pg_current_xact_id_if_assigned() as own) clock) as now)
  select c.consumer, count(news.changed_at)::int as count,
         coalesce(extract(epoch from max(clock_timestamp() - news.changed_at)), 0)::float8 as "oldestSeconds"
    from (values ('webhooks'), ('mail')) c (consumer)
    left join lateral (
      select first.changed_at
        from event_followers f cross join clock
       cross join lateral (
         select f.api_key_id, f.seen, coalesce(f.until, clock.now) as until,
                coalesce(f.tick, 
  coalesce((select min(xid) from pg_snapshot_xip(f.seen) as xid where pg_visible_in_snapshot(xid, clock.now)),
           pg_snapshot_xmax(f.seen))::text::bigint) as tick, coalesce(f.stream, '00000000-0000-0000-0000-000000000000') as stream,
                coalesce(f.sequence, 0) as sequence offset 0
       ) place
       cross join lateral (
         select e.changed_at from (select e.* from events e where e.api_key_id = place.api_key_id and (e.tick, e.stream, e.sequence) > (place.tick, place.stream, place.sequence) order by e.tick, e.stream, e.sequence limit 100) e
          where pg_visible_in_snapshot(e.written_by, place.until) and not pg_visible_in_snapshot(e.written_by, place.seen) order by e.tick, e.stream, e.sequence limit 1
       ) first
       where f.consumer = c.consumer
    ) news on true
   group by c.consumer;

-- event-followers.delete (server/tenancy/events/feed-statements.ts)
delete from event_followers where consumer = $1 and api_key_id = $2;

-- event-followers.find-behind (server/tenancy/events/feed-statements.ts)
with clock as materialized (select (
  select case when own is null or own >= pg_snapshot_xmax(now) then now
              else (pg_snapshot_xmin(now)::text || ':' || pg_snapshot_xmax(now)::text || ':'
                     || (select string_agg(xid::text, ',' order by xid)
                           from (select pg_snapshot_xip(now) union all select own) as running (xid)))::pg_snapshot end
    from (select pg_current_snapshot() as now, pg_current_xact_id_if_assigned() as own) clock) as now)
  select from event_followers f cross join clock
     cross join lateral (select 
  coalesce((select min(xid) from pg_snapshot_xip(f.seen) as xid where pg_visible_in_snapshot(xid, clock.now)),
           pg_snapshot_xmax(f.seen))::text::bigint as tick offset 0) first
     where f.consumer = $1 and (f.until is not null or exists (select from events e where e.api_key_id = f.api_key_id and e.tick >= first.tick)) limit 1;

-- event-followers.read (server/tenancy/events/feed-statements.ts)
with clock as materialized (select (
  select case when own is null or own >= pg_snapshot_xmax(now) then now
              else (pg_snapshot_xmin(now)::text || ':' || pg_snapshot_xmax(now)::text || ':'
                     || (select string_agg(xid::text, ',' order by xid)
                           from (select pg_snapshot_xip(now) union all select own) as running (xid)))::pg_snapshot end
    from (select pg_current_snapshot() as now, pg_current_xact_id_if_assigned() as own) clock) as now),
  claimed as materialized (
    select f.*, coalesce(f.until, clock.now) as now
      from unnest($2::text[]) as named (api_key_id)
     cross join clock
     cross join lateral (
       select * from event_followers f where f.consumer = $1 and f.api_key_id = named.api_key_id limit 1
     ) f
  ),
  follower as materialized (
    select api_key_id, seen, now as until, coalesce(tick, 
  coalesce((select min(xid) from pg_snapshot_xip(seen) as xid where pg_visible_in_snapshot(xid, now)),
           pg_snapshot_xmax(seen))::text::bigint) as tick,
           coalesce(stream, '00000000-0000-0000-0000-000000000000') as stream, coalesce(sequence, 0) as sequence
      from claimed
  ),
  found as materialized (
    select e.*
      from follower f
     cross join lateral (
       select * from (select e.* from events e where e.api_key_id = f.api_key_id and (e.tick, e.stream, e.sequence) > (f.tick, f.stream, f.sequence) order by e.tick, e.stream, e.sequence limit $4::int) e
        where pg_visible_in_snapshot(e.written_by, f.until) and not pg_visible_in_snapshot(e.written_by, f.seen) order by e.tick, e.stream, e.sequence limit $3::int
     ) e
  )
  select f.api_key_id as follower, f.until::text, edge.tick as "edgeTick", edge.stream as "edgeStream", edge.sequence as "edgeSequence", 
  e.tick, e.stream, e.sequence, e.type, e.api_key_id as "apiKeyId", e.organization_id as "organizationId",
  e.resource_kind as "resourceKind", e.resource_id as "resourceId", e.user_id as "userId", e.actor, e.before, e.after,
  e.changed_at as "changedAt"
    from follower f
    left join lateral (
      select e.tick, e.stream, e.sequence from events e
       where e.api_key_id = f.api_key_id and (e.tick, e.stream, e.sequence) > (f.tick, f.stream, f.sequence) and (select count(*) from found where found.api_key_id = f.api_key_id) < $3::int
       order by e.tick, e.stream, e.sequence offset $4::int - 1 limit 1
    ) edge on true
    left join found e on e.api_key_id = f.api_key_id
   order by f.api_key_id, e.tick, e.stream, e.sequence;

-- event-followers.set (server/tenancy/events/feed-statements.ts)
update event_followers f
     set seen = case when item.tick is null then item.until::pg_snapshot else f.seen end,
         until = case when item.tick is null then null else item.until::pg_snapshot end,
         tick = item.tick, stream = item.stream, sequence = item.sequence
    from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::uuid[], $6::bigint[]) with ordinality as item(consumer, api_key_id, until, tick, stream, sequence, ord)
   where f.consumer = item.consumer and f.api_key_id = item.api_key_id;

-- events.find-numbers (server/features/events/statements.ts)
with recursive ends as materialized (
    select least.position as least, greatest.position as greatest
      from (select e.sequence as position from events e where e.stream = $1 order by e.sequence limit 1) least,
           (select e.sequence as position from events e where e.stream = $1 order by e.sequence desc limit 1) greatest
  ),
  
  earlier (low, high, found) as (
    select least, greatest + 1, null::bigint from ends
    union all
    select case when e.holds then e.position + 1 else s.low end, case when e.holds then s.high else s.low + (s.high - s.low) / 2 end, case when e.holds then e.position end
      from earlier s
     cross join lateral (
       select e.sequence as position, e.changed_at < $2::timestamptz - interval '6 hours' as holds from events e
        where e.stream = $1 and e.sequence >= s.low + (s.high - s.low) / 2 order by e.sequence limit 1
     ) e
     where s.low < s.high
  ),
  
  later (low, high, found) as (
    select least, greatest + 1, null::bigint from ends
    union all
    select case when e.holds then s.low else e.position + 1 end, case when e.holds then s.low + (s.high - s.low) / 2 else s.high end, case when e.holds then e.position end
      from later s
     cross join lateral (
       select e.sequence as position, e.changed_at > $3::timestamptz + interval '6 hours' as holds from events e
        where e.stream = $1 and e.sequence >= s.low + (s.high - s.low) / 2 order by e.sequence limit 1
     ) e
     where s.low < s.high
  )
  select (select max(found) from earlier) as least, (select min(found) from later) as greatest;

-- events.find-ticks (server/features/events/statements.ts)
with recursive ends as materialized (
    select least.position as least, greatest.position as greatest
      from (select e.tick as position from events e where e.api_key_id = $1 order by e.tick limit 1) least,
           (select e.tick as position from events e where e.api_key_id = $1 order by e.tick desc limit 1) greatest
  ),
  
  earlier (low, high, found) as (
    select least, greatest + 1, null::bigint from ends
    union all
    select case when e.holds then e.position + 1 else s.low end, case when e.holds then s.high else s.low + (s.high - s.low) / 2 end, case when e.holds then e.position end
      from earlier s
     cross join lateral (
       select e.tick as position, e.changed_at < $2::timestamptz - interval '6 hours' as holds from events e
        where e.api_key_id = $1 and e.tick >= s.low + (s.high - s.low) / 2 order by e.tick limit 1
     ) e
     where s.low < s.high
  ),
  
  later (low, high, found) as (
    select least, greatest + 1, null::bigint from ends
    union all
    select case when e.holds then s.low else e.position + 1 end, case when e.holds then s.low + (s.high - s.low) / 2 else s.high end, case when e.holds then e.position end
      from later s
     cross join lateral (
       select e.tick as position, e.changed_at > $3::timestamptz + interval '6 hours' as holds from events e
        where e.api_key_id = $1 and e.tick >= s.low + (s.high - s.low) / 2 order by e.tick limit 1
     ) e
     where s.low < s.high
  )
  select (select max(found) from earlier) as least, (select min(found) from later) as greatest;

-- events.list-newest (server/features/events/statements.ts)
with cursor as materialized (
    select $12::text as api_key_id, coalesce($13::pg_snapshot, (
  select case when own is null or own >= pg_snapshot_xmax(now) then now
              else (pg_snapshot_xmin(now)::text || ':' || pg_snapshot_xmax(now)::text || ':'
                     || (select string_agg(xid::text, ',' order by xid)
                           from (select pg_snapshot_xip(now) union all select own) as running (xid)))::pg_snapshot end
    from (select pg_current_snapshot() as now, pg_current_xact_id_if_assigned() as own) clock)) as until, $14::bigint as tick,
           $15::uuid as stream, $16::bigint as sequence
  ),
  
  page as materialized (
    select e.*
      from cursor c
     cross join lateral (
  select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.before is null then 0
                  when pg_column_compression(p.before) is null and pg_column_size(p.before) < 500
                    then pg_column_size(p.before)
                  else octet_length(p.before::text) end + 
             case when p.after is null then 0
                  when pg_column_compression(p.after) is null and pg_column_size(p.after) < 500
                    then pg_column_size(p.after)
                  else octet_length(p.after::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
       select * from (select e.* from events e where e.api_key_id = c.api_key_id and (e.tick, e.stream, e.sequence) < (c.tick, c.stream, c.sequence) and e.tick >= $17::bigint and true order by e.tick desc, e.stream desc, e.sequence desc limit $10::int) e
        where pg_visible_in_snapshot(e.written_by, c.until) and 
  ($1::text[] is null or e.type = any($1::text[]))
  and ($2::text is null or e.user_id = $2::text)
  and ($3::resource_kind is null or e.resource_kind = $3::resource_kind and e.resource_id = $4::text
       or $3::resource_kind = 'organization' and e.type like 'organization.%')
  and ($5::jsonb is null or e.actor @> $5::jsonb)
  and ($6::boolean is null or (e.actor ->> 'system' is not null) = $6::boolean)
  and ($7::timestamptz is null or e.changed_at >= $7::timestamptz)
  and ($8::timestamptz is null or e.changed_at < $8::timestamptz)
  and ($9::text is null or e.api_key_id = $9::text) order by e.tick desc, e.stream desc, e.sequence desc limit $11::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152) e
  ),
  cut as materialized (
    select e.tick, e.stream, e.sequence from page e where (select bool_and("hasNext") from page)
     order by e.tick desc, e.stream desc, e.sequence desc offset greatest((select count(*) from page) - 1, 0) limit 1
  ),
  edge as materialized (
    select * from cut
    union all
    select e.*
      from cursor c
     cross join lateral (
       select e.tick, e.stream, e.sequence from events e
        where e.api_key_id = c.api_key_id and (e.tick, e.stream, e.sequence) < (c.tick, c.stream, c.sequence) and e.tick >= $17::bigint and true and (select count(*) from page) < $11::int and not exists (select from cut) order by e.tick desc, e.stream desc, e.sequence desc offset $10::int - 1 limit 1
     ) e
  )
  select c.until::text, pg_snapshot_xmax(c.until) > pg_snapshot_xmax(pg_current_snapshot()) as "isAhead", edge.tick as "edgeTick", edge.stream as "edgeStream", edge.sequence as "edgeSequence", 
  e.tick, e.stream, e.sequence, e.type, e.api_key_id as "apiKeyId", e.organization_id as "organizationId",
  e.resource_kind as "resourceKind", e.resource_id as "resourceId", e.user_id as "userId", e.actor, e.before, e.after,
  e.changed_at as "changedAt"
    from cursor c left join edge on true left join page e on true order by e.tick desc, e.stream desc, e.sequence desc;

-- events.list-newest-of-key-user (server/features/events/statements.ts)
with cursor as materialized (
    select $12::text as api_key_id, coalesce($13::pg_snapshot, (
  select case when own is null or own >= pg_snapshot_xmax(now) then now
              else (pg_snapshot_xmin(now)::text || ':' || pg_snapshot_xmax(now)::text || ':'
                     || (select string_agg(xid::text, ',' order by xid)
                           from (select pg_snapshot_xip(now) union all select own) as running (xid)))::pg_snapshot end
    from (select pg_current_snapshot() as now, pg_current_xact_id_if_assigned() as own) clock)) as until, $14::bigint as tick,
           $15::uuid as stream, $16::bigint as sequence
  ),
  
  page as materialized (
    select e.*
      from cursor c
     cross join lateral (
  select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.before is null then 0
                  when pg_column_compression(p.before) is null and pg_column_size(p.before) < 500
                    then pg_column_size(p.before)
                  else octet_length(p.before::text) end + 
             case when p.after is null then 0
                  when pg_column_compression(p.after) is null and pg_column_size(p.after) < 500
                    then pg_column_size(p.after)
                  else octet_length(p.after::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
       select * from (select e.* from events e where e.api_key_id = c.api_key_id and (e.tick, e.stream, e.sequence) < (c.tick, c.stream, c.sequence) and e.tick >= $17::bigint and e.user_id = $2::text order by e.tick desc, e.stream desc, e.sequence desc limit $10::int) e
        where pg_visible_in_snapshot(e.written_by, c.until) and 
  ($1::text[] is null or e.type = any($1::text[]))
  and ($2::text is null or e.user_id = $2::text)
  and ($3::resource_kind is null or e.resource_kind = $3::resource_kind and e.resource_id = $4::text
       or $3::resource_kind = 'organization' and e.type like 'organization.%')
  and ($5::jsonb is null or e.actor @> $5::jsonb)
  and ($6::boolean is null or (e.actor ->> 'system' is not null) = $6::boolean)
  and ($7::timestamptz is null or e.changed_at >= $7::timestamptz)
  and ($8::timestamptz is null or e.changed_at < $8::timestamptz)
  and ($9::text is null or e.api_key_id = $9::text) order by e.tick desc, e.stream desc, e.sequence desc limit $11::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152) e
  ),
  cut as materialized (
    select e.tick, e.stream, e.sequence from page e where (select bool_and("hasNext") from page)
     order by e.tick desc, e.stream desc, e.sequence desc offset greatest((select count(*) from page) - 1, 0) limit 1
  ),
  edge as materialized (
    select * from cut
    union all
    select e.*
      from cursor c
     cross join lateral (
       select e.tick, e.stream, e.sequence from events e
        where e.api_key_id = c.api_key_id and (e.tick, e.stream, e.sequence) < (c.tick, c.stream, c.sequence) and e.tick >= $17::bigint and e.user_id = $2::text and (select count(*) from page) < $11::int and not exists (select from cut) order by e.tick desc, e.stream desc, e.sequence desc offset $10::int - 1 limit 1
     ) e
  )
  select c.until::text, pg_snapshot_xmax(c.until) > pg_snapshot_xmax(pg_current_snapshot()) as "isAhead", edge.tick as "edgeTick", edge.stream as "edgeStream", edge.sequence as "edgeSequence", 
  e.tick, e.stream, e.sequence, e.type, e.api_key_id as "apiKeyId", e.organization_id as "organizationId",
  e.resource_kind as "resourceKind", e.resource_id as "resourceId", e.user_id as "userId", e.actor, e.before, e.after,
  e.changed_at as "changedAt"
    from cursor c left join edge on true left join page e on true order by e.tick desc, e.stream desc, e.sequence desc;

-- events.list-newest-of-resource (server/features/events/statements.ts)
with cursor as materialized (
    select $12::uuid as stream,
           (select e.sequence from events e where e.stream = $12::uuid order by e.sequence desc limit 1) as greatest
  ),
  
  page as materialized (
    select e.*
      from cursor c
     cross join lateral (
  select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.before is null then 0
                  when pg_column_compression(p.before) is null and pg_column_size(p.before) < 500
                    then pg_column_size(p.before)
                  else octet_length(p.before::text) end + 
             case when p.after is null then 0
                  when pg_column_compression(p.after) is null and pg_column_size(p.after) < 500
                    then pg_column_size(p.after)
                  else octet_length(p.after::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
       select * from (select e.* from events e where e.stream = c.stream and e.sequence > $13::bigint and e.sequence < $14::bigint and e.resource_kind = $3::resource_kind and e.resource_id = $4::text order by e.sequence desc limit $10::int) e
        where true and 
  ($1::text[] is null or e.type = any($1::text[]))
  and ($2::text is null or e.user_id = $2::text)
  and ($3::resource_kind is null or e.resource_kind = $3::resource_kind and e.resource_id = $4::text
       or $3::resource_kind = 'organization' and e.type like 'organization.%')
  and ($5::jsonb is null or e.actor @> $5::jsonb)
  and ($6::boolean is null or (e.actor ->> 'system' is not null) = $6::boolean)
  and ($7::timestamptz is null or e.changed_at >= $7::timestamptz)
  and ($8::timestamptz is null or e.changed_at < $8::timestamptz)
  and ($9::text is null or e.api_key_id = $9::text) order by e.sequence desc limit $11::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152) e
  ),
  cut as materialized (
    select e.tick, e.stream, e.sequence from page e where (select bool_and("hasNext") from page)
     order by e.sequence desc offset greatest((select count(*) from page) - 1, 0) limit 1
  ),
  edge as materialized (
    select * from cut
    union all
    select e.*
      from cursor c
     cross join lateral (
       select e.tick, e.stream, e.sequence from events e
        where e.stream = c.stream and e.sequence > $13::bigint and e.sequence < $14::bigint and e.resource_kind = $3::resource_kind and e.resource_id = $4::text and (select count(*) from page) < $11::int and not exists (select from cut) order by e.sequence desc offset $10::int - 1 limit 1
     ) e
  )
  select c.greatest, edge.tick as "edgeTick", edge.stream as "edgeStream", edge.sequence as "edgeSequence", 
  e.tick, e.stream, e.sequence, e.type, e.api_key_id as "apiKeyId", e.organization_id as "organizationId",
  e.resource_kind as "resourceKind", e.resource_id as "resourceId", e.user_id as "userId", e.actor, e.before, e.after,
  e.changed_at as "changedAt" from cursor c left join edge on true left join page e on true order by e.sequence desc;

-- events.list-newest-of-stream (server/features/events/statements.ts)
with cursor as materialized (
    select $12::uuid as stream,
           (select e.sequence from events e where e.stream = $12::uuid order by e.sequence desc limit 1) as greatest
  ),
  
  page as materialized (
    select e.*
      from cursor c
     cross join lateral (
  select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.before is null then 0
                  when pg_column_compression(p.before) is null and pg_column_size(p.before) < 500
                    then pg_column_size(p.before)
                  else octet_length(p.before::text) end + 
             case when p.after is null then 0
                  when pg_column_compression(p.after) is null and pg_column_size(p.after) < 500
                    then pg_column_size(p.after)
                  else octet_length(p.after::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
       select * from (select e.* from events e where e.stream = c.stream and e.sequence > $13::bigint and e.sequence < $14::bigint and true order by e.sequence desc limit $10::int) e
        where true and 
  ($1::text[] is null or e.type = any($1::text[]))
  and ($2::text is null or e.user_id = $2::text)
  and ($3::resource_kind is null or e.resource_kind = $3::resource_kind and e.resource_id = $4::text
       or $3::resource_kind = 'organization' and e.type like 'organization.%')
  and ($5::jsonb is null or e.actor @> $5::jsonb)
  and ($6::boolean is null or (e.actor ->> 'system' is not null) = $6::boolean)
  and ($7::timestamptz is null or e.changed_at >= $7::timestamptz)
  and ($8::timestamptz is null or e.changed_at < $8::timestamptz)
  and ($9::text is null or e.api_key_id = $9::text) order by e.sequence desc limit $11::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152) e
  ),
  cut as materialized (
    select e.tick, e.stream, e.sequence from page e where (select bool_and("hasNext") from page)
     order by e.sequence desc offset greatest((select count(*) from page) - 1, 0) limit 1
  ),
  edge as materialized (
    select * from cut
    union all
    select e.*
      from cursor c
     cross join lateral (
       select e.tick, e.stream, e.sequence from events e
        where e.stream = c.stream and e.sequence > $13::bigint and e.sequence < $14::bigint and true and (select count(*) from page) < $11::int and not exists (select from cut) order by e.sequence desc offset $10::int - 1 limit 1
     ) e
  )
  select c.greatest, edge.tick as "edgeTick", edge.stream as "edgeStream", edge.sequence as "edgeSequence", 
  e.tick, e.stream, e.sequence, e.type, e.api_key_id as "apiKeyId", e.organization_id as "organizationId",
  e.resource_kind as "resourceKind", e.resource_id as "resourceId", e.user_id as "userId", e.actor, e.before, e.after,
  e.changed_at as "changedAt" from cursor c left join edge on true left join page e on true order by e.sequence desc;

-- events.list-newest-of-user (server/features/events/statements.ts)
with cursor as materialized (
    select $12::uuid as stream,
           (select e.sequence from events e where e.stream = $12::uuid order by e.sequence desc limit 1) as greatest
  ),
  
  page as materialized (
    select e.*
      from cursor c
     cross join lateral (
  select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.before is null then 0
                  when pg_column_compression(p.before) is null and pg_column_size(p.before) < 500
                    then pg_column_size(p.before)
                  else octet_length(p.before::text) end + 
             case when p.after is null then 0
                  when pg_column_compression(p.after) is null and pg_column_size(p.after) < 500
                    then pg_column_size(p.after)
                  else octet_length(p.after::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
       select * from (select e.* from events e where e.stream = c.stream and e.sequence > $13::bigint and e.sequence < $14::bigint and e.user_id = $2::text order by e.sequence desc limit $10::int) e
        where true and 
  ($1::text[] is null or e.type = any($1::text[]))
  and ($2::text is null or e.user_id = $2::text)
  and ($3::resource_kind is null or e.resource_kind = $3::resource_kind and e.resource_id = $4::text
       or $3::resource_kind = 'organization' and e.type like 'organization.%')
  and ($5::jsonb is null or e.actor @> $5::jsonb)
  and ($6::boolean is null or (e.actor ->> 'system' is not null) = $6::boolean)
  and ($7::timestamptz is null or e.changed_at >= $7::timestamptz)
  and ($8::timestamptz is null or e.changed_at < $8::timestamptz)
  and ($9::text is null or e.api_key_id = $9::text) order by e.sequence desc limit $11::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152) e
  ),
  cut as materialized (
    select e.tick, e.stream, e.sequence from page e where (select bool_and("hasNext") from page)
     order by e.sequence desc offset greatest((select count(*) from page) - 1, 0) limit 1
  ),
  edge as materialized (
    select * from cut
    union all
    select e.*
      from cursor c
     cross join lateral (
       select e.tick, e.stream, e.sequence from events e
        where e.stream = c.stream and e.sequence > $13::bigint and e.sequence < $14::bigint and e.user_id = $2::text and (select count(*) from page) < $11::int and not exists (select from cut) order by e.sequence desc offset $10::int - 1 limit 1
     ) e
  )
  select c.greatest, edge.tick as "edgeTick", edge.stream as "edgeStream", edge.sequence as "edgeSequence", 
  e.tick, e.stream, e.sequence, e.type, e.api_key_id as "apiKeyId", e.organization_id as "organizationId",
  e.resource_kind as "resourceKind", e.resource_id as "resourceId", e.user_id as "userId", e.actor, e.before, e.after,
  e.changed_at as "changedAt" from cursor c left join edge on true left join page e on true order by e.sequence desc;

-- events.list-oldest (server/features/events/statements.ts)
with given as materialized (
    select $13::pg_snapshot as seen, coalesce($14::pg_snapshot, (
  select case when own is null or own >= pg_snapshot_xmax(now) then now
              else (pg_snapshot_xmin(now)::text || ':' || pg_snapshot_xmax(now)::text || ':'
                     || (select string_agg(xid::text, ',' order by xid)
                           from (select pg_snapshot_xip(now) union all select own) as running (xid)))::pg_snapshot end
    from (select pg_current_snapshot() as now, pg_current_xact_id_if_assigned() as own) clock)) as until
  ),
  cursor as materialized (
    select $12::text as api_key_id, seen, until, coalesce($15::bigint, 
  coalesce((select min(xid) from pg_snapshot_xip(seen) as xid where pg_visible_in_snapshot(xid, until)),
           pg_snapshot_xmax(seen))::text::bigint) as tick,
           coalesce($16::uuid, '00000000-0000-0000-0000-000000000000') as stream, coalesce($17::bigint, 0) as sequence
      from given
  ),
  
  page as materialized (
    select e.*
      from cursor c
     cross join lateral (
  select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.before is null then 0
                  when pg_column_compression(p.before) is null and pg_column_size(p.before) < 500
                    then pg_column_size(p.before)
                  else octet_length(p.before::text) end + 
             case when p.after is null then 0
                  when pg_column_compression(p.after) is null and pg_column_size(p.after) < 500
                    then pg_column_size(p.after)
                  else octet_length(p.after::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
       select * from (select e.* from events e where e.api_key_id = c.api_key_id and (e.tick, e.stream, e.sequence) > (c.tick, c.stream, c.sequence) and e.tick <= $18::bigint and true order by e.tick, e.stream, e.sequence limit $10::int) e
        where pg_visible_in_snapshot(e.written_by, c.until) and not pg_visible_in_snapshot(e.written_by, c.seen) and 
  ($1::text[] is null or e.type = any($1::text[]))
  and ($2::text is null or e.user_id = $2::text)
  and ($3::resource_kind is null or e.resource_kind = $3::resource_kind and e.resource_id = $4::text
       or $3::resource_kind = 'organization' and e.type like 'organization.%')
  and ($5::jsonb is null or e.actor @> $5::jsonb)
  and ($6::boolean is null or (e.actor ->> 'system' is not null) = $6::boolean)
  and ($7::timestamptz is null or e.changed_at >= $7::timestamptz)
  and ($8::timestamptz is null or e.changed_at < $8::timestamptz)
  and ($9::text is null or e.api_key_id = $9::text) order by e.tick, e.stream, e.sequence limit $11::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152) e
  ),
  cut as materialized (
    select e.tick, e.stream, e.sequence from page e where (select bool_and("hasNext") from page)
     order by e.tick, e.stream, e.sequence offset greatest((select count(*) from page) - 1, 0) limit 1
  ),
  edge as materialized (
    select * from cut
    union all
    select e.*
      from cursor c
     cross join lateral (
       select e.tick, e.stream, e.sequence from events e
        where e.api_key_id = c.api_key_id and (e.tick, e.stream, e.sequence) > (c.tick, c.stream, c.sequence) and e.tick <= $18::bigint and true and (select count(*) from page) < $11::int and not exists (select from cut) order by e.tick, e.stream, e.sequence offset $10::int - 1 limit 1
     ) e
  )
  select c.until::text, pg_snapshot_xmax(c.seen) > pg_snapshot_xmax(pg_current_snapshot()) or pg_snapshot_xmax(c.until) > pg_snapshot_xmax(pg_current_snapshot()) as "isAhead", edge.tick as "edgeTick", edge.stream as "edgeStream", edge.sequence as "edgeSequence", 
  e.tick, e.stream, e.sequence, e.type, e.api_key_id as "apiKeyId", e.organization_id as "organizationId",
  e.resource_kind as "resourceKind", e.resource_id as "resourceId", e.user_id as "userId", e.actor, e.before, e.after,
  e.changed_at as "changedAt"
    from cursor c left join edge on true left join page e on true order by e.tick, e.stream, e.sequence;

-- events.list-oldest-of-key-user (server/features/events/statements.ts)
with given as materialized (
    select $13::pg_snapshot as seen, coalesce($14::pg_snapshot, (
  select case when own is null or own >= pg_snapshot_xmax(now) then now
              else (pg_snapshot_xmin(now)::text || ':' || pg_snapshot_xmax(now)::text || ':'
                     || (select string_agg(xid::text, ',' order by xid)
                           from (select pg_snapshot_xip(now) union all select own) as running (xid)))::pg_snapshot end
    from (select pg_current_snapshot() as now, pg_current_xact_id_if_assigned() as own) clock)) as until
  ),
  cursor as materialized (
    select $12::text as api_key_id, seen, until, coalesce($15::bigint, 
  coalesce((select min(xid) from pg_snapshot_xip(seen) as xid where pg_visible_in_snapshot(xid, until)),
           pg_snapshot_xmax(seen))::text::bigint) as tick,
           coalesce($16::uuid, '00000000-0000-0000-0000-000000000000') as stream, coalesce($17::bigint, 0) as sequence
      from given
  ),
  
  page as materialized (
    select e.*
      from cursor c
     cross join lateral (
  select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.before is null then 0
                  when pg_column_compression(p.before) is null and pg_column_size(p.before) < 500
                    then pg_column_size(p.before)
                  else octet_length(p.before::text) end + 
             case when p.after is null then 0
                  when pg_column_compression(p.after) is null and pg_column_size(p.after) < 500
                    then pg_column_size(p.after)
                  else octet_length(p.after::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
       select * from (select e.* from events e where e.api_key_id = c.api_key_id and (e.tick, e.stream, e.sequence) > (c.tick, c.stream, c.sequence) and e.tick <= $18::bigint and e.user_id = $2::text order by e.tick, e.stream, e.sequence limit $10::int) e
        where pg_visible_in_snapshot(e.written_by, c.until) and not pg_visible_in_snapshot(e.written_by, c.seen) and 
  ($1::text[] is null or e.type = any($1::text[]))
  and ($2::text is null or e.user_id = $2::text)
  and ($3::resource_kind is null or e.resource_kind = $3::resource_kind and e.resource_id = $4::text
       or $3::resource_kind = 'organization' and e.type like 'organization.%')
  and ($5::jsonb is null or e.actor @> $5::jsonb)
  and ($6::boolean is null or (e.actor ->> 'system' is not null) = $6::boolean)
  and ($7::timestamptz is null or e.changed_at >= $7::timestamptz)
  and ($8::timestamptz is null or e.changed_at < $8::timestamptz)
  and ($9::text is null or e.api_key_id = $9::text) order by e.tick, e.stream, e.sequence limit $11::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152) e
  ),
  cut as materialized (
    select e.tick, e.stream, e.sequence from page e where (select bool_and("hasNext") from page)
     order by e.tick, e.stream, e.sequence offset greatest((select count(*) from page) - 1, 0) limit 1
  ),
  edge as materialized (
    select * from cut
    union all
    select e.*
      from cursor c
     cross join lateral (
       select e.tick, e.stream, e.sequence from events e
        where e.api_key_id = c.api_key_id and (e.tick, e.stream, e.sequence) > (c.tick, c.stream, c.sequence) and e.tick <= $18::bigint and e.user_id = $2::text and (select count(*) from page) < $11::int and not exists (select from cut) order by e.tick, e.stream, e.sequence offset $10::int - 1 limit 1
     ) e
  )
  select c.until::text, pg_snapshot_xmax(c.seen) > pg_snapshot_xmax(pg_current_snapshot()) or pg_snapshot_xmax(c.until) > pg_snapshot_xmax(pg_current_snapshot()) as "isAhead", edge.tick as "edgeTick", edge.stream as "edgeStream", edge.sequence as "edgeSequence", 
  e.tick, e.stream, e.sequence, e.type, e.api_key_id as "apiKeyId", e.organization_id as "organizationId",
  e.resource_kind as "resourceKind", e.resource_id as "resourceId", e.user_id as "userId", e.actor, e.before, e.after,
  e.changed_at as "changedAt"
    from cursor c left join edge on true left join page e on true order by e.tick, e.stream, e.sequence;

-- events.list-oldest-of-resource (server/features/events/statements.ts)
with cursor as materialized (
    select $12::uuid as stream,
           (select e.sequence from events e where e.stream = $12::uuid order by e.sequence desc limit 1) as greatest
  ),
  
  page as materialized (
    select e.*
      from cursor c
     cross join lateral (
  select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.before is null then 0
                  when pg_column_compression(p.before) is null and pg_column_size(p.before) < 500
                    then pg_column_size(p.before)
                  else octet_length(p.before::text) end + 
             case when p.after is null then 0
                  when pg_column_compression(p.after) is null and pg_column_size(p.after) < 500
                    then pg_column_size(p.after)
                  else octet_length(p.after::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
       select * from (select e.* from events e where e.stream = c.stream and e.sequence > $13::bigint and e.sequence < $14::bigint and e.resource_kind = $3::resource_kind and e.resource_id = $4::text order by e.sequence asc limit $10::int) e
        where true and 
  ($1::text[] is null or e.type = any($1::text[]))
  and ($2::text is null or e.user_id = $2::text)
  and ($3::resource_kind is null or e.resource_kind = $3::resource_kind and e.resource_id = $4::text
       or $3::resource_kind = 'organization' and e.type like 'organization.%')
  and ($5::jsonb is null or e.actor @> $5::jsonb)
  and ($6::boolean is null or (e.actor ->> 'system' is not null) = $6::boolean)
  and ($7::timestamptz is null or e.changed_at >= $7::timestamptz)
  and ($8::timestamptz is null or e.changed_at < $8::timestamptz)
  and ($9::text is null or e.api_key_id = $9::text) order by e.sequence asc limit $11::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152) e
  ),
  cut as materialized (
    select e.tick, e.stream, e.sequence from page e where (select bool_and("hasNext") from page)
     order by e.sequence asc offset greatest((select count(*) from page) - 1, 0) limit 1
  ),
  edge as materialized (
    select * from cut
    union all
    select e.*
      from cursor c
     cross join lateral (
       select e.tick, e.stream, e.sequence from events e
        where e.stream = c.stream and e.sequence > $13::bigint and e.sequence < $14::bigint and e.resource_kind = $3::resource_kind and e.resource_id = $4::text and (select count(*) from page) < $11::int and not exists (select from cut) order by e.sequence asc offset $10::int - 1 limit 1
     ) e
  )
  select c.greatest, edge.tick as "edgeTick", edge.stream as "edgeStream", edge.sequence as "edgeSequence", 
  e.tick, e.stream, e.sequence, e.type, e.api_key_id as "apiKeyId", e.organization_id as "organizationId",
  e.resource_kind as "resourceKind", e.resource_id as "resourceId", e.user_id as "userId", e.actor, e.before, e.after,
  e.changed_at as "changedAt" from cursor c left join edge on true left join page e on true order by e.sequence asc;

-- events.list-oldest-of-stream (server/features/events/statements.ts)
with cursor as materialized (
    select $12::uuid as stream,
           (select e.sequence from events e where e.stream = $12::uuid order by e.sequence desc limit 1) as greatest
  ),
  
  page as materialized (
    select e.*
      from cursor c
     cross join lateral (
  select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.before is null then 0
                  when pg_column_compression(p.before) is null and pg_column_size(p.before) < 500
                    then pg_column_size(p.before)
                  else octet_length(p.before::text) end + 
             case when p.after is null then 0
                  when pg_column_compression(p.after) is null and pg_column_size(p.after) < 500
                    then pg_column_size(p.after)
                  else octet_length(p.after::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
       select * from (select e.* from events e where e.stream = c.stream and e.sequence > $13::bigint and e.sequence < $14::bigint and true order by e.sequence asc limit $10::int) e
        where true and 
  ($1::text[] is null or e.type = any($1::text[]))
  and ($2::text is null or e.user_id = $2::text)
  and ($3::resource_kind is null or e.resource_kind = $3::resource_kind and e.resource_id = $4::text
       or $3::resource_kind = 'organization' and e.type like 'organization.%')
  and ($5::jsonb is null or e.actor @> $5::jsonb)
  and ($6::boolean is null or (e.actor ->> 'system' is not null) = $6::boolean)
  and ($7::timestamptz is null or e.changed_at >= $7::timestamptz)
  and ($8::timestamptz is null or e.changed_at < $8::timestamptz)
  and ($9::text is null or e.api_key_id = $9::text) order by e.sequence asc limit $11::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152) e
  ),
  cut as materialized (
    select e.tick, e.stream, e.sequence from page e where (select bool_and("hasNext") from page)
     order by e.sequence asc offset greatest((select count(*) from page) - 1, 0) limit 1
  ),
  edge as materialized (
    select * from cut
    union all
    select e.*
      from cursor c
     cross join lateral (
       select e.tick, e.stream, e.sequence from events e
        where e.stream = c.stream and e.sequence > $13::bigint and e.sequence < $14::bigint and true and (select count(*) from page) < $11::int and not exists (select from cut) order by e.sequence asc offset $10::int - 1 limit 1
     ) e
  )
  select c.greatest, edge.tick as "edgeTick", edge.stream as "edgeStream", edge.sequence as "edgeSequence", 
  e.tick, e.stream, e.sequence, e.type, e.api_key_id as "apiKeyId", e.organization_id as "organizationId",
  e.resource_kind as "resourceKind", e.resource_id as "resourceId", e.user_id as "userId", e.actor, e.before, e.after,
  e.changed_at as "changedAt" from cursor c left join edge on true left join page e on true order by e.sequence asc;

-- events.list-oldest-of-user (server/features/events/statements.ts)
with cursor as materialized (
    select $12::uuid as stream,
           (select e.sequence from events e where e.stream = $12::uuid order by e.sequence desc limit 1) as greatest
  ),
  
  page as materialized (
    select e.*
      from cursor c
     cross join lateral (
  select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.before is null then 0
                  when pg_column_compression(p.before) is null and pg_column_size(p.before) < 500
                    then pg_column_size(p.before)
                  else octet_length(p.before::text) end + 
             case when p.after is null then 0
                  when pg_column_compression(p.after) is null and pg_column_size(p.after) < 500
                    then pg_column_size(p.after)
                  else octet_length(p.after::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
       select * from (select e.* from events e where e.stream = c.stream and e.sequence > $13::bigint and e.sequence < $14::bigint and e.user_id = $2::text order by e.sequence asc limit $10::int) e
        where true and 
  ($1::text[] is null or e.type = any($1::text[]))
  and ($2::text is null or e.user_id = $2::text)
  and ($3::resource_kind is null or e.resource_kind = $3::resource_kind and e.resource_id = $4::text
       or $3::resource_kind = 'organization' and e.type like 'organization.%')
  and ($5::jsonb is null or e.actor @> $5::jsonb)
  and ($6::boolean is null or (e.actor ->> 'system' is not null) = $6::boolean)
  and ($7::timestamptz is null or e.changed_at >= $7::timestamptz)
  and ($8::timestamptz is null or e.changed_at < $8::timestamptz)
  and ($9::text is null or e.api_key_id = $9::text) order by e.sequence asc limit $11::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152) e
  ),
  cut as materialized (
    select e.tick, e.stream, e.sequence from page e where (select bool_and("hasNext") from page)
     order by e.sequence asc offset greatest((select count(*) from page) - 1, 0) limit 1
  ),
  edge as materialized (
    select * from cut
    union all
    select e.*
      from cursor c
     cross join lateral (
       select e.tick, e.stream, e.sequence from events e
        where e.stream = c.stream and e.sequence > $13::bigint and e.sequence < $14::bigint and e.user_id = $2::text and (select count(*) from page) < $11::int and not exists (select from cut) order by e.sequence asc offset $10::int - 1 limit 1
     ) e
  )
  select c.greatest, edge.tick as "edgeTick", edge.stream as "edgeStream", edge.sequence as "edgeSequence", 
  e.tick, e.stream, e.sequence, e.type, e.api_key_id as "apiKeyId", e.organization_id as "organizationId",
  e.resource_kind as "resourceKind", e.resource_id as "resourceId", e.user_id as "userId", e.actor, e.before, e.after,
  e.changed_at as "changedAt" from cursor c left join edge on true left join page e on true order by e.sequence asc;

-- events.name (server/features/events/name-statements.ts)
select item.ord,
         coalesce(o.name, r.name, g.name, u.profile->>'name', k.name, p.name, w.url,
                  former_o.after->>'organizationName', former_o.before->>'organizationName', former_r.after->>'documentName', former_r.before->>'documentName', former_r.after->>'folderName', former_r.before->>'folderName',
                  former_g.after->>'groupName', former_g.before->>'groupName') as name,
         u.profile->>'email' as email
    from unnest($1::text[], $2::text[], $3::resource_kind[], $4::text[], $5::text[], $6::uuid[]) with ordinality as item(kind, id, resource_kind, workspace_id, api_key_id, organization_key, ord)
    left join lateral (
      select o.name, o.added_at is not null as is_there from organizations o
       where item.kind = 'organization' and o.organization_key = item.organization_key limit 1
    ) o on true
    left join lateral (
      select r.name, r.added_at is not null as is_there from resources r
       where r.organization_key = item.organization_key and r.kind = item.resource_kind and r.id = item.id limit 1
    ) r on true
    left join lateral (
      select g.name, true as is_there from user_groups g
       where item.kind = 'userGroup' and g.organization_key = item.organization_key and g.group_id = item.id limit 1
    ) g on true
    left join lateral (
      select u.profile from users u
       where item.kind = 'user' and u.api_key_id = item.api_key_id and u.user_id = item.id limit 1
    ) u on true
    left join lateral (
      select k.name from api_keys k
       where item.kind = 'apiKey' and k.api_key_id = item.id and k.workspace_id = item.workspace_id limit 1
    ) k on true
    left join lateral (
      select p.name from operators p
       where item.kind = 'operator' and p.workspace_id = item.workspace_id and p.operator_id::text = item.id limit 1
    ) p on true
    left join lateral (
      select w.url from webhook_endpoints w
       where item.kind = 'webhookEndpoint' and w.api_key_id = item.api_key_id and w.endpoint_id = item.id limit 1
    ) w on true
    
    left join lateral (
      select e.before, e.after from events e where item.kind = 'organization' and o.is_there is not true and e.stream = item.organization_key 
       order by e.sequence desc limit 1
    ) former_o on true
    
    left join lateral (
      select e.before, e.after from events e where r.is_there is not true and e.stream = item.organization_key and e.resource_kind = item.resource_kind and e.resource_id = item.id
       order by e.sequence desc limit 1
    ) former_r on true
    
    left join lateral (
      select e.before, e.after from events e where item.kind = 'userGroup' and g.is_there is not true and e.stream = item.organization_key and e.resource_kind is null and e.resource_id = item.id
       order by e.sequence desc limit 1
    ) former_g on true;

-- events.next-key (server/features/events/retention-statements.ts)
select api_key_id as "apiKeyId" from events where api_key_id > $1 order by api_key_id limit 1;

-- events.record (server/tenancy/events/record.ts)
with event as materialized (select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::jsonb[], $8::jsonb[]) with ordinality as item(stream, type, workspace_id, api_key_id, user_id, actor, before, after, ord)),
  counted as (
    insert into event_streams as s (stream, event_count, event_tick)
    select stream, count(*), pg_current_xact_id()::text::bigint from event group by stream order by stream
    on conflict (stream) do update
       set event_count = s.event_count + excluded.event_count, event_tick = greatest(s.event_tick, excluded.event_tick)
    returning stream, event_count, event_tick
  )
  insert into events (stream, sequence, tick, type, workspace_id, api_key_id, user_id, actor, before, after)
  select e.stream, c.event_count - count(*) over (partition by e.stream) + row_number() over (partition by e.stream order by e.ord),
         c.event_tick, e.type, e.workspace_id, e.api_key_id, e.user_id, e.actor, e.before, e.after
    from event e join counted c on c.stream = e.stream
   order by e.stream, e.ord -- so that changed_at rises with sequence;

-- events.remove-old (server/features/events/retention-statements.ts)
with clock as materialized (select coalesce($6::timestamptz, clock_timestamp()) - make_interval(days => $2::int) as until),
  follower as materialized (select seen from event_followers where api_key_id = $1::text),
  batch as materialized (
    select e.ctid, e.tick, e.stream, e.sequence,
           e.changed_at < (select until from clock)
             and not exists (select from follower f where not pg_visible_in_snapshot(e.written_by, f.seen)) as is_due
      from events e
     where e.api_key_id = $1::text and (e.tick, e.stream, e.sequence) > ($3::bigint, $4::uuid, $5::bigint)
     order by e.api_key_id, e.tick, e.stream, e.sequence limit 1000 for update skip locked
  ),
  removed as (delete from events e using batch b where e.ctid = b.ctid and b.is_due returning 1)
  select (select count(*) from removed) as removed, last.tick::text, last.stream, last.sequence::text
    from (select) one
    left join (select tick, stream, sequence from batch order by tick desc, stream desc, sequence desc limit 1) last on true;

-- events.remove-old-of-none (server/features/events/retention-statements.ts)
with clock as materialized (select coalesce($6::timestamptz, clock_timestamp()) - make_interval(days => $2::int) as until),
  follower as materialized (select seen from event_followers where api_key_id = $1::text),
  batch as materialized (
    select e.ctid, e.tick, e.stream, e.sequence,
           e.changed_at < (select until from clock)
             and not exists (select from follower f where not pg_visible_in_snapshot(e.written_by, f.seen)) as is_due
      from events e
     where e.api_key_id is null and (e.tick, e.stream, e.sequence) > ($3::bigint, $4::uuid, $5::bigint)
     order by e.api_key_id, e.tick, e.stream, e.sequence limit 1000 for update skip locked
  ),
  removed as (delete from events e using batch b where e.ctid = b.ctid and b.is_due returning 1)
  select (select count(*) from removed) as removed, last.tick::text, last.stream, last.sequence::text
    from (select) one
    left join (select tick, stream, sequence from batch order by tick desc, stream desc, sequence desc limit 1) last on true;

-- folder-access.follow (server/features/resources/folders/access-statements.ts)
with top as materialized (
    select f.organization_key, f.path, cardinality(f.path) as depth,
           coalesce(boundary.depth, 1) as boundary_depth, coalesce(boundary.key, f.organization_key) as boundary_key,
           boundary.access_type as boundary_access_type
      from unnest($1::uuid[], $2::uuid[]) with ordinality as item(organization_key, resource_key, ord)
      join resources f on f.organization_key = item.organization_key and f.resource_key = item.resource_key
      left join lateral (
        select p.depth, p.key, above.own_access_type as access_type
          from unnest(f.path) with ordinality as p(key, depth)
         cross join lateral (
           select a.own_access_type from resources a
            where a.organization_key = f.organization_key and a.resource_key = p.key limit 1
         ) above
         where above.own_access_type is not null
         order by p.depth desc limit 1
      ) boundary on true
  ),
  nearest as (
    select distinct on (r.organization_key, r.resource_key) r.organization_key, r.resource_key, r.boundary_depth as old_depth,
           top.depth, top.boundary_depth, top.boundary_key, top.boundary_access_type
      from top join resources r on 
  r.organization_key = top.organization_key and r.path >= top.path
  and r.path < top.path || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
     order by r.organization_key, r.resource_key, top.depth desc
  )
  update resources r
     set boundary_depth = n.boundary_depth, boundary_key = n.boundary_key, boundary_access_type = n.boundary_access_type
    from nearest n
   where n.old_depth <= n.depth and r.organization_key = n.organization_key and r.resource_key = n.resource_key;

-- folder-access.set (server/features/resources/folders/access-statements.ts)
with named as materialized (
    select item.*, r.resource_key, r.own_access_type as old_access_type, r.own_access_type is distinct from item.access_type as changes
      from unnest($1::uuid[], $2::text[], $3::access_type[], $4::jsonb[]) with ordinality as item(organization_key, folder_id, access_type, actor, ord)
      join resources r on r.organization_key = item.organization_key and r.kind = 'folder' and r.id = item.folder_id
     where r.added_at is not null
  ),
  changed as (
    update resources r set own_access_type = n.access_type, updated_at = clock_timestamp() from named n
     where n.changes and r.organization_key = n.organization_key and r.resource_key = n.resource_key
  ),
  event as (
    select organization_key, ord as position, 'folder.access_changed' as type, 'folder'::resource_kind as resource_kind,
           folder_id as resource_id, null::text as user_id, actor,
           jsonb_build_object('accessType', old_access_type) as before, jsonb_build_object('accessType', access_type) as after
      from named where changes
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select folder_id as "folderId", resource_key as "resourceKey", changes as changed from named;

-- folders.add (server/features/resources/folders/statements.ts)
with named as materialized (
    select item.*, o.added_at is not null as organization_added,
           coalesce(r.resource_key, gen_random_uuid()) as resource_key,
           parent.resource_key as parent_key,
           coalesce(parent.path, array[item.organization_key]) as parent_path,
           coalesce(parent.boundary_depth, 1) as parent_boundary_depth,
           coalesce(parent.boundary_key, item.organization_key) as parent_boundary_key,
           parent.boundary_access_type as parent_boundary_access_type,
           case when o.added_at is null and not item.create_organization then 'organization_does_not_exist'
                when item.parent_id is not null and parent.resource_key is null then 'parent_does_not_exist'
                when r.added_at is not null then 'already_exists'
                when cardinality(parent.path) > item.folder_depth_max then 'too_deep'
                else 'ok' end as outcome
      from unnest($1::uuid[], $2::boolean[], $3::text[], $4::jsonb[], $5::text[], $6::access_type[], $7::int[], $8::jsonb[]) with ordinality as item(organization_key, create_organization, folder_id, fields, parent_id, access_type, folder_depth_max, actor, ord)
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key, r.added_at from resources r
         where r.organization_key = item.organization_key and r.kind = 'folder' and r.id = item.folder_id limit 1
      ) r on true
      left join lateral (
        select p.* from resources p
         where p.organization_key = item.organization_key and p.kind = 'folder' and p.id = item.parent_id
           and p.added_at is not null limit 1
      ) parent on true
  ),
  accepted as materialized (select *, parent_path || resource_key as path from named where outcome = 'ok'),
  opening as (select distinct organization_key from accepted where not organization_added),
  
  root as (
    insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
    select o.organization_key, o.organization_key, 'organization'::resource_kind, o.organization_id, clock_timestamp(),
           array[o.organization_key], 1, o.organization_key
      from organizations o
     where o.organization_key in (select organization_key from opening)
  ),
  written as (
    insert into resources (organization_key, resource_key, kind, id, name, metadata, folder_key, own_access_type, added_at,
                           path, boundary_depth, boundary_key, boundary_access_type)
    select organization_key, resource_key, 'folder', folder_id, fields->>'folderName', fields - 'folderName', parent_key, access_type,
           clock_timestamp(), path,
           case when access_type is null then parent_boundary_depth else cardinality(path) end,
           case when access_type is null then parent_boundary_key else resource_key end,
           coalesce(access_type, parent_boundary_access_type)
      from accepted order by organization_key, folder_id
    on conflict (organization_key, kind, id) do update
       set name = excluded.name, metadata = excluded.metadata, folder_key = excluded.folder_key, own_access_type = excluded.own_access_type,
           added_at = excluded.added_at, path = excluded.path, boundary_depth = excluded.boundary_depth,
           boundary_key = excluded.boundary_key, boundary_access_type = excluded.boundary_access_type
  ),
  event as (
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind,
           null as resource_id, null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from (select distinct on (organization_key) * from accepted where not organization_added order by organization_key, ord) first
    union all
    select organization_key, ord, 'folder.added', 'folder', folder_id, null, actor, null,
           fields || jsonb_build_object('parentFolderId', coalesce(parent_id, 'root'), 'accessType', access_type)
      from accepted
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select folder_id as "folderId", outcome from named order by ord;

-- folders.count-by-folder (server/features/resources/folders/emptying.ts)
with top as materialized (
    select organization_key, path from resources
     where organization_key = $1 and kind = 'folder' and id = $2 and added_at is not null
  ),
  folder as materialized (select r.organization_key, r.resource_key from resources r, top where 
  r.organization_key = top.organization_key and r.path >= top.path
  and r.path < top.path || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
  select folder.resource_key as "folderKey", count(*)::int as documents from folder cross join lateral (
      select d.id from resources d
       where d.organization_key = folder.organization_key and d.folder_key = folder.resource_key and d.kind = 'document' offset 0
    ) d group by folder.resource_key;

-- folders.delete (server/features/resources/folders/change-statements.ts)
with top as materialized (
    select r.organization_key, r.id, r.metadata || jsonb_build_object('folderName', r.name) as fields, r.path from resources r
     where r.organization_key = $1 and r.kind = 'folder' and r.id = $2
       and (r.added_at is not null or exists (select from grants g where g.organization_key = $1 and g.resource_key = r.resource_key))
  ),
  folder as materialized (select r.organization_key, r.resource_key, r.kind, r.ctid as row from resources r, top where 
  r.organization_key = top.organization_key and r.path >= top.path
  and r.path < top.path || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid),
  subtree as materialized (
    select * from folder
    union all
    select inside.* from folder
     cross join lateral (
       select r.organization_key, r.resource_key, r.kind, r.ctid as row from resources r
        where r.organization_key = folder.organization_key and r.folder_key = folder.resource_key and r.kind = 'document' offset 0
     ) inside
  ),
  deleted as (delete from resources r using subtree where r.ctid = subtree.row), -- the ctid cannot change under the lock
  counts as (
    select (select count(*) from subtree where kind = 'folder') as folders,
           (select count(*) from subtree where kind = 'document') + $4::int as documents,
           $5::int + (select sum((select count(*) from grants g where g.organization_key = $1 and g.resource_key = subtree.resource_key))::int
              from subtree) as permissions
  ),
  event as (
    select organization_key, 1 as position, 'folder.deleted' as type, 'folder'::resource_kind as resource_kind, id as resource_id,
           null::text as user_id, $3::jsonb as actor, fields || to_jsonb(counts) as before,
           null::jsonb as after
      from top, counts
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select counts.* from top, counts;

-- folders.delete-some (server/features/resources/folders/emptying.ts)
with batch as materialized (
    select resource_key, ctid as row, id from resources
     where organization_key = $1 and folder_key = any($2::uuid[]) and kind = 'document' and id > $4 order by id limit $3
  ),
  
  deleted_grants as (
    delete from grants g using batch where g.organization_key = $1 and g.resource_key = batch.resource_key returning g.principal
  ),
  deleted as (delete from resources r using batch where r.ctid = batch.row) -- the ctid cannot change under the lock
  select (select count(*) from batch)::int as documents, (select count(*) from deleted_grants)::int as permissions, (select max(id) from batch) as last;

-- folders.find (server/features/resources/folders/statements.ts)
select 
  r.id, jsonb_strip_nulls(r.metadata || jsonb_build_object('folderName', r.name)) as fields, r.boundary_access_type as "accessType", r.own_access_type is null as inherits,
  r.added_at as "createdAt", r.updated_at as "updatedAt",
  array(select (select above.id from resources above
                 where above.organization_key = r.organization_key and above.resource_key = p.key)
          from unnest(r.path[2:cardinality(r.path) - 1]) with ordinality as p(key, position)
         order by p.position) as ancestors
    from unnest($1::uuid[], $2::text[]) with ordinality as item(organization_key, folder_id, ord)
   cross join lateral (
      select r.* from resources r
       where r.organization_key = item.organization_key and r.kind = 'folder' and r.id = item.folder_id
         and r.added_at is not null limit 1
    ) r;

-- folders.find-key (server/features/resources/folders/statements.ts)
select resource_key as "folderKey" from resources
   where organization_key = $1 and kind = 'folder' and id = $2 and added_at is not null;

-- folders.get (server/features/resources/folders/statements.ts)
with top as materialized (
    select organization_key, path from resources
     where organization_key = $1 and kind = 'folder' and id = $2 and added_at is not null
  )
  select 
  r.id, jsonb_strip_nulls(r.metadata || jsonb_build_object('folderName', r.name)) as fields, r.boundary_access_type as "accessType", r.own_access_type is null as inherits,
  r.added_at as "createdAt", r.updated_at as "updatedAt",
  array(select (select above.id from resources above
                 where above.organization_key = r.organization_key and above.resource_key = p.key)
          from unnest(r.path[2:cardinality(r.path) - 1]) with ordinality as p(key, position)
         order by p.position) as ancestors
    from (select r.*, sum(cardinality(r.path) - 2) over before as ancestors_before from top
            join resources r on r.organization_key = top.organization_key and r.path >= top.path
             and r.path < top.path || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
             and cardinality(r.path) <= cardinality(top.path) + $3::int
          window before as (order by cardinality(r.path), r.id rows between unbounded preceding and 1 preceding)
           order by cardinality(r.path), r.id limit $4::int) r
   where coalesce(r.ancestors_before, 0) <= $5::int
   order by cardinality(r.path), r.id;

-- folders.is-large (server/features/resources/folders/emptying.ts)
with top as materialized (
    select organization_key, path from resources
     where organization_key = $1 and kind = 'folder' and id = $2 and added_at is not null
  ),
  folder as materialized (select r.organization_key, r.resource_key from resources r, top where 
  r.organization_key = top.organization_key and r.path >= top.path
  and r.path < top.path || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
  select count(*) > 10000 as "isLarge" from (select from folder cross join lateral (
      select d.id from resources d
       where d.organization_key = folder.organization_key and d.folder_key = folder.resource_key and d.kind = 'document' offset 0
    ) d limit 10000 + 1) counted;

-- folders.list (server/features/resources/folders/statements.ts)
select 
  r.id, jsonb_strip_nulls(r.metadata || jsonb_build_object('folderName', r.name)) as fields, r.boundary_access_type as "accessType", r.own_access_type is null as inherits,
  r.added_at as "createdAt", r.updated_at as "updatedAt",
  array(select (select above.id from resources above
                 where above.organization_key = r.organization_key and above.resource_key = p.key)
          from unnest(r.path[2:cardinality(r.path) - 1]) with ordinality as p(key, position)
         order by p.position) as ancestors from resources r
   where r.organization_key = $1 and r.kind = 'folder' and r.id > coalesce($2::text, '') and r.added_at is not null
   order by r.id limit $3::int;

-- folders.list-sub (server/features/resources/folders/statements.ts)
select 
  r.id, jsonb_strip_nulls(r.metadata || jsonb_build_object('folderName', r.name)) as fields, r.boundary_access_type as "accessType", r.own_access_type is null as inherits,
  r.added_at as "createdAt", r.updated_at as "updatedAt",
  array(select (select above.id from resources above
                 where above.organization_key = r.organization_key and above.resource_key = p.key)
          from unnest(r.path[2:cardinality(r.path) - 1]) with ordinality as p(key, position)
         order by p.position) as ancestors from resources r
   where r.organization_key = $1 and r.folder_key = $4::uuid and r.kind = 'folder' and r.id > coalesce($2::text, '')
     and r.added_at is not null
   order by r.folder_key, r.kind, r.id limit $3::int;

-- folders.list-sub by name (server/features/resources/folders/name-statements.ts)
select 
  r.id, jsonb_strip_nulls(r.metadata || jsonb_build_object('folderName', r.name)) as fields, r.boundary_access_type as "accessType", r.own_access_type is null as inherits,
  r.added_at as "createdAt", r.updated_at as "updatedAt",
  array(select (select above.id from resources above
                 where above.organization_key = r.organization_key and above.resource_key = p.key)
          from unnest(r.path[2:cardinality(r.path) - 1]) with ordinality as p(key, position)
         order by p.position) as ancestors, jsonb_build_array(name_order(r.name, r.id), r.id)::text as position from resources r
   where r.organization_key = $1 and r.folder_key = $4::uuid and r.kind = 'folder' and (name_order(r.name, r.id), r.id) > (coalesce($2::jsonb ->> 0, '') collate "C", coalesce($2::jsonb ->> 1, '') collate "C") and r.added_at is not null
   order by r.folder_key asc, r.kind asc, name_order(r.name, r.id) asc, r.id asc limit $3::int;

-- folders.list-sub by name desc (server/features/resources/folders/name-statements.ts)
select 
  r.id, jsonb_strip_nulls(r.metadata || jsonb_build_object('folderName', r.name)) as fields, r.boundary_access_type as "accessType", r.own_access_type is null as inherits,
  r.added_at as "createdAt", r.updated_at as "updatedAt",
  array(select (select above.id from resources above
                 where above.organization_key = r.organization_key and above.resource_key = p.key)
          from unnest(r.path[2:cardinality(r.path) - 1]) with ordinality as p(key, position)
         order by p.position) as ancestors, jsonb_build_array(name_order(r.name, r.id), r.id)::text as position from resources r
   where r.organization_key = $1 and r.folder_key = $4::uuid and r.kind = 'folder' and (name_order(r.name, r.id), r.id) < (coalesce($2::jsonb ->> 0, repeat(chr(1114111), 101)) collate "C", coalesce($2::jsonb ->> 1, repeat(chr(1114111), 101)) collate "C") and r.added_at is not null
   order by r.folder_key desc, r.kind desc, name_order(r.name, r.id) desc, r.id desc limit $3::int;

-- folders.list-top (server/features/resources/folders/statements.ts)
select 
  r.id, jsonb_strip_nulls(r.metadata || jsonb_build_object('folderName', r.name)) as fields, r.boundary_access_type as "accessType", r.own_access_type is null as inherits,
  r.added_at as "createdAt", r.updated_at as "updatedAt",
  array(select (select above.id from resources above
                 where above.organization_key = r.organization_key and above.resource_key = p.key)
          from unnest(r.path[2:cardinality(r.path) - 1]) with ordinality as p(key, position)
         order by p.position) as ancestors from resources r
   where r.organization_key = $1 and r.folder_key is null and r.kind = 'folder' and r.id > coalesce($2::text, '')
     and r.added_at is not null
   order by r.folder_key, r.kind, r.id limit $3::int;

-- folders.list-top by name (server/features/resources/folders/name-statements.ts)
select 
  r.id, jsonb_strip_nulls(r.metadata || jsonb_build_object('folderName', r.name)) as fields, r.boundary_access_type as "accessType", r.own_access_type is null as inherits,
  r.added_at as "createdAt", r.updated_at as "updatedAt",
  array(select (select above.id from resources above
                 where above.organization_key = r.organization_key and above.resource_key = p.key)
          from unnest(r.path[2:cardinality(r.path) - 1]) with ordinality as p(key, position)
         order by p.position) as ancestors, jsonb_build_array(name_order(r.name, r.id), r.id)::text as position from resources r
   where r.organization_key = $1 and r.folder_key is null and r.kind = 'folder' and (name_order(r.name, r.id), r.id) > (coalesce($2::jsonb ->> 0, '') collate "C", coalesce($2::jsonb ->> 1, '') collate "C") and r.added_at is not null
   order by r.folder_key asc, r.kind asc, name_order(r.name, r.id) asc, r.id asc limit $3::int;

-- folders.list-top by name desc (server/features/resources/folders/name-statements.ts)
select 
  r.id, jsonb_strip_nulls(r.metadata || jsonb_build_object('folderName', r.name)) as fields, r.boundary_access_type as "accessType", r.own_access_type is null as inherits,
  r.added_at as "createdAt", r.updated_at as "updatedAt",
  array(select (select above.id from resources above
                 where above.organization_key = r.organization_key and above.resource_key = p.key)
          from unnest(r.path[2:cardinality(r.path) - 1]) with ordinality as p(key, position)
         order by p.position) as ancestors, jsonb_build_array(name_order(r.name, r.id), r.id)::text as position from resources r
   where r.organization_key = $1 and r.folder_key is null and r.kind = 'folder' and (name_order(r.name, r.id), r.id) < (coalesce($2::jsonb ->> 0, repeat(chr(1114111), 101)) collate "C", coalesce($2::jsonb ->> 1, repeat(chr(1114111), 101)) collate "C") and r.added_at is not null
   order by r.folder_key desc, r.kind desc, name_order(r.name, r.id) desc, r.id desc limit $3::int;

-- folders.move (server/features/resources/folders/change-statements.ts)
with top as materialized (
    select r.organization_key, r.resource_key, r.id, r.path, r.folder_key, cardinality(r.path) as depth
      from resources r where r.organization_key = $1 and r.kind = 'folder' and r.id = $2 and r.added_at is not null
  ),
  target as materialized (
    select r.resource_key, r.path, cardinality(r.path) as depth, r.boundary_depth, r.boundary_key, r.boundary_access_type
      from resources r
     where $3::text is not null and r.organization_key = $1 and r.kind = 'folder' and r.id = $3 and r.added_at is not null
    union all
    select null, r.path, 1, r.boundary_depth, r.boundary_key, r.boundary_access_type
      from resources r where $3::text is null and r.organization_key = $1 and r.resource_key = $1
  ),
  judged as materialized (
    select case when top.path is null then 'folder_does_not_exist'
                when target.path is null then 'parent_does_not_exist'
                when target.path @> array[top.resource_key] then 'inside_itself'
                when target.depth - top.depth + (select max(cardinality(r.path)) from resources r where 
  r.organization_key = top.organization_key and r.path >= top.path
  and r.path < top.path || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid) > $4::int
                then 'too_deep'
                else 'ok' end as outcome
      from (values (1)) as one left join top on true left join target on true
  ),
  moved as (
    update resources r
       set path = target.path || r.path[top.depth:],
           folder_key = case when r.resource_key = top.resource_key then target.resource_key else r.folder_key end,
           boundary_depth = case when r.boundary_depth < top.depth then target.boundary_depth
                                 else r.boundary_depth + target.depth + 1 - top.depth end,
           boundary_key = case when r.boundary_depth < top.depth then target.boundary_key else r.boundary_key end,
           boundary_access_type = case when r.boundary_depth < top.depth then target.boundary_access_type
                                       else r.boundary_access_type end,
           updated_at = case when r.resource_key = top.resource_key then clock_timestamp() else r.updated_at end
      from top, target, judged
     where judged.outcome = 'ok' and top.folder_key is distinct from target.resource_key and 
  r.organization_key = top.organization_key and r.path >= top.path
  and r.path < top.path || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
    returning r.resource_key
  ),
  event as (
    select top.organization_key, 1 as position, 'folder.moved' as type, 'folder'::resource_kind as resource_kind,
           top.id as resource_id, null::text as user_id, $5::jsonb as actor,
           jsonb_build_object('parentFolderId', coalesce(parent.id, 'root')) as before,
           jsonb_build_object('parentFolderId', coalesce($3::text, 'root'), 'folders', (select count(*) from moved)) as after
      from top
      left join resources parent on parent.organization_key = top.organization_key and parent.resource_key = top.folder_key
     where exists (select from moved)
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select outcome from judged;

-- folders.update (server/features/resources/folders/change-statements.ts)
with named as materialized (
    select item.*, r.resource_key, r.metadata || jsonb_build_object('folderName', r.name) as old_fields, r.metadata || jsonb_build_object('folderName', r.name) || item.changes as fields
      from unnest($1::uuid[], $2::text[], $3::jsonb[], $4::jsonb[]) with ordinality as item(organization_key, folder_id, changes, actor, ord)
      join resources r on r.organization_key = item.organization_key and r.kind = 'folder' and r.id = item.folder_id
     where r.added_at is not null
  ),
  changed as (select * from named where jsonb_strip_nulls(fields) <> jsonb_strip_nulls(old_fields)),
  updated as (
    update resources r
       set name = fields->>'folderName', metadata = jsonb_strip_nulls(fields - 'folderName'), updated_at = clock_timestamp()
      from changed c
     where r.organization_key = c.organization_key and r.resource_key = c.resource_key
  ),
  event as (
    select organization_key, ord as position, 'folder.updated' as type, 'folder'::resource_kind as resource_kind,
           folder_id as resource_id, null::text as user_id, actor, old_fields as before, fields as after
      from changed
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select folder_id as "folderId" from named;

-- grants.add (server/features/permissions/grants/add-statements.ts)
with clock as materialized (select coalesce($12::timestamptz, clock_timestamp()) as now),
  named as materialized (
    select item.*, o.added_at is not null as organization_added,
           r.resource_key, r.added_at is not null as resource_added, moved.id as migrated_to,
           case when moved.id is not null then 'document_was_migrated'
                when (select known_only from (select ord - 1 as req, shared.* from unnest($9::boolean[], $10::jsonb[], $11::int[]) with ordinality as shared(known_only, actor, expiring_soon_seconds, ord)) request) and r.added_at is null then 'resource_does_not_exist'
                when o.added_at is null and not not (select known_only from (select ord - 1 as req, shared.* from unnest($9::boolean[], $10::jsonb[], $11::int[]) with ordinality as shared(known_only, actor, expiring_soon_seconds, ord)) request) then 'resource_does_not_exist'
                else 'ok' end as outcome,
           case item.standing_role when 'viewer' then 1::bigint when 'editor' then 3 when 'commenter' then 2 else 0 end as given_standing, coalesce((extract(epoch from item.expires_at)::bigint + 1) << 2, 0) | case item.temporary_role when 'viewer' then 1 when 'editor' then 3 when 'commenter' then 2 else 0 end as given_temporary,
           case g.standing_role when 'viewer' then 1::bigint when 'editor' then 3 when 'commenter' then 2 else 0 end as old_standing, coalesce((extract(epoch from g.expires_at)::bigint + 1) << 2, 0) | case g.temporary_role when 'viewer' then 1 when 'editor' then 3 when 'commenter' then 2 else 0 end as old_temporary,
           g.expires_at as old_expires_at, g.expiry_event_at as old_expiry_event_at, g.expiring_at as old_expiring_at, g.provided_by as old_provided_by
      from unnest($1::uuid[], $2::resource_kind[], $3::text[], $4::text[], $5::access_role[], $6::access_role[], $7::timestamptz[], $8::boolean[]) with ordinality as item(organization_key, kind, resource_id, principal, standing_role, temporary_role, expires_at, replaces, ord)
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key, r.added_at from resources r
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where item.kind = 'document' and r.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.resource_id limit 1
      ) moved on true
      left join lateral (
        select g.standing_role, g.temporary_role, g.expires_at, g.expiry_event_at, g.expiring_at, g.provided_by from grants g
         where g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.principal = item.principal
           and g.kind = item.kind limit 1
      ) g on true
  ),
  accepted as materialized (
    select *, (select actor from (select ord - 1 as req, shared.* from unnest($9::boolean[], $10::jsonb[], $11::int[]) with ordinality as shared(known_only, actor, expiring_soon_seconds, ord)) request) as actor, (select expiring_soon_seconds from (select ord - 1 as req, shared.* from unnest($9::boolean[], $10::jsonb[], $11::int[]) with ordinality as shared(known_only, actor, expiring_soon_seconds, ord)) request) as expiring_soon_seconds
      from named where not exists (select from named where outcome <> 'ok')
  ),
  -- A given grant replaces that of its kind, and with "replaces" the other kind ends. The same grant as a permission provider
  -- has given is taken over from it: it stays after a sign-out.
  changed as (
    select *, before_standing <> after_standing as changes_standing, before_temporary <> after_temporary as changes_temporary,
           given_temporary > 0 and old_expires_at > (select now from clock)
             and old_provided_by is not null and old_provided_by is distinct from null::text as takes_over
      from (select *, case when given_standing > 0 then given_standing when replaces then 0 else before_standing end as after_standing,
                   case when given_temporary > 0 then given_temporary when replaces then 0 else before_temporary end as after_temporary
              from (select *, old_standing as before_standing, old_temporary as before_temporary from accepted) a) b
  ),
  applied as materialized (
    select *, changes_standing or changes_temporary or takes_over as pair_changes, changes_temporary or takes_over as renews,
           true as is_last, changes_temporary and old_expires_at <= (select now from clock) and old_expiry_event_at is null as expired_unreported
      from changed
    
  ),
  opening as (
    select distinct on (organization_key) organization_key, actor from accepted where not organization_added order by organization_key, ord
  ),
  
  missing as materialized (
    select m.*, gen_random_uuid() as resource_key
      from (select organization_key, kind, resource_id, false as adds
              from accepted where resource_key is null and kind <> 'organization'
             group by organization_key, kind, resource_id) m
  ),
  created as (
    insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
    select o.organization_key, o.organization_key, 'organization'::resource_kind, o.organization_id, clock_timestamp(),
           array[o.organization_key], 1, o.organization_key
      from organizations o
     where o.organization_key in (select organization_key from opening)
    union all
    select organization_key, resource_key, kind, resource_id, case when adds then clock_timestamp() end,
           case when kind = 'folder' then array[organization_key, resource_key] end,
           case when kind = 'folder' then 1 end, case when kind = 'folder' then organization_key end
      from missing
     order by 1, 3, 4
  ),
  -- Unless the temporary grant was changed, what its sweeps did stays done, and the provider that gave it stays named.
  written as (
    insert into grants (organization_key, resource_key, principal, kind, standing_role, temporary_role, expires_at, expiry_event_at, expiring_at, provided_by)
    select a.organization_key, coalesce(a.resource_key, m.resource_key, a.organization_key) as target,
           a.principal, a.kind, case a.after_standing & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, case a.after_temporary & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, e.expires_at,
           case when not a.renews then a.old_expiry_event_at end,
           case when not a.renews then a.old_expiring_at
                when a.expiring_soon_seconds > 0 and e.due > (select now from clock) then e.due end,
           case when a.renews then null::text else a.old_provided_by end
      from applied a
     cross join lateral (
        select expires_at, expires_at - make_interval(secs => a.expiring_soon_seconds) as due
          from (select to_timestamp(nullif(a.after_temporary >> 2, 0) - 1) as expires_at) expiry
     ) e
      left join missing m on m.organization_key = a.organization_key and m.kind = a.kind and m.resource_id = a.resource_id
     where a.is_last and a.pair_changes
     order by a.organization_key, target, a.principal
    on conflict (organization_key, resource_key, principal) do update
       set standing_role = excluded.standing_role, temporary_role = excluded.temporary_role, expires_at = excluded.expires_at,
           expiry_event_at = excluded.expiry_event_at, expiring_at = excluded.expiring_at, provided_by = excluded.provided_by
  ),
  -- Of each row first what was revoked. A temporary grant that expired without an event gets that event before it is replaced.
  event as (
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind, null as resource_id,
           null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from opening
    union all
    select organization_key, 4 * ord + case when nth > 0 and after_code = 0 then 1 else nth end,
           case when nth = 0 then 'permission.expired' when after_code = 0 then 'permission.removed' else 'permission.added' end,
           kind, resource_id, case when not starts_with(principal, chr(1)) then principal end, case when nth = 0 then '{"system": "expiry"}'::jsonb else actor end,
           case when before_code > 0 then case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', case before_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(before_code >> 2, 0) - 1)
                else jsonb_build_object('accessRole', case before_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(before_code >> 2, 0) - 1) end end, case when after_code > 0 then case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', case after_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(after_code >> 2, 0) - 1)
                else jsonb_build_object('accessRole', case after_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(after_code >> 2, 0) - 1) end end
      from (select organization_key, ord, nth, kind, resource_id, principal, actor,
                   case nth when 2 then before_standing else before_temporary end as before_code,
                   case nth when 2 then after_standing when 3 then after_temporary else 0 end as after_code
              from applied
             cross join (values (0), (2), (3)) change(nth)
             where case nth when 0 then expired_unreported when 2 then changes_standing else changes_temporary end
            offset 0) change -- "offset 0" keeps PostgreSQL from computing the numbers again for each use
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select ord, outcome, migrated_to as "migratedTo" from named where outcome <> 'ok' order by ord;

-- grants.list (server/features/permissions/grants/list-statements.ts)
select r.kind as type, r.id, g.principal, g.is_temporary as "isTemporary", g.role as "accessRole", g.expires_at as "expiresAt",
         g.is_temporary and g.provided_by is not null as "isProvided"
    from (select r.kind, r.id, r.resource_key, row_number() over (order by r.kind, r.id) as nth
            from (select r.kind, r.id, r.resource_key from resources r
                   where r.organization_key = $1 and (r.kind, r.id) >= ($2::resource_kind, $3::text)
                   order by r.kind, r.id limit $5::int) r) r
    left join lateral (
      select g.principal, g.provided_by, each_grant.* from grants g
 cross join lateral (
    select * from (values (false, g.standing_role, null::timestamptz), (true, g.temporary_role, g.expires_at))
                     as each_grant(is_temporary, role, expires_at)
     where role is not null
  ) each_grant
       where g.organization_key = $1 and g.resource_key = r.resource_key
         and g.principal >= case when r.kind = $2::resource_kind and r.id = $3::text then $4::text else '' end
         and (r.kind <> $2::resource_kind or r.id <> $3::text or (g.principal, each_grant.is_temporary) > ($4::text, $7::boolean))
       order by g.principal, each_grant.is_temporary limit $6::int
    ) g on true
   where g.principal is not null or r.nth = $5::int
   order by r.kind, r.id, g.principal, g.is_temporary limit $6::int;

-- grants.mark-holders (server/features/permissions/grants/group-holders.ts)
with named as materialized (
    select item.organization_key, item.ord, found.is_known is not null as is_known
      from unnest($1::uuid[], $2::text[]) with ordinality as item(organization_key, group_id, ord)
      left join lateral (
        select true as is_known from user_groups t
         where t.organization_key = item.organization_key and t.group_id = item.group_id limit 1
      ) found on true
  ),
  marked as (
    update organizations o set has_group_grants = true
     where o.organization_key in (select organization_key from named where is_known) and not o.has_group_grants
  )
  select ord::int from named where not is_known order by ord;

-- idempotency-keys.claim (server/features/idempotency-keys/statements.ts)
select pg_try_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0)) as claimed;

-- idempotency-keys.delete-expired (server/features/idempotency-keys/statements.ts)
with clock as materialized (select coalesce($1::timestamptz, clock_timestamp()) as now),
  expired as (
    select ctid from idempotency_keys
     where expires_at <= (select now from clock) order by expires_at limit 1000 for update skip locked
  ),
  deleted as (
    delete from idempotency_keys k using expired where k.ctid = expired.ctid returning 1
  )
  select count(*) as count from deleted;

-- idempotency-keys.get (server/features/idempotency-keys/statements.ts)
select answer_sealed as sealed from idempotency_keys
   where caller = $1 and key = $2 and expires_at > coalesce($3::timestamptz, clock_timestamp());

-- idempotency-keys.hold-api-key (server/features/idempotency-keys/statements.ts)
select from api_keys where api_key_id = $1 for key share;

-- idempotency-keys.set (server/features/idempotency-keys/statements.ts)
insert into idempotency_keys (api_key_id, workspace_id, key, answer_sealed, expires_at)
  values ($1, $2, $3, $4::bytea, coalesce($5::timestamptz, clock_timestamp()) + interval '24 hours')
  on conflict (caller, key) do update set answer_sealed = excluded.answer_sealed, expires_at = excluded.expires_at;

-- invitations.add (server/features/invitations/statements.ts)
with named as materialized (
    select item.*, o.added_at is not null as organization_added, r.resource_key, moved.id as migrated_to,
           case when moved.id is not null then 'document_was_migrated'
                when item.known_only and r.added_at is null then 'resource_does_not_exist'
                else 'ok' end as outcome
      from unnest($1::uuid[], $2::resource_kind[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::access_role[], $9::text[], $10::text[], $11::text[], $12::text[], $13::jsonb[], $14::jsonb[]) with ordinality as item(organization_key, kind, resource_id, known_only, address, email, invitee, access_role, organization_name, folder_name, document_name, inviter, invited_by, actor, ord)
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key, r.added_at from resources r
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where item.kind = 'document' and r.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.resource_id limit 1
      ) moved on true
  ),
  accepted as materialized (
    select n.*, i.invitation_id is not null as is_pending, coalesce(i.invitation_id, gen_random_uuid()) as invitation_id,
           i.ctid as pending_row, i.access_role as old_role, coalesce(n.access_role, i.access_role) as new_role
      from named n
      left join lateral (
        select i.ctid, i.invitation_id, i.access_role from invitations i
         where i.organization_key = n.organization_key and i.resource_key = n.resource_key and i.address = n.address
           and i.status = 'PENDING' limit 1
      ) i on true
     where n.outcome = 'ok'
  ),
  opening as (select distinct organization_key from accepted where not organization_added),
  
  missing as materialized (
    select m.*, gen_random_uuid() as resource_key
      from (select organization_key, kind, resource_id, false as adds
              from accepted where resource_key is null and kind <> 'organization'
             group by organization_key, kind, resource_id) m
  ),
  created as (
    insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
    select o.organization_key, o.organization_key, 'organization'::resource_kind, o.organization_id, clock_timestamp(),
           array[o.organization_key], 1, o.organization_key
      from organizations o
     where o.organization_key in (select organization_key from opening)
    union all
    select organization_key, resource_key, kind, resource_id, case when adds then clock_timestamp() end,
           case when kind = 'folder' then array[organization_key, resource_key] end,
           case when kind = 'folder' then 1 end, case when kind = 'folder' then organization_key end
      from missing
     order by 1, 3, 4
  ),
  renewed as (
    update invitations i
       set email = a.email, access_role = a.new_role, organization_name = coalesce(a.organization_name, i.organization_name),
           folder_name = coalesce(a.folder_name, i.folder_name), document_name = coalesce(a.document_name, i.document_name),
           inviter = case when a.invited_by is null then i.inviter else a.inviter end,
           invited_by = coalesce(a.invited_by, i.invited_by), updated_at = clock_timestamp()
      from accepted a
     where i.ctid = a.pending_row
  ),
  written as (
    insert into invitations (organization_key, invitation_id, resource_key, kind, invitee, address, email, access_role,
                             organization_name, folder_name, document_name, inviter, invited_by)
    select a.organization_key, a.invitation_id, coalesce(a.resource_key, m.resource_key, a.organization_key), a.kind, a.invitee,
           a.address, a.email, a.access_role, a.organization_name, a.folder_name, a.document_name, a.inviter, a.invited_by
      from accepted a
      left join missing m on m.organization_key = a.organization_key and m.kind = a.kind and m.resource_id = a.resource_id
     where not a.is_pending
  ),
  event as (
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind,
           null as resource_id, null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from accepted where not organization_added
    union all
    select organization_key, 1, case when is_pending then 'invitation.renewed' else 'invitation.added' end, kind, resource_id,
           invitee, actor, case when is_pending then jsonb_strip_nulls(jsonb_build_object('invitationId', invitation_id, 'email', email, 'accessRole', old_role)) end, jsonb_strip_nulls(jsonb_build_object('invitationId', invitation_id, 'email', email, 'accessRole', new_role))
      from accepted
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select outcome, migrated_to as "migratedTo" from named;

-- invitations.count-pending (server/features/invitations/list-statements.ts)
select count(*) as count from invitations where organization_key = $1 and kind = $2::resource_kind and status = 'PENDING';

-- invitations.list (server/features/invitations/list-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p."invitedBy" is null then 0
                  when pg_column_compression(p."invitedBy") is null and pg_column_size(p."invitedBy") < 500
                    then pg_column_size(p."invitedBy")
                  else octet_length(p."invitedBy"::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select 
         i.invitation_id as "invitationId", i.kind, r.id as "resourceId", i.invitee, i.email, i.status,
         i.access_role as "accessRole", i.organization_name as "organizationName", i.folder_name as "folderName",
         i.document_name as "documentName", i.invited_by as "invitedBy", i.created_at as "createdAt",
         i.updated_at as "updatedAt", i.created_at::text as position
    from (select * from invitations
           where organization_key = $1 and true and (created_at, invitation_id) < ($2::timestamptz, $3::uuid)
           order by created_at desc, invitation_id desc limit $4::int) i
   cross join lateral (
      select r.id from resources r where r.organization_key = i.organization_key and r.resource_key = i.resource_key limit 1
    ) r
   order by i.created_at desc, i.invitation_id desc) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- invitations.list-of-address (server/features/invitations/list-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p."invitedBy" is null then 0
                  when pg_column_compression(p."invitedBy") is null and pg_column_size(p."invitedBy") < 500
                    then pg_column_size(p."invitedBy")
                  else octet_length(p."invitedBy"::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select 
         i.invitation_id as "invitationId", i.kind, r.id as "resourceId", i.invitee, i.email, i.status,
         i.access_role as "accessRole", i.organization_name as "organizationName", i.folder_name as "folderName",
         i.document_name as "documentName", i.invited_by as "invitedBy", i.created_at as "createdAt",
         i.updated_at as "updatedAt", i.created_at::text as position
    from (select * from invitations
           where organization_key = $1 and address = $5 and ($6::text is null or status = $6) and ($7::resource_kind is null or kind = $7) and (created_at, invitation_id) < ($2::timestamptz, $3::uuid)
           order by created_at desc, invitation_id desc limit $4::int) i
   cross join lateral (
      select r.id from resources r where r.organization_key = i.organization_key and r.resource_key = i.resource_key limit 1
    ) r
   order by i.created_at desc, i.invitation_id desc) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- invitations.list-pending (server/features/invitations/list-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p."invitedBy" is null then 0
                  when pg_column_compression(p."invitedBy") is null and pg_column_size(p."invitedBy") < 500
                    then pg_column_size(p."invitedBy")
                  else octet_length(p."invitedBy"::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select 
         i.invitation_id as "invitationId", i.kind, r.id as "resourceId", i.invitee, i.email, i.status,
         i.access_role as "accessRole", i.organization_name as "organizationName", i.folder_name as "folderName",
         i.document_name as "documentName", i.invited_by as "invitedBy", i.created_at as "createdAt",
         i.updated_at as "updatedAt", i.created_at::text as position
    from (select * from invitations
           where organization_key = $1 and status = 'PENDING' and (created_at, invitation_id) < ($2::timestamptz, $3::uuid)
           order by created_at desc, invitation_id desc limit $4::int) i
   cross join lateral (
      select r.id from resources r where r.organization_key = i.organization_key and r.resource_key = i.resource_key limit 1
    ) r
   order by i.created_at desc, i.invitation_id desc) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- invitations.lock-email (server/features/invitations/statements.ts)
select u.profile->>'email' as email from users u where u.api_key_id = $1 and u.user_id = $2 for no key update;

-- invitations.respond (server/features/invitations/statements.ts)
with named as materialized (
    select item.*, i.ctid as row, i.invitation_id, i.kind, i.invitee, i.email, i.access_role, i.status as old_status
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[]) with ordinality as item(organization_key, resource_key, resource_id, address, status, user_id, actor, ord)
     cross join lateral (
        select i.ctid, i.invitation_id, i.kind, i.invitee, i.email, i.access_role, i.status from invitations i
         where i.organization_key = item.organization_key and i.resource_key = item.resource_key and i.address = item.address
         order by i.status = 'PENDING' desc, i.created_at desc, i.invitation_id desc limit 1
      ) i
  ),
  pending as (select * from named where old_status = 'PENDING'),
  answered as (
    update invitations i set status = p.status, invitee = coalesce(p.user_id, i.invitee), updated_at = clock_timestamp()
      from pending p where i.ctid = p.row
  ),
  event as (
    select organization_key, ord as position, 'invitation.' || lower(status) as type, kind as resource_kind, resource_id,
           coalesce(user_id, invitee) as user_id, actor, jsonb_strip_nulls(jsonb_build_object('invitationId', invitation_id, 'email', email, 'accessRole', access_role)) as before, null::jsonb as after
      from pending
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select old_status as status, access_role as "accessRole" from named;

-- key-config.count-commenters (server/features/key-config/statements.ts)
select coalesce(sum(of_grants.count), 0)::int as grants, coalesce(sum(of_invitations.count), 0)::int as invitations
    from organizations o
   cross join lateral (
      select count(*) from grants g where g.organization_key = o.organization_key and (g.standing_role not in ('viewer', 'editor') or g.temporary_role not in ('viewer', 'editor'))
   ) of_grants
   cross join lateral (
      select count(*) from invitations i
       where i.organization_key = o.organization_key and i.status = 'PENDING' and i.access_role = 'commenter'
   ) of_invitations
   where o.api_key_id = $1;

-- key-config.get (server/features/key-config/statements.ts)
select owner_email as "ownerEmail", type, plan, default_access_type as "defaultDocumentAccessType",
         default_access_role as "defaultAccessRole", has_commenter as "hasCommenter", require_known_resources as "requireKnownResources",
         require_auto_org_user as "requireAutoOrgUser", private_comments_enabled as "enablePrivateComments",
         user_token_lifetime_seconds as "userTokenLifetimeSeconds", expiring_soon_seconds as "expiringSoonSeconds"
    from api_keys where api_key_id = $1 and workspace_id = $2;

-- key-config.update (server/features/key-config/statements.ts)
update api_keys
     set default_access_type = $2::access_type, default_access_role = $3::access_role, require_known_resources = $4,
         user_token_lifetime_seconds = $5, expiring_soon_seconds = $6, require_auto_org_user = $7,
         private_comments_enabled = $8, has_commenter = $9
   where api_key_id = $1;

-- login-links.create (server/features/login-links/statements.ts)
with clock as materialized (select coalesce($4::timestamptz, clock_timestamp()) as now)
  insert into login_links (link_hash, workspace_id, operator_id, created_at, expires_at)
  select item.link_hash, item.workspace_id, item.operator_id, clock.now,
         clock.now + make_interval(secs => 900)
    from unnest($1::text[], $2::uuid[], $3::bytea[]) with ordinality as item(workspace_id, operator_id, link_hash, ord) cross join clock
   where (select count(*) from login_links l
           where l.workspace_id = item.workspace_id and l.operator_id = item.operator_id
             and l.created_at > clock.now - interval '1 hour') < 5
  returning true as added;

-- login-links.delete-old (server/features/login-links/statements.ts)
with old as (
    select ctid from login_links
     where expires_at <= coalesce($1::timestamptz, clock_timestamp()) - interval '1 hour' order by expires_at limit 1000 for update skip locked
  ),
  deleted as (
    delete from login_links l using old where l.ctid = old.ctid returning 1
  )
  select count(*) as count from deleted;

-- login-links.delete-unused (server/features/login-links/statements.ts)
delete from login_links where workspace_id = $1 and operator_id = $2::uuid and used_at is null;

-- login-links.find (server/features/login-links/statements.ts)
select w.workspace_id as "workspaceId", w.name as "workspaceName", w.created_at as "createdAt",
         o.operator_id as "operatorId", o.email, o.name
    from login_links l
    join operators o on o.workspace_id = l.workspace_id and o.operator_id = l.operator_id
    join workspaces w on w.workspace_id = l.workspace_id
   where l.link_hash = $1::bytea and l.used_at is null and l.expires_at > coalesce($2::timestamptz, clock_timestamp());

-- login-links.invite (server/features/login-links/statements.ts)
insert into login_links (link_hash, workspace_id, operator_id, created_at, expires_at)
  select item.link_hash, item.workspace_id, item.operator_id, clock.now,
         clock.now + make_interval(secs => 604800)
    from unnest($1::text[], $2::uuid[], $3::bytea[]) with ordinality as item(workspace_id, operator_id, link_hash, ord) cross join (select coalesce($4::timestamptz, clock_timestamp()) as now) clock;

-- login-links.list-operators (server/features/login-links/statements.ts)
select o.workspace_id as "workspaceId", w.created_at as "createdAt", o.operator_id as "operatorId", o.email
    from operators o
   cross join lateral (select created_at from workspaces w where w.workspace_id = o.workspace_id limit 1) w
   where lower(o.email collate "C") = $1::text
   order by o.invited_by is not null and o.last_seen_at is null, w.created_at desc, o.workspace_id limit 20;

-- login-links.use (server/features/login-links/statements.ts)
update login_links set used_at = coalesce($2::timestamptz, clock_timestamp())
   where link_hash = $1::bytea and used_at is null and expires_at > coalesce($2::timestamptz, clock_timestamp()) returning true as used;

-- mail-addresses.ask (server/features/mail/address-statements.ts)
insert into mail_addresses as known (address) values (lower($1::text collate "C"))
  on conflict (address) do update set asked_at = clock_timestamp()
   where known.confirmed_at is null and known.asked_at < clock_timestamp() - interval '1 day'
  returning address;

-- mail-addresses.confirm (server/features/mail/address-statements.ts)
insert into mail_addresses as known (address, confirmed_at) values (lower($1::text collate "C"), clock_timestamp())
  on conflict (address) do update set confirmed_at = coalesce(known.confirmed_at, clock_timestamp());

-- mail-addresses.is-confirmed (server/features/mail/address-statements.ts)
select confirmed_at is not null as confirmed from mail_addresses where address = lower($1::text collate "C");

-- mail-addresses.reset-asked (server/features/mail/address-statements.ts)
update mail_addresses set asked_at = '-infinity' where address = lower($1::text collate "C");

-- mails-sendgrid.claim (server/features/mail/statements.ts)
with recursive clock as materialized (select clock_timestamp() as now),
  later (id) as (
    (select t.api_key_id as id from mails t where carrier = 'sendgrid' and finished_at is null and t.api_key_id > $2::text order by t.api_key_id limit 1) union all select (select t.api_key_id as id from mails t where carrier = 'sendgrid' and finished_at is null and t.api_key_id > later.id order by t.api_key_id limit 1) from later where later.id is not null
  ),
  around (id) as (
    (select t.api_key_id as id from mails t where carrier = 'sendgrid' and finished_at is null and t.api_key_id > '' order by t.api_key_id limit 1) union all select (select t.api_key_id as id from mails t where carrier = 'sendgrid' and finished_at is null and t.api_key_id > around.id order by t.api_key_id limit 1) from around where around.id < $2::text
  ),
  turn as materialized (
    select first.row
      from (select id from later where id is not null union all select id from around where id <= $2::text) tenants
     cross join lateral (
        select t.ctid as row from mails t where carrier = 'sendgrid' and finished_at is null and due_at <= (select now from clock) and t.api_key_id = tenants.id
         order by t.due_at limit 1 for update skip locked
      ) first
     where exists (select from mails where carrier = 'sendgrid' and finished_at is null and due_at <= (select now from clock))
     limit $1::int
  ),
  filled as materialized (
    select t.ctid as row from mails t where carrier = 'sendgrid' and finished_at is null and due_at <= (select now from clock) and t.ctid <> all (array(select row from turn))
     order by t.due_at limit $1::int - (select count(*) from turn) for update skip locked
  ),
  due as (select row from turn union all select row from filled)
  update mails t set due_at = clock.now + interval '10 seconds', claimed_at = clock.now, claims = t.claims + 1
    from due cross join clock where t.ctid = due.row
  returning t.mail_id as "mailId", t.claims, t.api_key_id as tenant;

-- mails-sendgrid.count (server/features/mail/statements.ts)
with clock as materialized (select clock_timestamp() as now)
  select count(*) filter (where due_at <= now)::int as ready,
         count(*) filter (where due_at > now and claimed_at is null)::int as deferred,
         count(*) filter (where due_at > now and claimed_at is not null)::int as active
    from (select due_at, claimed_at from mails
           where carrier = 'sendgrid' and finished_at is null order by due_at limit 10000) unfinished
   cross join clock;

-- mails-sendgrid.release (server/features/mail/statements.ts)
update mails set due_at = clock_timestamp() + make_interval(secs => $3::float8), claimed_at = null
   where mail_id = $1
     and claims = $2::int;

-- mails-sendgrid.renew-claim (server/features/mail/statements.ts)
update mails t set due_at = clock_timestamp() + interval '10 seconds'
    from (select ctid from mails where mail_id = $1
     and claims = $2::int for update skip locked) mine
   where t.ctid = mine.ctid and t.claimed_at is not null and t.finished_at is null;

-- mails-smtp.claim (server/features/mail/statements.ts)
with recursive clock as materialized (select clock_timestamp() as now),
  later (id) as (
    (select t.api_key_id as id from mails t where carrier = 'smtp' and finished_at is null and t.api_key_id > $2::text order by t.api_key_id limit 1) union all select (select t.api_key_id as id from mails t where carrier = 'smtp' and finished_at is null and t.api_key_id > later.id order by t.api_key_id limit 1) from later where later.id is not null
  ),
  around (id) as (
    (select t.api_key_id as id from mails t where carrier = 'smtp' and finished_at is null and t.api_key_id > '' order by t.api_key_id limit 1) union all select (select t.api_key_id as id from mails t where carrier = 'smtp' and finished_at is null and t.api_key_id > around.id order by t.api_key_id limit 1) from around where around.id < $2::text
  ),
  turn as materialized (
    select first.row
      from (select id from later where id is not null union all select id from around where id <= $2::text) tenants
     cross join lateral (
        select t.ctid as row from mails t where carrier = 'smtp' and finished_at is null and due_at <= (select now from clock) and t.api_key_id = tenants.id
         order by t.due_at limit 1 for update skip locked
      ) first
     where exists (select from mails where carrier = 'smtp' and finished_at is null and due_at <= (select now from clock))
     limit $1::int
  ),
  filled as materialized (
    select t.ctid as row from mails t where carrier = 'smtp' and finished_at is null and due_at <= (select now from clock) and t.ctid <> all (array(select row from turn))
     order by t.due_at limit $1::int - (select count(*) from turn) for update skip locked
  ),
  due as (select row from turn union all select row from filled)
  update mails t set due_at = clock.now + interval '10 seconds', claimed_at = clock.now, claims = t.claims + 1
    from due cross join clock where t.ctid = due.row
  returning t.mail_id as "mailId", t.claims, t.api_key_id as tenant;

-- mails-smtp.count (server/features/mail/statements.ts)
with clock as materialized (select clock_timestamp() as now)
  select count(*) filter (where due_at <= now)::int as ready,
         count(*) filter (where due_at > now and claimed_at is null)::int as deferred,
         count(*) filter (where due_at > now and claimed_at is not null)::int as active
    from (select due_at, claimed_at from mails
           where carrier = 'smtp' and finished_at is null order by due_at limit 10000) unfinished
   cross join clock;

-- mails-smtp.release (server/features/mail/statements.ts)
update mails set due_at = clock_timestamp() + make_interval(secs => $3::float8), claimed_at = null
   where mail_id = $1
     and claims = $2::int;

-- mails-smtp.renew-claim (server/features/mail/statements.ts)
update mails t set due_at = clock_timestamp() + interval '10 seconds'
    from (select ctid from mails where mail_id = $1
     and claims = $2::int for update skip locked) mine
   where t.ctid = mine.ctid and t.claimed_at is not null and t.finished_at is null;

-- mails.add (server/features/mail/statements.ts)
with each_person as (
    select item.*, coalesce(member.user_id, item.user_id) as person_id
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::uuid[], $7::bigint[], $8::boolean[]) with ordinality as item(api_key_id, kind, user_id, group_id, by_default, stream, sequence, has_smtp, ord)
      left join lateral (
        select m.user_id from user_group_members m
         where item.group_id is not null and m.organization_key = item.stream and m.group_id = item.group_id
           and exists (select from grants g
                        where g.organization_key = m.organization_key and g.resource_key = m.organization_key
                          and g.principal = m.user_id and (g.standing_role is not null or g.expires_at > coalesce($9::timestamptz, clock_timestamp())))
         order by m.user_id limit 1000
      ) member on true
     where item.group_id is null or member.user_id is not null
  ),
  asked as materialized (
    select api_key_id, kind, person_id as user_id, stream, bool_or(has_smtp) as has_smtp, bool_or(by_default) as by_default, array_agg(sequence order by ord) as sequences
      from each_person group by api_key_id, kind, person_id, stream
  ),
  wanted as materialized (
    select a.*, k.owner_email, k.carrier from asked a
     cross join lateral (
        select k.owner_email,
               case when k.email_service_config->>'type' = 'sendgrid' then 'sendgrid' else 'smtp' end as carrier
          from api_keys k
         where k.api_key_id = a.api_key_id and k.use_email_service
           and coalesce((k.email_service_config->'triggers'->>a.kind)::boolean, a.by_default) limit 1
     ) k
     where k.carrier <> 'smtp' or a.has_smtp
  ),
  person as materialized (
    select u.api_key_id, u.user_id, u.profile->>'email' as email from users u
     where (u.api_key_id, u.user_id) in (select api_key_id, user_id from wanted where user_id is not null)
       and u.profile ? 'email' and not exists (select from disabled_users d where d.api_key_id = u.api_key_id and d.user_id = u.user_id)
     order by u.api_key_id, u.user_id for key share
  ),
  invited as materialized (
    select i.* from (select stream, user_id from wanted where starts_with(user_id, chr(2)) order by stream, user_id) w
     cross join lateral (
        select i.organization_key, i.invitee, i.email from invitations i
         where i.organization_key = w.stream and i.invitee = w.user_id and i.status is not distinct from 'PENDING'
         order by i.invitation_id for key share
     ) i
  )
  insert into mails (api_key_id, kind, carrier, user_id, recipient, stream, sequences, due_at)
  select w.api_key_id, w.kind, w.carrier, w.user_id, coalesce(p.email, i.email, w.owner_email), w.stream, w.sequences,
         clock_timestamp() + interval '4 seconds'
    from wanted w
    left join person p on p.api_key_id = w.api_key_id and p.user_id = w.user_id
    left join (select organization_key, invitee, max(email) as email from invited group by organization_key, invitee) i
           on i.organization_key = w.stream and i.invitee = w.user_id
   where w.user_id is null or p.user_id is not null or i.invitee is not null
  on conflict (api_key_id, kind, stream, user_id, collects) where claims = 0
  do update set sequences = mails.sequences || excluded.sequences;

-- mails.count-waiting (server/features/mail/statements.ts)
select c.carrier, count(m.created_at)::int as count,
         coalesce(extract(epoch from max(clock_timestamp() - m.created_at)), 0)::float8 as "oldestSeconds"
    from (values ('smtp'), ('sendgrid')) c (carrier)
    left join lateral (
      select m.created_at from mails m
       where m.carrier = c.carrier and m.finished_at is null and m.due_at <= (select clock_timestamp()) + interval '10 minutes'
         and m.created_at <= (select clock_timestamp()) order by m.due_at limit 10000
    ) m on true
   group by c.carrier;

-- mails.delete-old (server/features/mail/statements.ts)
with clock as materialized (select coalesce($1::timestamptz, clock_timestamp()) as now),
  old as (
    select ctid from mails where finished_at < (select now from clock) - interval '30 days'
     order by finished_at limit 1000 for update skip locked
  ),
  deleted as (delete from mails m using old where m.ctid = old.ctid returning 1)
  select count(*)::int as count from deleted;

-- mails.finish (server/features/mail/statements.ts)
update mails set state = case when $2::text is null then 'sent' else 'failed' end, error = $2, finished_at = clock_timestamp()
   where mail_id = $1 and state = 'pending';

-- mails.finish-unconfirmed (server/features/mail/statements.ts)
update mails set state = 'sent', error = $2, finished_at = clock_timestamp() where mail_id = $1 and state = 'pending';

-- mails.get (server/features/mail/statements.ts)
select m.kind, m.user_id as "userId", m.recipient, m.stream, m.sequences::text[],
         m.created_at < clock_timestamp() - interval '1 day' as overdue, m.handed_over_at is not null as "isHandedOver", k.*
    from mails m cross join lateral (select 
  k.api_key_id as "apiKeyId", k.name as "apiKeyName", k.use_email_service as "useEmailService",
  k.email_service_config as config, k.email_service_key_sealed as sealed from api_keys k where k.api_key_id = m.api_key_id limit 1) k
   where m.mail_id = $1 and m.state = 'pending';

-- mails.get-events (server/features/mail/content-statements.ts)
select e.changed_at as "changedAt", e.resource_kind as "resourceType", e.resource_id as "resourceId",
         coalesce(case e.resource_kind when 'document' then i.document_name when 'folder' then i.folder_name else i.organization_name end,
                  r.name, case e.resource_kind when 'organization' then o.name end) as "resourceName",
         e.organization_id as "organizationId", coalesce(i.organization_name, o.name) as "organizationName",
         i.invitation_id as "invitationId", coalesce(i.invited_by->>'name', inviter.name, i.invited_by->>'email') as "inviterName",
         e.actor, e.before, e.after
    from events e
    left join lateral (
      select r.name from resources r
       where r.organization_key = $1 and r.kind = e.resource_kind and r.id = e.resource_id limit 1
    ) r on true
    left join lateral (select o.name from organizations o where o.organization_key = $1 limit 1) o on true
    left join lateral (
      select i.* from invitations i
       where i.organization_key = $1 and i.invitee = $3
         and i.invitation_id = case when e.type like 'invitation.%' then (e.after->>'invitationId')::uuid end limit 1
    ) i on true
    left join lateral (
      select u.profile->>'name' as name from users u
       where u.api_key_id = e.api_key_id and u.user_id = i.inviter limit 1
    ) inviter on true
   where e.stream = $1 and e.sequence = any($2::bigint[]) and not exists (select from disabled_users d where d.api_key_id = e.api_key_id and d.user_id = $3)
     and (e.type not like 'invitation.%' or i.status = 'PENDING')
     and (e.user_id is not distinct from $3::text or e.user_id is null and e.after ? 'groupId')
   order by e.sequence limit $4::int;

-- mails.get-key (server/features/mail/statements.ts)
select 
  k.api_key_id as "apiKeyId", k.name as "apiKeyName", k.use_email_service as "useEmailService",
  k.email_service_config as config, k.email_service_key_sealed as sealed, k.owner_email as "ownerEmail" from api_keys k where k.api_key_id = $1;

-- mails.get-user-name (server/features/mail/content-statements.ts)
select profile->>'name' as name from users where api_key_id = $1 and user_id = $2;

-- mails.had-enough (server/features/mail/statements.ts)
select count(*) >= $2::int as enough
    from (select from mails m
           where lower(m.recipient collate "C") = lower($1::text collate "C") and m.state = 'sent' and m.carrier = 'smtp'
             and coalesce(m.finished_at, 'infinity') > (select clock_timestamp()) - interval '1 hour' limit $2::int) recent;

-- mails.set-error (server/features/mail/statements.ts)
update mails set error = $2, handed_over_at = null where mail_id = $1 and state = 'pending';

-- migrations.absorb-activities (server/features/migrations/cutover-statements.ts)
update activities set resource_key = $2 where organization_key = $1 and resource_key = $3;

-- migrations.absorb-aliases (server/features/migrations/cutover-statements.ts)
update document_aliases set resource_key = $2 where organization_key = $1 and resource_key = $3;

-- migrations.absorb-grants (server/features/migrations/cutover-statements.ts)
insert into grants (organization_key, resource_key, principal, kind, standing_role, temporary_role, expires_at, expiry_event_at, expiring_at, provided_by)
  select organization_key, $2, principal, kind, standing_role, temporary_role, expires_at, expiry_event_at, expiring_at, provided_by
    from grants where organization_key = $1 and resource_key = $3
   order by principal
  on conflict (organization_key, resource_key, principal) do update
     set standing_role = coalesce(grants.standing_role, excluded.standing_role),
         (temporary_role, expires_at, expiry_event_at, expiring_at, provided_by) = (
            select t.temporary_role, t.expires_at, t.expiry_event_at, t.expiring_at, t.provided_by
              from (select 2 as choice, grants.temporary_role, grants.expires_at, grants.expiry_event_at, grants.expiring_at, grants.provided_by
                    union all
                    select case when grants.temporary_role is null
                                  or grants.expires_at <= coalesce($4::timestamptz, clock_timestamp()) and grants.expiry_event_at is not null
                                then 1 else 3 end,
                           excluded.temporary_role, excluded.expires_at, excluded.expiry_event_at, excluded.expiring_at, excluded.provided_by
                     where excluded.temporary_role is not null) t
             order by choice limit 1);

-- migrations.absorb-invitations (server/features/migrations/cutover-statements.ts)
update invitations i set resource_key = $2
   where i.organization_key = $1 and i.resource_key = $3
     and (i.status <> 'PENDING'
          or not exists (select from invitations s
                          where s.organization_key = $1 and s.resource_key = $2 and s.address = i.address and s.status = 'PENDING'));

-- migrations.absorb-notifications (server/features/migrations/cutover-statements.ts)
update notifications set resource_key = $2 where organization_key = $1 and resource_key = $3;

-- migrations.absorb-preferences (server/features/migrations/cutover-statements.ts)
insert into notification_preferences as p (organization_key, resource_key, user_id, channels)
  select organization_key, $2, user_id, channels from notification_preferences
   where organization_key = $1 and resource_key = $3
   order by user_id
  on conflict (organization_key, resource_key, user_id) do update set channels = excluded.channels || p.channels;

-- migrations.add (server/features/migrations/statements.ts)
insert into document_migrations (organization_key, migration_id, document_id, new_document_id, actor)
  select organization_key, gen_random_uuid(), $2, $3, $4::jsonb
    from organizations where organization_key = $1 and added_at is not null
  returning migration_id as "migrationId";

-- migrations.delete-absorbed (server/features/migrations/cutover-statements.ts)
delete from resources where organization_key = $1 and resource_key = $2;

-- migrations.expire-grants (server/features/migrations/cutover-statements.ts)
with clock as materialized (select coalesce($4::timestamptz, clock_timestamp()) as now),
  absorbed as materialized (
    select ctid, resource_key, principal, expires_at, expiry_event_at from grants
     where organization_key = $1 and resource_key = $3
  ),
  met as (
    select ctid, resource_key, expires_at, expiry_event_at from absorbed
     union all
    select g.* from absorbed a
     cross join lateral (
        select ctid, resource_key, expires_at, expiry_event_at from grants
         where organization_key = $1 and resource_key = $2 and principal = a.principal limit 1
     ) g
  ),
  due as materialized (
    select met.ctid, r.id as resource_id from met
     cross join lateral (select id from resources where organization_key = $1 and resource_key = met.resource_key limit 1) r
     where met.expires_at <= (select now from clock) and met.expiry_event_at is null
  ),
  expired as (
    update grants g set expiry_event_at = (select now from clock) from due where g.ctid = due.ctid
    returning g.*, due.resource_id
  ),
  event as (
    select organization_key, expires_at as position, 'permission.expired' as type, kind as resource_kind, resource_id, case when not starts_with(principal, chr(1)) then principal end as user_id,
           '{"system": "expiry"}'::jsonb as actor,
           case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint)
                else jsonb_build_object('accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint) end as before,
           null::jsonb as after
      from expired),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select null where false;

-- migrations.finish (server/features/migrations/statements.ts)
update document_migrations
     set status = case when $3::text is null then 'completed' else 'failed' end, failure_reason = $3,
         started_at = coalesce(started_at, clock_timestamp()), finished_at = clock_timestamp()
   where organization_key = $1 and migration_id = $2;

-- migrations.get (server/features/migrations/statements.ts)
select 
  status, document_id as "documentId", new_document_id as "newDocumentId", failure_reason as "failureReason",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt" from document_migrations where organization_key = $1 and migration_id = $2::uuid;

-- migrations.judge (server/features/migrations/statements.ts)
select source.resource_key as "sourceKey", target.resource_key as "targetKey", target.added_at is not null as "targetAdded",
         exists (select from document_migrations m
                  where m.organization_key = $1 and m.finished_at is null and m.status = 'in_progress'
                    and m.migration_id is distinct from $4::uuid
                    and (m.document_id in ($2, $3) or m.new_document_id in ($2, $3))) as busy
    from organizations o
    left join resources source on source.organization_key = o.organization_key and source.kind = 'document' and source.id = $2
    left join resources target on target.organization_key = o.organization_key and target.kind = 'document' and target.id = $3
   where o.organization_key = $1 and o.added_at is not null;

-- migrations.list (server/features/migrations/statements.ts)
select migration_id as "migrationId", created_at::text as position, 
  status, document_id as "documentId", new_document_id as "newDocumentId", failure_reason as "failureReason",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt" from document_migrations
   where organization_key = $1 and true and (created_at, migration_id) < ($2::timestamptz, $3::uuid)
   order by created_at desc, migration_id desc limit $4::int;

-- migrations.list-document (server/features/migrations/statements.ts)
(
  select migration_id as "migrationId", created_at::text as position, 
  status, document_id as "documentId", new_document_id as "newDocumentId", failure_reason as "failureReason",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt" from document_migrations
   where organization_key = $1 and document_id = $5 and ($6::text is null or status = $6) and (created_at, migration_id) < ($2::timestamptz, $3::uuid)
   order by created_at desc, migration_id desc limit $4::int)
  union all
  (
  select migration_id as "migrationId", created_at::text as position, 
  status, document_id as "documentId", new_document_id as "newDocumentId", failure_reason as "failureReason",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt" from document_migrations
   where organization_key = $1 and new_document_id = $5 and ($6::text is null or status = $6) and (created_at, migration_id) < ($2::timestamptz, $3::uuid)
   order by created_at desc, migration_id desc limit $4::int)
   order by "createdAt" desc, "migrationId" desc limit $4::int;

-- migrations.list-status (server/features/migrations/statements.ts)
select migration_id as "migrationId", created_at::text as position, 
  status, document_id as "documentId", new_document_id as "newDocumentId", failure_reason as "failureReason",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt" from document_migrations
   where organization_key = $1 and status = $5 and (created_at, migration_id) < ($2::timestamptz, $3::uuid)
   order by created_at desc, migration_id desc limit $4::int;

-- migrations.lock (server/features/migrations/statements.ts)
select document_id as "documentId", new_document_id as "newDocumentId", status, actor
    from document_migrations
   where organization_key = $1 and migration_id = $2 and finished_at is null for update;

-- migrations.record-event (server/features/migrations/statements.ts)
with event as (
    select organization_key, ord as position, type, 'document'::resource_kind as resource_kind, document_id as resource_id,
           null::text as user_id, actor, before, after
      from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[], $5::jsonb[], $6::jsonb[]) with ordinality as item(organization_key, type, document_id, actor, before, after, ord)
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select null where false;

-- migrations.rename (server/features/migrations/cutover-statements.ts)
with released as (delete from document_aliases where organization_key = $1 and document_id = $4),
  renamed as (update resources set id = $4, updated_at = clock_timestamp() where organization_key = $1 and resource_key = $2)
  insert into document_aliases (organization_key, document_id, resource_key) values ($1, $3, $2)
  on conflict (organization_key, document_id) do update set resource_key = excluded.resource_key;

-- migrations.start (server/features/migrations/statements.ts)
update document_migrations
     set status = 'in_progress', started_at = clock_timestamp(), due_at = clock_timestamp() + interval '2 seconds'
   where organization_key = $1 and migration_id = $2;

-- notification-config.get (server/features/service-configs/statements.ts)
select notification_config as config, floor(extract(epoch from coalesce($2::timestamptz, clock_timestamp())) * 1000)::float8 as "nowMs" from api_keys where api_key_id = $1;

-- notification-config.update (server/features/service-configs/statements.ts)
update api_keys set notification_config = $2::jsonb where api_key_id = $1;

-- notification-preferences.follow (server/features/notifications/preference-statements.ts)
insert into notification_preferences (organization_key, resource_key, user_id, channels)
  select r.organization_key, r.resource_key, $3::text, $4::jsonb from resources r
   where r.organization_key = $1 and r.resource_key = $2::uuid
  on conflict (organization_key, resource_key, user_id) do update set channels = excluded.channels;

-- notification-preferences.get (server/features/notifications/preference-statements.ts)
select p.resource_key as "resourceKey", case when r.kind = 'document' then r.id end as "documentId", p.channels,
         p.is_mail_off as "isMailOff"
    from (select * from notification_preferences
           where organization_key = $1 and user_id = $2 and ($3::uuid[] is null or resource_key = $1 or resource_key = any($3::uuid[]))
           order by resource_key limit 1000) p
   cross join lateral (
      select r.kind, r.id from resources r where r.organization_key = p.organization_key and r.resource_key = p.resource_key limit 1
    ) r
   order by r.id;

-- notification-preferences.mute (server/features/notifications/preference-statements.ts)
insert into notification_preferences (organization_key, resource_key, user_id, channels)
  select $1, $2::uuid, $3::text, (select jsonb_object_agg(name, 'NONE') from (
           select unnest($4::text[]) as name
           union
           select jsonb_object_keys(p.channels) from notification_preferences p
            where p.organization_key = $1 and p.resource_key in ($1, $2::uuid) and p.user_id = $3::text
         ) channel)
  on conflict (organization_key, resource_key, user_id) do update set channels = excluded.channels;

-- notification-preferences.set (server/features/notifications/preference-statements.ts)
insert into notification_preferences as p (organization_key, resource_key, user_id, channels)
  select organization_key, resource_key, user_id, channels from unnest($1::uuid[], $2::uuid[], $3::text[], $4::jsonb[]) with ordinality as item(organization_key, resource_key, user_id, channels, ord) order by organization_key, resource_key, user_id
  on conflict (organization_key, resource_key, user_id) do update set channels = p.channels || excluded.channels, is_mail_off = p.is_mail_off and not excluded.channels ? 'email';

-- notification-preferences.set-mail-off (server/features/notifications/preference-statements.ts)
insert into notification_preferences as p (organization_key, resource_key, user_id, channels, is_mail_off)
  select o.organization_key, o.organization_key, u.user_id, '{}', $3::boolean
    from (select o.organization_key, o.api_key_id from organizations o where o.organization_key = $1 limit 1) o
   cross join lateral (select u.user_id from users u where u.api_key_id = o.api_key_id and u.user_id = $2 limit 1) u
  on conflict (organization_key, resource_key, user_id) do update set is_mail_off = excluded.is_mail_off;

-- notifications.add (server/features/notifications/statements.ts)
with added as (
    insert into notifications (organization_key, notification_id, resource_key, notified_at, notification_source, actor_id,
                               location_id, notifies_all, requires_access, content)
    select $1, $2, r.resource_key, coalesce($12::timestamptz, clock_timestamp()), $4, $5, $6, $7, $8, $9::jsonb
      from resources r where r.organization_key = $1 and r.resource_key = $3::uuid
    on conflict (organization_key, notification_id) do nothing
    returning organization_key, notification_id, notified_at
  )
  insert into notification_recipients (organization_key, notification_id, user_id, notified_at, is_named, email)
  select added.organization_key, added.notification_id, recipient.user_id, added.notified_at, true, recipient.email
    from added cross join unnest($10::text[], $11::text[]) as recipient (user_id, email)
   order by recipient.user_id;

-- notifications.add-of-comments (server/features/notifications/comment-statements.ts)
with commented as materialized (
    select item.*, t.resource_key, t.location_id, c.author_id, c.author
      from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[]) with ordinality as item(organization_key, api_key_id, document_id, annotation_id, comment_id, short_word, event_type, notification_id, headline, ord)
     cross join lateral (
        select t.resource_key, t.location_id from resources d
         cross join lateral (
            select * from threads t
             where t.organization_key = d.organization_key and t.resource_key = d.resource_key and t.annotation_id = item.annotation_id limit 1
         ) t
         where d.organization_key = item.organization_key and d.kind = 'document' and d.id = item.document_id limit 1
     ) t
     cross join lateral (
        select c.author_id, c.content -> 'from' as author from thread_comments c
         where c.organization_key = item.organization_key and c.resource_key = t.resource_key
           and c.annotation_id = item.annotation_id and c.comment_id = item.comment_id limit 1
     ) c
     cross join lateral (
        select k.notification_config #> '{notificationServiceConfig,triggers,comment}' as triggers from api_keys k
         where k.api_key_id = item.api_key_id and (k.notification_config ->> 'useNotificationService')::boolean limit 1
     ) key
     where coalesce((key.triggers ->> item.event_type)::boolean, (key.triggers ->> item.short_word)::boolean, true)
  ),
  added as (
    insert into notifications (organization_key, notification_id, resource_key, notified_at, notification_source, action_type, actor_id,
                               target_annotation_id, target_comment_id, location_id, notifies_all, requires_access, content)
    select organization_key, notification_id, resource_key, coalesce($10::timestamptz, clock_timestamp()), 'comment', short_word, author_id,
           annotation_id, comment_id, location_id, true, true,
           jsonb_build_object('actionUser', author, 'displayHeadlineMessageTemplate', headline)
      from commented order by organization_key, notification_id
    returning organization_key, resource_key, notification_id, notified_at, target_annotation_id, actor_id
  )
  insert into notification_recipients (organization_key, notification_id, user_id, notified_at, is_named, email)
  select a.organization_key, a.notification_id, u.user_id, a.notified_at, true, u.contact ->> 'email'
    from added a
   cross join lateral (
      select u.user_id, u.contact from thread_users u
       where u.organization_key = a.organization_key and u.resource_key = a.resource_key and u.annotation_id = a.target_annotation_id
         and u.subscription = 'subscribed' and u.user_id <> a.actor_id offset 0
   ) u
   order by a.organization_key, a.notification_id, u.user_id;

-- notifications.delete-by-document (server/features/notifications/statements.ts)
with found as materialized (
    select n.notification_id, n.row
      from (select n.*, n.ctid as row from notifications n
             where n.organization_key = $1 and n.resource_key = $2::uuid) n
      left join lateral (
        select r.is_named from notification_recipients r
         where r.organization_key = $1 and r.notification_id = n.notification_id and r.user_id = $4::text limit 1
      ) r on true
     where ($2::uuid is null or n.resource_key = $2::uuid)
       and ($3::text is null or n.location_id = $3::text)
       and ($4::text is null or r.is_named)
       and ($5::text[] is null or n.notification_id = any($5::text[]))
     limit 10000
  ),
  deleted as (delete from notifications n using found f where n.ctid = f.row)
  select notification_id as "notificationId" from found order by notification_id;

-- notifications.delete-by-id (server/features/notifications/statements.ts)
with found as materialized (
    select n.notification_id, n.row
      from (select n.* from (select distinct id from unnest($5::text[]) as asked (id)) asked
             cross join lateral (select n.*, n.ctid as row from notifications n
             where n.organization_key = $1 and n.notification_id = asked.id limit 1) n) n
      left join lateral (
        select r.is_named from notification_recipients r
         where r.organization_key = $1 and r.notification_id = n.notification_id and r.user_id = $4::text limit 1
      ) r on true
     where ($2::uuid is null or n.resource_key = $2::uuid)
       and ($3::text is null or n.location_id = $3::text)
       and ($4::text is null or r.is_named)
       and ($5::text[] is null or n.notification_id = any($5::text[]))
     limit 10000
  ),
  deleted as (delete from notifications n using found f where n.ctid = f.row)
  select notification_id as "notificationId" from found order by notification_id;

-- notifications.delete-by-location (server/features/notifications/statements.ts)
with found as materialized (
    select n.notification_id, n.row
      from (select n.*, n.ctid as row from notifications n
             where n.organization_key = $1 and n.location_id = $3::text) n
      left join lateral (
        select r.is_named from notification_recipients r
         where r.organization_key = $1 and r.notification_id = n.notification_id and r.user_id = $4::text limit 1
      ) r on true
     where ($2::uuid is null or n.resource_key = $2::uuid)
       and ($3::text is null or n.location_id = $3::text)
       and ($4::text is null or r.is_named)
       and ($5::text[] is null or n.notification_id = any($5::text[]))
     limit 10000
  ),
  deleted as (delete from notifications n using found f where n.ctid = f.row)
  select notification_id as "notificationId" from found order by notification_id;

-- notifications.delete-by-user (server/features/notifications/statements.ts)
with found as materialized (
    select n.notification_id, n.row
      from (select n.* from (select r.notification_id from notification_recipients r
                                                  where r.organization_key = $1 and r.user_id = $4::text and r.is_named) r
             cross join lateral (select n.*, n.ctid as row from notifications n
             where n.organization_key = $1 and n.notification_id = r.notification_id limit 1) n) n
      left join lateral (
        select r.is_named from notification_recipients r
         where r.organization_key = $1 and r.notification_id = n.notification_id and r.user_id = $4::text limit 1
      ) r on true
     where ($2::uuid is null or n.resource_key = $2::uuid)
       and ($3::text is null or n.location_id = $3::text)
       and ($4::text is null or r.is_named)
       and ($5::text[] is null or n.notification_id = any($5::text[]))
     limit 10000
  ),
  deleted as (delete from notifications n using found f where n.ctid = f.row)
  select notification_id as "notificationId" from found order by notification_id;

-- notifications.list-by-document asc (server/features/notifications/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.thread is null then 0
                  when pg_column_compression(p.thread) is null and pg_column_size(p.thread) < 500
                    then pg_column_size(p.thread)
                  else octet_length(p.thread::text) end + 
             case when p.comment is null then 0
                  when pg_column_compression(p.comment) is null and pg_column_size(p.comment) < 500
                    then pg_column_size(p.comment)
                  else octet_length(p.comment::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end + 
             case when p."namedIds" is null then 0
                  when pg_column_compression(p."namedIds") is null and pg_column_size(p."namedIds") < 500
                    then pg_column_size(p."namedIds")
                  else octet_length(p."namedIds"::text) end + 
             case when p."namedEmails" is null then 0
                  when pg_column_compression(p."namedEmails") is null and pg_column_size(p."namedEmails") < 500
                    then pg_column_size(p."namedEmails")
                  else octet_length(p."namedEmails"::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  with member as materialized (
  select exists (select from grants g where g.organization_key = $1 and g.resource_key = $1 and g.principal = $9::text and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())))
         and not exists (select from disabled_users d where d.api_key_id = $5 and d.user_id = $9::text) as is_member)
  select n.notification_id as id, n.notification_source as "notificationSource", n.action_type as "actionType", n.actor_id as "actorId",
         floor(extract(epoch from n.notified_at) * 1000)::float8 as timestamp, n.target_annotation_id as "targetAnnotationId",
         n.target_comment_id as "targetCommentId", n.requires_access as "requiresAccess", n.content, n.thread, n.comment,
         floor(extract(epoch from n.commented_at) * 1000)::float8 as "commentedAt", u.profile, d.id as "documentId", names.ids as "namedIds",
         names.emails as "namedEmails", coalesce(n.is_named, false) as "isNamed", n.email, n.read_at is not null or coalesce(n.is_seen, false) as "isRead", n.matches,
         n.scanned = 10000 as "isScanEnd"
    from (
      select n.*, r.is_named, r.email, r.read_at, commented.thread, commented.comment, commented.created_at as commented_at, commented.is_seen, row_number() over (order by n.notified_at asc, n.notification_id asc) as scanned,
             ($6::uuid is null or n.resource_key = $6::uuid) and ($7::text is null or n.location_id = $7::text)
               and ($8::text[] is null or n.notification_id = any($8::text[]))
               and ($9::text is null or not coalesce(r.is_hidden, false) and (n.target_comment_id is null or commented.is_for_user)
                    and (coalesce(r.is_named, false) or n.notifies_all and (select is_member from member))) as matches
        from (select n.* from notifications n
               where n.organization_key = $1 and n.resource_key = $6::uuid and (n.notified_at, n.notification_id) > (coalesce(to_timestamp($2::float8 / 1000), '-infinity'), coalesce($3::text, '')) order by n.notified_at asc, n.notification_id asc limit 10000) n
        left join lateral (
          select r.is_named, r.email, r.read_at, r.is_hidden from notification_recipients r
           where r.organization_key = n.organization_key and r.notification_id = n.notification_id and r.user_id = $9::text limit 1
        ) r on true
        
        left join lateral (
          select t.content as thread, c.content as comment, c.created_at, n.action_type <> 'updated' and coalesce(u.seen_through >= c.position, false) as is_seen,
                 c.author_id <> $9::text and u.subscription is distinct from 'unsubscribed'
                 and 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $9::text or $9::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $9::text and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())) limit 1
                            ) g))
                 and case coalesce(
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.resource_key and p.user_id = $9::text limit 1),
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.organization_key and p.user_id = $9::text limit 1),
                       'ALL') when 'ALL' then true when 'MINE' then coalesce(r.is_named, false) else false end as is_for_user
            from threads t
           cross join lateral (
              select * from thread_comments c
               where c.organization_key = t.organization_key and c.resource_key = t.resource_key
                 and c.annotation_id = t.annotation_id and c.comment_id = n.target_comment_id limit 1
           ) c
            left join lateral (
              select u.subscription, u.seen_through from thread_users u
               where u.organization_key = t.organization_key and u.resource_key = t.resource_key
                 and u.annotation_id = t.annotation_id and u.user_id = $9::text limit 1
            ) u on true
           where t.organization_key = n.organization_key and t.resource_key = n.resource_key
             and t.annotation_id = n.target_annotation_id and n.target_comment_id is not null limit 1
        ) commented on true
    ) n
   cross join lateral (
      select r.id from resources r where r.organization_key = n.organization_key and r.resource_key = n.resource_key limit 1
    ) d
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = n.actor_id limit 1) u on true
    left join lateral (
      select array_agg(r.user_id order by r.user_id) as ids, array_agg(r.email order by r.user_id) as emails
        from (select * from notification_recipients r
               where r.organization_key = n.organization_key and r.notification_id = n.notification_id and $9::text is null offset 0) r
       where r.is_named
    ) names on true
   where n.matches or n.scanned = 10000
   order by n.notified_at asc, n.notification_id asc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- notifications.list-by-document desc (server/features/notifications/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.thread is null then 0
                  when pg_column_compression(p.thread) is null and pg_column_size(p.thread) < 500
                    then pg_column_size(p.thread)
                  else octet_length(p.thread::text) end + 
             case when p.comment is null then 0
                  when pg_column_compression(p.comment) is null and pg_column_size(p.comment) < 500
                    then pg_column_size(p.comment)
                  else octet_length(p.comment::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end + 
             case when p."namedIds" is null then 0
                  when pg_column_compression(p."namedIds") is null and pg_column_size(p."namedIds") < 500
                    then pg_column_size(p."namedIds")
                  else octet_length(p."namedIds"::text) end + 
             case when p."namedEmails" is null then 0
                  when pg_column_compression(p."namedEmails") is null and pg_column_size(p."namedEmails") < 500
                    then pg_column_size(p."namedEmails")
                  else octet_length(p."namedEmails"::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  with member as materialized (
  select exists (select from grants g where g.organization_key = $1 and g.resource_key = $1 and g.principal = $9::text and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())))
         and not exists (select from disabled_users d where d.api_key_id = $5 and d.user_id = $9::text) as is_member)
  select n.notification_id as id, n.notification_source as "notificationSource", n.action_type as "actionType", n.actor_id as "actorId",
         floor(extract(epoch from n.notified_at) * 1000)::float8 as timestamp, n.target_annotation_id as "targetAnnotationId",
         n.target_comment_id as "targetCommentId", n.requires_access as "requiresAccess", n.content, n.thread, n.comment,
         floor(extract(epoch from n.commented_at) * 1000)::float8 as "commentedAt", u.profile, d.id as "documentId", names.ids as "namedIds",
         names.emails as "namedEmails", coalesce(n.is_named, false) as "isNamed", n.email, n.read_at is not null or coalesce(n.is_seen, false) as "isRead", n.matches,
         n.scanned = 10000 as "isScanEnd"
    from (
      select n.*, r.is_named, r.email, r.read_at, commented.thread, commented.comment, commented.created_at as commented_at, commented.is_seen, row_number() over (order by n.notified_at desc, n.notification_id desc) as scanned,
             ($6::uuid is null or n.resource_key = $6::uuid) and ($7::text is null or n.location_id = $7::text)
               and ($8::text[] is null or n.notification_id = any($8::text[]))
               and ($9::text is null or not coalesce(r.is_hidden, false) and (n.target_comment_id is null or commented.is_for_user)
                    and (coalesce(r.is_named, false) or n.notifies_all and (select is_member from member))) as matches
        from (select n.* from notifications n
               where n.organization_key = $1 and n.resource_key = $6::uuid and (n.notified_at, n.notification_id) < (coalesce(to_timestamp($2::float8 / 1000), 'infinity'), coalesce($3::text, '')) order by n.notified_at desc, n.notification_id desc limit 10000) n
        left join lateral (
          select r.is_named, r.email, r.read_at, r.is_hidden from notification_recipients r
           where r.organization_key = n.organization_key and r.notification_id = n.notification_id and r.user_id = $9::text limit 1
        ) r on true
        
        left join lateral (
          select t.content as thread, c.content as comment, c.created_at, n.action_type <> 'updated' and coalesce(u.seen_through >= c.position, false) as is_seen,
                 c.author_id <> $9::text and u.subscription is distinct from 'unsubscribed'
                 and 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $9::text or $9::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $9::text and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())) limit 1
                            ) g))
                 and case coalesce(
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.resource_key and p.user_id = $9::text limit 1),
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.organization_key and p.user_id = $9::text limit 1),
                       'ALL') when 'ALL' then true when 'MINE' then coalesce(r.is_named, false) else false end as is_for_user
            from threads t
           cross join lateral (
              select * from thread_comments c
               where c.organization_key = t.organization_key and c.resource_key = t.resource_key
                 and c.annotation_id = t.annotation_id and c.comment_id = n.target_comment_id limit 1
           ) c
            left join lateral (
              select u.subscription, u.seen_through from thread_users u
               where u.organization_key = t.organization_key and u.resource_key = t.resource_key
                 and u.annotation_id = t.annotation_id and u.user_id = $9::text limit 1
            ) u on true
           where t.organization_key = n.organization_key and t.resource_key = n.resource_key
             and t.annotation_id = n.target_annotation_id and n.target_comment_id is not null limit 1
        ) commented on true
    ) n
   cross join lateral (
      select r.id from resources r where r.organization_key = n.organization_key and r.resource_key = n.resource_key limit 1
    ) d
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = n.actor_id limit 1) u on true
    left join lateral (
      select array_agg(r.user_id order by r.user_id) as ids, array_agg(r.email order by r.user_id) as emails
        from (select * from notification_recipients r
               where r.organization_key = n.organization_key and r.notification_id = n.notification_id and $9::text is null offset 0) r
       where r.is_named
    ) names on true
   where n.matches or n.scanned = 10000
   order by n.notified_at desc, n.notification_id desc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- notifications.list-by-id asc (server/features/notifications/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.thread is null then 0
                  when pg_column_compression(p.thread) is null and pg_column_size(p.thread) < 500
                    then pg_column_size(p.thread)
                  else octet_length(p.thread::text) end + 
             case when p.comment is null then 0
                  when pg_column_compression(p.comment) is null and pg_column_size(p.comment) < 500
                    then pg_column_size(p.comment)
                  else octet_length(p.comment::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end + 
             case when p."namedIds" is null then 0
                  when pg_column_compression(p."namedIds") is null and pg_column_size(p."namedIds") < 500
                    then pg_column_size(p."namedIds")
                  else octet_length(p."namedIds"::text) end + 
             case when p."namedEmails" is null then 0
                  when pg_column_compression(p."namedEmails") is null and pg_column_size(p."namedEmails") < 500
                    then pg_column_size(p."namedEmails")
                  else octet_length(p."namedEmails"::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  with member as materialized (
  select exists (select from grants g where g.organization_key = $1 and g.resource_key = $1 and g.principal = $9::text and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())))
         and not exists (select from disabled_users d where d.api_key_id = $5 and d.user_id = $9::text) as is_member)
  select n.notification_id as id, n.notification_source as "notificationSource", n.action_type as "actionType", n.actor_id as "actorId",
         floor(extract(epoch from n.notified_at) * 1000)::float8 as timestamp, n.target_annotation_id as "targetAnnotationId",
         n.target_comment_id as "targetCommentId", n.requires_access as "requiresAccess", n.content, n.thread, n.comment,
         floor(extract(epoch from n.commented_at) * 1000)::float8 as "commentedAt", u.profile, d.id as "documentId", names.ids as "namedIds",
         names.emails as "namedEmails", coalesce(n.is_named, false) as "isNamed", n.email, n.read_at is not null or coalesce(n.is_seen, false) as "isRead", n.matches,
         n.scanned = 10000 as "isScanEnd"
    from (
      select n.*, r.is_named, r.email, r.read_at, commented.thread, commented.comment, commented.created_at as commented_at, commented.is_seen, row_number() over (order by n.notified_at asc, n.notification_id asc) as scanned,
             ($6::uuid is null or n.resource_key = $6::uuid) and ($7::text is null or n.location_id = $7::text)
               and ($8::text[] is null or n.notification_id = any($8::text[]))
               and ($9::text is null or not coalesce(r.is_hidden, false) and (n.target_comment_id is null or commented.is_for_user)
                    and (coalesce(r.is_named, false) or n.notifies_all and (select is_member from member))) as matches
        from (select n.* from (select distinct id from unnest($8::text[]) as asked (id)) asked
               cross join lateral (
                  select n.* from notifications n where n.organization_key = $1 and n.notification_id = asked.id limit 1
               ) n
               where (n.notified_at, n.notification_id) > (coalesce(to_timestamp($2::float8 / 1000), '-infinity'), coalesce($3::text, '')) order by n.notified_at asc, n.notification_id asc limit 10000) n
        left join lateral (
          select r.is_named, r.email, r.read_at, r.is_hidden from notification_recipients r
           where r.organization_key = n.organization_key and r.notification_id = n.notification_id and r.user_id = $9::text limit 1
        ) r on true
        
        left join lateral (
          select t.content as thread, c.content as comment, c.created_at, n.action_type <> 'updated' and coalesce(u.seen_through >= c.position, false) as is_seen,
                 c.author_id <> $9::text and u.subscription is distinct from 'unsubscribed'
                 and 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $9::text or $9::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $9::text and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())) limit 1
                            ) g))
                 and case coalesce(
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.resource_key and p.user_id = $9::text limit 1),
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.organization_key and p.user_id = $9::text limit 1),
                       'ALL') when 'ALL' then true when 'MINE' then coalesce(r.is_named, false) else false end as is_for_user
            from threads t
           cross join lateral (
              select * from thread_comments c
               where c.organization_key = t.organization_key and c.resource_key = t.resource_key
                 and c.annotation_id = t.annotation_id and c.comment_id = n.target_comment_id limit 1
           ) c
            left join lateral (
              select u.subscription, u.seen_through from thread_users u
               where u.organization_key = t.organization_key and u.resource_key = t.resource_key
                 and u.annotation_id = t.annotation_id and u.user_id = $9::text limit 1
            ) u on true
           where t.organization_key = n.organization_key and t.resource_key = n.resource_key
             and t.annotation_id = n.target_annotation_id and n.target_comment_id is not null limit 1
        ) commented on true
    ) n
   cross join lateral (
      select r.id from resources r where r.organization_key = n.organization_key and r.resource_key = n.resource_key limit 1
    ) d
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = n.actor_id limit 1) u on true
    left join lateral (
      select array_agg(r.user_id order by r.user_id) as ids, array_agg(r.email order by r.user_id) as emails
        from (select * from notification_recipients r
               where r.organization_key = n.organization_key and r.notification_id = n.notification_id and $9::text is null offset 0) r
       where r.is_named
    ) names on true
   where n.matches or n.scanned = 10000
   order by n.notified_at asc, n.notification_id asc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- notifications.list-by-id desc (server/features/notifications/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.thread is null then 0
                  when pg_column_compression(p.thread) is null and pg_column_size(p.thread) < 500
                    then pg_column_size(p.thread)
                  else octet_length(p.thread::text) end + 
             case when p.comment is null then 0
                  when pg_column_compression(p.comment) is null and pg_column_size(p.comment) < 500
                    then pg_column_size(p.comment)
                  else octet_length(p.comment::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end + 
             case when p."namedIds" is null then 0
                  when pg_column_compression(p."namedIds") is null and pg_column_size(p."namedIds") < 500
                    then pg_column_size(p."namedIds")
                  else octet_length(p."namedIds"::text) end + 
             case when p."namedEmails" is null then 0
                  when pg_column_compression(p."namedEmails") is null and pg_column_size(p."namedEmails") < 500
                    then pg_column_size(p."namedEmails")
                  else octet_length(p."namedEmails"::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  with member as materialized (
  select exists (select from grants g where g.organization_key = $1 and g.resource_key = $1 and g.principal = $9::text and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())))
         and not exists (select from disabled_users d where d.api_key_id = $5 and d.user_id = $9::text) as is_member)
  select n.notification_id as id, n.notification_source as "notificationSource", n.action_type as "actionType", n.actor_id as "actorId",
         floor(extract(epoch from n.notified_at) * 1000)::float8 as timestamp, n.target_annotation_id as "targetAnnotationId",
         n.target_comment_id as "targetCommentId", n.requires_access as "requiresAccess", n.content, n.thread, n.comment,
         floor(extract(epoch from n.commented_at) * 1000)::float8 as "commentedAt", u.profile, d.id as "documentId", names.ids as "namedIds",
         names.emails as "namedEmails", coalesce(n.is_named, false) as "isNamed", n.email, n.read_at is not null or coalesce(n.is_seen, false) as "isRead", n.matches,
         n.scanned = 10000 as "isScanEnd"
    from (
      select n.*, r.is_named, r.email, r.read_at, commented.thread, commented.comment, commented.created_at as commented_at, commented.is_seen, row_number() over (order by n.notified_at desc, n.notification_id desc) as scanned,
             ($6::uuid is null or n.resource_key = $6::uuid) and ($7::text is null or n.location_id = $7::text)
               and ($8::text[] is null or n.notification_id = any($8::text[]))
               and ($9::text is null or not coalesce(r.is_hidden, false) and (n.target_comment_id is null or commented.is_for_user)
                    and (coalesce(r.is_named, false) or n.notifies_all and (select is_member from member))) as matches
        from (select n.* from (select distinct id from unnest($8::text[]) as asked (id)) asked
               cross join lateral (
                  select n.* from notifications n where n.organization_key = $1 and n.notification_id = asked.id limit 1
               ) n
               where (n.notified_at, n.notification_id) < (coalesce(to_timestamp($2::float8 / 1000), 'infinity'), coalesce($3::text, '')) order by n.notified_at desc, n.notification_id desc limit 10000) n
        left join lateral (
          select r.is_named, r.email, r.read_at, r.is_hidden from notification_recipients r
           where r.organization_key = n.organization_key and r.notification_id = n.notification_id and r.user_id = $9::text limit 1
        ) r on true
        
        left join lateral (
          select t.content as thread, c.content as comment, c.created_at, n.action_type <> 'updated' and coalesce(u.seen_through >= c.position, false) as is_seen,
                 c.author_id <> $9::text and u.subscription is distinct from 'unsubscribed'
                 and 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $9::text or $9::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $9::text and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())) limit 1
                            ) g))
                 and case coalesce(
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.resource_key and p.user_id = $9::text limit 1),
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.organization_key and p.user_id = $9::text limit 1),
                       'ALL') when 'ALL' then true when 'MINE' then coalesce(r.is_named, false) else false end as is_for_user
            from threads t
           cross join lateral (
              select * from thread_comments c
               where c.organization_key = t.organization_key and c.resource_key = t.resource_key
                 and c.annotation_id = t.annotation_id and c.comment_id = n.target_comment_id limit 1
           ) c
            left join lateral (
              select u.subscription, u.seen_through from thread_users u
               where u.organization_key = t.organization_key and u.resource_key = t.resource_key
                 and u.annotation_id = t.annotation_id and u.user_id = $9::text limit 1
            ) u on true
           where t.organization_key = n.organization_key and t.resource_key = n.resource_key
             and t.annotation_id = n.target_annotation_id and n.target_comment_id is not null limit 1
        ) commented on true
    ) n
   cross join lateral (
      select r.id from resources r where r.organization_key = n.organization_key and r.resource_key = n.resource_key limit 1
    ) d
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = n.actor_id limit 1) u on true
    left join lateral (
      select array_agg(r.user_id order by r.user_id) as ids, array_agg(r.email order by r.user_id) as emails
        from (select * from notification_recipients r
               where r.organization_key = n.organization_key and r.notification_id = n.notification_id and $9::text is null offset 0) r
       where r.is_named
    ) names on true
   where n.matches or n.scanned = 10000
   order by n.notified_at desc, n.notification_id desc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- notifications.list-by-user asc (server/features/notifications/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.thread is null then 0
                  when pg_column_compression(p.thread) is null and pg_column_size(p.thread) < 500
                    then pg_column_size(p.thread)
                  else octet_length(p.thread::text) end + 
             case when p.comment is null then 0
                  when pg_column_compression(p.comment) is null and pg_column_size(p.comment) < 500
                    then pg_column_size(p.comment)
                  else octet_length(p.comment::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end + 
             case when p."namedIds" is null then 0
                  when pg_column_compression(p."namedIds") is null and pg_column_size(p."namedIds") < 500
                    then pg_column_size(p."namedIds")
                  else octet_length(p."namedIds"::text) end + 
             case when p."namedEmails" is null then 0
                  when pg_column_compression(p."namedEmails") is null and pg_column_size(p."namedEmails") < 500
                    then pg_column_size(p."namedEmails")
                  else octet_length(p."namedEmails"::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  with member as materialized (
  select exists (select from grants g where g.organization_key = $1 and g.resource_key = $1 and g.principal = $9::text and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())))
         and not exists (select from disabled_users d where d.api_key_id = $5 and d.user_id = $9::text) as is_member)
  select n.notification_id as id, n.notification_source as "notificationSource", n.action_type as "actionType", n.actor_id as "actorId",
         floor(extract(epoch from n.notified_at) * 1000)::float8 as timestamp, n.target_annotation_id as "targetAnnotationId",
         n.target_comment_id as "targetCommentId", n.requires_access as "requiresAccess", n.content, n.thread, n.comment,
         floor(extract(epoch from n.commented_at) * 1000)::float8 as "commentedAt", u.profile, d.id as "documentId", names.ids as "namedIds",
         names.emails as "namedEmails", coalesce(n.is_named, false) as "isNamed", n.email, n.read_at is not null or coalesce(n.is_seen, false) as "isRead", n.matches,
         n.scanned = 10000 as "isScanEnd"
    from (
      select n.*, r.is_named, r.email, r.read_at, commented.thread, commented.comment, commented.created_at as commented_at, commented.is_seen, row_number() over (order by n.notified_at asc, n.notification_id asc) as scanned,
             ($6::uuid is null or n.resource_key = $6::uuid) and ($7::text is null or n.location_id = $7::text)
               and ($8::text[] is null or n.notification_id = any($8::text[]))
               and ($9::text is null or not coalesce(r.is_hidden, false) and (n.target_comment_id is null or commented.is_for_user)
                    and (coalesce(r.is_named, false) or n.notifies_all and (select is_member from member))) as matches
        from (
         select k.notified_at, k.notification_id, n.organization_key, n.resource_key, n.notification_source, n.action_type, n.actor_id,
                n.target_annotation_id, n.target_comment_id, n.location_id, n.notifies_all, n.requires_access, n.content
           from (
             select merged.notified_at, merged.notification_id from (
               (select i.notified_at, i.notification_id from notification_recipients i
                 where i.organization_key = $1 and i.user_id = $9::text and i.is_named and (i.notified_at, i.notification_id) > (coalesce(to_timestamp($2::float8 / 1000), '-infinity'), coalesce($3::text, '')) order by i.notified_at asc, i.notification_id asc limit 10000)
               union all
               (select broadcast.notified_at, broadcast.notification_id
                  from (select n.notified_at, n.notification_id from notifications n
                         where n.organization_key = $1 and n.notifies_all and (select is_member from member)
                           and (n.notified_at, n.notification_id) > (coalesce(to_timestamp($2::float8 / 1000), '-infinity'), coalesce($3::text, '')) order by n.notified_at asc, n.notification_id asc limit 10000) broadcast
                  left join lateral (
                     select r.is_named from notification_recipients r
                      where r.organization_key = $1 and r.notification_id = broadcast.notification_id and r.user_id = $9::text limit 1
                  ) r on true
                 where r.is_named is not true
                 order by broadcast.notified_at asc, broadcast.notification_id asc)
             ) merged order by merged.notified_at asc, merged.notification_id asc limit 10000
           ) k
          cross join lateral (
             select n.* from notifications n where n.organization_key = $1 and n.notification_id = k.notification_id limit 1
          ) n) n
        left join lateral (
          select r.is_named, r.email, r.read_at, r.is_hidden from notification_recipients r
           where r.organization_key = n.organization_key and r.notification_id = n.notification_id and r.user_id = $9::text limit 1
        ) r on true
        
        left join lateral (
          select t.content as thread, c.content as comment, c.created_at, n.action_type <> 'updated' and coalesce(u.seen_through >= c.position, false) as is_seen,
                 c.author_id <> $9::text and u.subscription is distinct from 'unsubscribed'
                 and 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $9::text or $9::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $9::text and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())) limit 1
                            ) g))
                 and case coalesce(
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.resource_key and p.user_id = $9::text limit 1),
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.organization_key and p.user_id = $9::text limit 1),
                       'ALL') when 'ALL' then true when 'MINE' then coalesce(r.is_named, false) else false end as is_for_user
            from threads t
           cross join lateral (
              select * from thread_comments c
               where c.organization_key = t.organization_key and c.resource_key = t.resource_key
                 and c.annotation_id = t.annotation_id and c.comment_id = n.target_comment_id limit 1
           ) c
            left join lateral (
              select u.subscription, u.seen_through from thread_users u
               where u.organization_key = t.organization_key and u.resource_key = t.resource_key
                 and u.annotation_id = t.annotation_id and u.user_id = $9::text limit 1
            ) u on true
           where t.organization_key = n.organization_key and t.resource_key = n.resource_key
             and t.annotation_id = n.target_annotation_id and n.target_comment_id is not null limit 1
        ) commented on true
    ) n
   cross join lateral (
      select r.id from resources r where r.organization_key = n.organization_key and r.resource_key = n.resource_key limit 1
    ) d
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = n.actor_id limit 1) u on true
    left join lateral (
      select array_agg(r.user_id order by r.user_id) as ids, array_agg(r.email order by r.user_id) as emails
        from (select * from notification_recipients r
               where r.organization_key = n.organization_key and r.notification_id = n.notification_id and $9::text is null offset 0) r
       where r.is_named
    ) names on true
   where n.matches or n.scanned = 10000
   order by n.notified_at asc, n.notification_id asc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- notifications.list-by-user desc (server/features/notifications/read-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end + 
             case when p.thread is null then 0
                  when pg_column_compression(p.thread) is null and pg_column_size(p.thread) < 500
                    then pg_column_size(p.thread)
                  else octet_length(p.thread::text) end + 
             case when p.comment is null then 0
                  when pg_column_compression(p.comment) is null and pg_column_size(p.comment) < 500
                    then pg_column_size(p.comment)
                  else octet_length(p.comment::text) end + 
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end + 
             case when p."namedIds" is null then 0
                  when pg_column_compression(p."namedIds") is null and pg_column_size(p."namedIds") < 500
                    then pg_column_size(p."namedIds")
                  else octet_length(p."namedIds"::text) end + 
             case when p."namedEmails" is null then 0
                  when pg_column_compression(p."namedEmails") is null and pg_column_size(p."namedEmails") < 500
                    then pg_column_size(p."namedEmails")
                  else octet_length(p."namedEmails"::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  with member as materialized (
  select exists (select from grants g where g.organization_key = $1 and g.resource_key = $1 and g.principal = $9::text and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())))
         and not exists (select from disabled_users d where d.api_key_id = $5 and d.user_id = $9::text) as is_member)
  select n.notification_id as id, n.notification_source as "notificationSource", n.action_type as "actionType", n.actor_id as "actorId",
         floor(extract(epoch from n.notified_at) * 1000)::float8 as timestamp, n.target_annotation_id as "targetAnnotationId",
         n.target_comment_id as "targetCommentId", n.requires_access as "requiresAccess", n.content, n.thread, n.comment,
         floor(extract(epoch from n.commented_at) * 1000)::float8 as "commentedAt", u.profile, d.id as "documentId", names.ids as "namedIds",
         names.emails as "namedEmails", coalesce(n.is_named, false) as "isNamed", n.email, n.read_at is not null or coalesce(n.is_seen, false) as "isRead", n.matches,
         n.scanned = 10000 as "isScanEnd"
    from (
      select n.*, r.is_named, r.email, r.read_at, commented.thread, commented.comment, commented.created_at as commented_at, commented.is_seen, row_number() over (order by n.notified_at desc, n.notification_id desc) as scanned,
             ($6::uuid is null or n.resource_key = $6::uuid) and ($7::text is null or n.location_id = $7::text)
               and ($8::text[] is null or n.notification_id = any($8::text[]))
               and ($9::text is null or not coalesce(r.is_hidden, false) and (n.target_comment_id is null or commented.is_for_user)
                    and (coalesce(r.is_named, false) or n.notifies_all and (select is_member from member))) as matches
        from (
         select k.notified_at, k.notification_id, n.organization_key, n.resource_key, n.notification_source, n.action_type, n.actor_id,
                n.target_annotation_id, n.target_comment_id, n.location_id, n.notifies_all, n.requires_access, n.content
           from (
             select merged.notified_at, merged.notification_id from (
               (select i.notified_at, i.notification_id from notification_recipients i
                 where i.organization_key = $1 and i.user_id = $9::text and i.is_named and (i.notified_at, i.notification_id) < (coalesce(to_timestamp($2::float8 / 1000), 'infinity'), coalesce($3::text, '')) order by i.notified_at desc, i.notification_id desc limit 10000)
               union all
               (select broadcast.notified_at, broadcast.notification_id
                  from (select n.notified_at, n.notification_id from notifications n
                         where n.organization_key = $1 and n.notifies_all and (select is_member from member)
                           and (n.notified_at, n.notification_id) < (coalesce(to_timestamp($2::float8 / 1000), 'infinity'), coalesce($3::text, '')) order by n.notified_at desc, n.notification_id desc limit 10000) broadcast
                  left join lateral (
                     select r.is_named from notification_recipients r
                      where r.organization_key = $1 and r.notification_id = broadcast.notification_id and r.user_id = $9::text limit 1
                  ) r on true
                 where r.is_named is not true
                 order by broadcast.notified_at desc, broadcast.notification_id desc)
             ) merged order by merged.notified_at desc, merged.notification_id desc limit 10000
           ) k
          cross join lateral (
             select n.* from notifications n where n.organization_key = $1 and n.notification_id = k.notification_id limit 1
          ) n) n
        left join lateral (
          select r.is_named, r.email, r.read_at, r.is_hidden from notification_recipients r
           where r.organization_key = n.organization_key and r.notification_id = n.notification_id and r.user_id = $9::text limit 1
        ) r on true
        
        left join lateral (
          select t.content as thread, c.content as comment, c.created_at, n.action_type <> 'updated' and coalesce(u.seen_through >= c.position, false) as is_seen,
                 c.author_id <> $9::text and u.subscription is distinct from 'unsubscribed'
                 and 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $9::text or $9::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $9::text and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())) limit 1
                            ) g))
                 and case coalesce(
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.resource_key and p.user_id = $9::text limit 1),
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.organization_key and p.user_id = $9::text limit 1),
                       'ALL') when 'ALL' then true when 'MINE' then coalesce(r.is_named, false) else false end as is_for_user
            from threads t
           cross join lateral (
              select * from thread_comments c
               where c.organization_key = t.organization_key and c.resource_key = t.resource_key
                 and c.annotation_id = t.annotation_id and c.comment_id = n.target_comment_id limit 1
           ) c
            left join lateral (
              select u.subscription, u.seen_through from thread_users u
               where u.organization_key = t.organization_key and u.resource_key = t.resource_key
                 and u.annotation_id = t.annotation_id and u.user_id = $9::text limit 1
            ) u on true
           where t.organization_key = n.organization_key and t.resource_key = n.resource_key
             and t.annotation_id = n.target_annotation_id and n.target_comment_id is not null limit 1
        ) commented on true
    ) n
   cross join lateral (
      select r.id from resources r where r.organization_key = n.organization_key and r.resource_key = n.resource_key limit 1
    ) d
    left join lateral (select u.profile from users u where u.api_key_id = $5 and u.user_id = n.actor_id limit 1) u on true
    left join lateral (
      select array_agg(r.user_id order by r.user_id) as ids, array_agg(r.email order by r.user_id) as emails
        from (select * from notification_recipients r
               where r.organization_key = n.organization_key and r.notification_id = n.notification_id and $9::text is null offset 0) r
       where r.is_named
    ) names on true
   where n.matches or n.scanned = 10000
   order by n.notified_at desc, n.notification_id desc limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- notifications.update (server/features/notifications/statements.ts)
with item as materialized (
    select item.*, held.row, held.notified_at, held.notifies_all, held.notification_id is not null as found
      from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::jsonb[], $7::text[], $8::text[], $9::jsonb[], $10::jsonb[], $11::boolean[]) with ordinality as item(organization_key, notification_id, resource_key, location_id, user_id, changes, actor_id, new_location_id, named, readers, persists_read, ord)
      left join lateral (
        select n.ctid as row, n.notification_id, n.notified_at, n.notifies_all from notifications n
         where n.organization_key = item.organization_key and n.notification_id = item.notification_id
           and (item.resource_key is null or n.resource_key = item.resource_key)
           and (item.location_id is null or n.location_id = item.location_id)
           and (item.user_id is null or n.notifies_all or exists (
                  select from notification_recipients r
                   where r.organization_key = n.organization_key and r.notification_id = n.notification_id
                     and r.user_id = item.user_id and coalesce(r.is_named, false)))
         limit 1
      ) held on true
  ),
  written as (
    update notifications n
       set content = 
  ((n.content || item.changes) - array(select key from jsonb_each(item.changes) where value = 'null')), actor_id = coalesce(item.actor_id, n.actor_id),
           location_id = coalesce(item.new_location_id, n.location_id)
      from item
     where n.ctid = item.row and (item.changes <> '{}' or item.new_location_id is not null)
  ),
  wanted as materialized (
    select item.organization_key, item.notification_id, item.notified_at, recipient."userId" as user_id, recipient.email
      from item cross join lateral jsonb_to_recordset(item.named) as recipient ("userId" text, email text)
     where item.found
  ),
  read as materialized (
    select item.organization_key, item.notification_id, item.notified_at, reader.user_id, item.persists_read
      from item cross join lateral (select distinct value as user_id from jsonb_array_elements_text(item.readers)) reader
     where item.found and (item.notifies_all or exists (
             select from wanted w where w.organization_key = item.organization_key
                and w.notification_id = item.notification_id and w.user_id = reader.user_id)
           or item.named is null and exists (
             select from notification_recipients r where r.organization_key = item.organization_key
                and r.notification_id = item.notification_id and r.user_id = reader.user_id and coalesce(r.is_named, false)))
  ),
  unnamed as (
    delete from notification_recipients r using (
      select there.row from item
       cross join lateral (
         select r.ctid as row, r.user_id, r.is_named from notification_recipients r
          where r.organization_key = item.organization_key and r.notification_id = item.notification_id offset 0
       ) there
       where item.found and item.named is not null and there.is_named
         and not exists (select from wanted w where w.organization_key = item.organization_key
                            and w.notification_id = item.notification_id and w.user_id = there.user_id)
         and not exists (select from read where read.organization_key = item.organization_key
                            and read.notification_id = item.notification_id and read.user_id = there.user_id)
    ) gone
     where r.ctid = gone.row
  ),
  recipients as (
    insert into notification_recipients as r (organization_key, notification_id, user_id, notified_at, is_named, email, read_at, is_hidden)
    select organization_key, notification_id, user_id, coalesce(w.notified_at, read.notified_at), w.user_id is not null, w.email,
           case when read.user_id is not null then coalesce($12::timestamptz, clock_timestamp()) end, coalesce(not read.persists_read, false)
      from wanted w full join read using (organization_key, notification_id, user_id)
     order by organization_key, notification_id, user_id
    on conflict (organization_key, notification_id, user_id) do update
       set is_named = excluded.is_named or r.is_named and not exists (
             select from item where item.organization_key = r.organization_key and item.notification_id = r.notification_id and item.named is not null),
           email = coalesce(excluded.email, r.email),
           read_at = coalesce(r.read_at, excluded.read_at),
           is_hidden = case when excluded.read_at is null then r.is_hidden else excluded.is_hidden end
  )
  select notification_id as "notificationId", found from item order by ord;

-- operator-identities.add (server/features/single-sign-on/statements.ts)
insert into operator_identities (workspace_id, issuer, subject, operator_id, has_role_of_rule)
  values ($1, $2, $3, $4::uuid, $5);

-- operator-identities.find (server/features/single-sign-on/statements.ts)
select operator_id as "operatorId", has_role_of_rule as "hasRoleOfRule"
    from operator_identities where workspace_id = $1 and issuer = $2 and subject = $3;

-- operator-identities.has (server/features/single-sign-on/statements.ts)
select subject from operator_identities where workspace_id = $1 and operator_id = $2::uuid and issuer = $3;

-- operator-identities.record-role (server/features/single-sign-on/statements.ts)
update operator_identities set has_role_of_rule = true
   where workspace_id = $1 and issuer = $2 and subject = $3 and not has_role_of_rule;

-- operators.count (server/features/operators/statements.ts)
select count(*) as "all", count(*) filter (where role = 'owner') as owners from operators where workspace_id = $1;

-- operators.find-by-email (server/features/operators/statements.ts)
select 
  o.operator_id as id, o.email, o.name, o.role, o.invited_by as "invitedBy", o.created_at as "createdAt",
  o.last_seen_at as "lastSeenAt",
  (select max(l.expires_at) from login_links l
    where l.workspace_id = o.workspace_id and l.operator_id = o.operator_id
      and l.used_at is null and l.expires_at > coalesce($3::timestamptz, clock_timestamp())) as "linkExpiresAt" from operators o where o.workspace_id = $1 and lower(o.email collate "C") = lower($2::text collate "C");

-- operators.get (server/features/operators/statements.ts)
select 
  o.operator_id as id, o.email, o.name, o.role, o.invited_by as "invitedBy", o.created_at as "createdAt",
  o.last_seen_at as "lastSeenAt",
  (select max(l.expires_at) from login_links l
    where l.workspace_id = o.workspace_id and l.operator_id = o.operator_id
      and l.used_at is null and l.expires_at > coalesce($2::timestamptz, clock_timestamp())) as "linkExpiresAt" from operators o where o.workspace_id = $1 order by o.created_at, o.operator_id;

-- operators.get-one (server/features/operators/statements.ts)
select 
  o.operator_id as id, o.email, o.name, o.role, o.invited_by as "invitedBy", o.created_at as "createdAt",
  o.last_seen_at as "lastSeenAt",
  (select max(l.expires_at) from login_links l
    where l.workspace_id = o.workspace_id and l.operator_id = o.operator_id
      and l.used_at is null and l.expires_at > coalesce($3::timestamptz, clock_timestamp())) as "linkExpiresAt" from operators o where o.workspace_id = $1 and o.operator_id::text = $2;

-- operators.insert (server/features/operators/statements.ts)
insert into operators (workspace_id, email, name, role, invited_by) values ($1, $2, $3, $4, $5)
  returning operator_id as id;

-- operators.record-seen (server/features/operators/statements.ts)
update operators set last_seen_at = coalesce($3::timestamptz, clock_timestamp())
   where workspace_id = $1 and operator_id = $2::uuid
     and (last_seen_at is null or last_seen_at <= coalesce($3::timestamptz, clock_timestamp()) - interval '1 minute');

-- operators.remove (server/features/operators/statements.ts)
delete from operators where workspace_id = $1 and operator_id = $2::uuid;

-- operators.update (server/features/operators/statements.ts)
update operators set name = $3, role = $4, invited_by = $5 where workspace_id = $1 and operator_id = $2::uuid;

-- organizations.add (server/features/resources/organizations/statements.ts)
with merged as materialized (
    select item.organization_key, item.ord, item.actor, o.added_at is not null as added,
           o.name as old_name, o.metadata as old_metadata, o.disabled as old_disabled,
           coalesce(item.name, o.name) as new_name, o.metadata || item.metadata as new_metadata,
           coalesce(item.disabled, o.disabled) as new_disabled
      from unnest($1::uuid[], $2::text[], $3::boolean[], $4::jsonb[], $5::jsonb[]) with ordinality as item(organization_key, name, disabled, metadata, actor, ord) join organizations o on o.organization_key = item.organization_key
  ),
  named as materialized (select * from merged where (octet_length(new_metadata::text) <= 73728
    and (select count(*) from jsonb_object_keys(new_metadata)) <= 120)),
  compared as (
    select *, not added or (old_name, old_metadata) is distinct from (new_name, new_metadata) as described,
           added and old_disabled <> new_disabled as switched
      from named
  ),
  changed as materialized (select *, described::int + switched::int as events from compared where described or switched),
  opening as (select organization_key from named where not added),
  
  root as (
    insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
    select o.organization_key, o.organization_key, 'organization'::resource_kind, o.organization_id, clock_timestamp(),
           array[o.organization_key], 1, o.organization_key
      from organizations o
     where o.organization_key in (select organization_key from opening)
  ),
  event as (
    select organization_key, 0 as position, case when added then 'organization.updated' else 'organization.added' end as type,
           null::resource_kind as resource_kind, null as resource_id, null as user_id, actor,
           case when added then jsonb_build_object('organizationName', old_name, 'metadata', old_metadata) end as before,
           jsonb_build_object('organizationName', new_name, 'metadata', new_metadata)
             || case when not added and new_disabled then '{"disabled": true}'::jsonb else '{}' end as after
      from changed where described
    union all
    select organization_key, 1, case when new_disabled then 'organization.disabled' else 'organization.enabled' end, null, null, null, actor,
           jsonb_build_object('disabled', old_disabled), jsonb_build_object('disabled', new_disabled)
      from changed where switched
  ),
  counted as (
    update organizations o
       set name = c.new_name, metadata = c.new_metadata, disabled = c.new_disabled,
           event_count = o.event_count + c.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from changed c where o.organization_key = c.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - c.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select organization_key as "organizationKey" from merged where not (octet_length(new_metadata::text) <= 73728
    and (select count(*) from jsonb_object_keys(new_metadata)) <= 120);

-- organizations.count-large (server/features/resources/organizations/emptying.ts)
select item.organization_key as "organizationKey", documents
    from unnest($1::uuid[]) with ordinality as item(organization_key, ord)
   cross join lateral (
      select count(*)::int as documents from resources r
       where r.organization_key = item.organization_key and r.kind = 'document'
         and exists (select from resources one where one.organization_key = item.organization_key and one.kind = 'document'
                     offset 10000)
   ) counted
   where documents > 0;

-- organizations.delete (server/features/resources/organizations/change-statements.ts)
with named as materialized (
    select item.*, o.organization_id, o.name
      from unnest($1::uuid[], $2::int[], $3::int[], $4::jsonb[]) with ordinality as item(organization_key, documents, permissions, actor, ord)
      join organizations o on o.organization_key = item.organization_key
     where o.added_at is not null
  ),
  deleted_document_migrations as (
    delete from document_migrations t using named n where t.organization_key = n.organization_key
  ),
  deleted_user_groups as (
    delete from user_groups t using named n where t.organization_key = n.organization_key
  ),
  deleted_invitations as (
    delete from invitations t using named n where t.organization_key = n.organization_key
  ),
  deleted_grants as (
    delete from grants t using named n where t.organization_key = n.organization_key returning t.organization_key
  ),
  deleted_resources as (
    delete from resources t using named n where t.organization_key = n.organization_key returning t.organization_key, t.kind
  ),
  counts as (
    select organization_key, count(*) filter (where kind = 'folder') as folders,
           count(*) filter (where kind = 'document') as documents, count(*) filter (where kind is null) as permissions
      from (select organization_key, kind from deleted_resources
            union all select organization_key, null from deleted_grants) one
     group by organization_key
  ),
  event as (
    select n.organization_key, n.ord as position, 'organization.deleted' as type, null::resource_kind as resource_kind,
           null::text as resource_id, null::text as user_id, n.actor,
           jsonb_build_object('organizationName', n.name, 'folders', c.folders,
                              'documents', c.documents + n.documents, 'permissions', c.permissions + n.permissions) as before,
           null::jsonb as after
      from named n join counts c on c.organization_key = n.organization_key
  ),
  counted as (
    update organizations o
       set name = null, metadata = '{}', disabled = false, has_group_grants = false, added_at = null, event_count = o.event_count + 1, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint)
      from named n where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - 1 as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select organization_id as "organizationId" from named;

-- organizations.delete-some (server/features/resources/organizations/emptying.ts)
with batch as materialized (
    select resource_key, ctid as row, id from resources
     where organization_key = $1 and kind = 'document' and id > $3 order by id limit $2
  ),
  
  deleted_grants as (
    delete from grants g using batch where g.organization_key = $1 and g.resource_key = batch.resource_key returning g.principal
  ),
  deleted as (delete from resources r using batch where r.ctid = batch.row) -- the ctid cannot change under the lock
  select (select count(*) from batch)::int as documents, (select count(*) from deleted_grants)::int as permissions, (select max(id) from batch) as last;

-- organizations.disable (server/features/resources/organizations/change-statements.ts)
with named as materialized (
    select item.*, o.organization_id, o.disabled as old_disabled
      from unnest($1::uuid[], $2::boolean[], $3::jsonb[]) with ordinality as item(organization_key, disabled, actor, ord)
      join organizations o on o.organization_key = item.organization_key
     where o.added_at is not null
  ),
  changed as (select * from named where disabled <> old_disabled),
  event as (
    select organization_key, ord as position, case when disabled then 'organization.disabled' else 'organization.enabled' end as type,
           null::resource_kind as resource_kind, null::text as resource_id, null::text as user_id, actor,
           jsonb_build_object('disabled', old_disabled) as before, jsonb_build_object('disabled', disabled) as after
      from changed
  ),
  counted as (
    update organizations o set disabled = c.disabled, event_count = o.event_count + 1, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint)
      from changed c where o.organization_key = c.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - 1 as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select organization_id as "organizationId" from named;

-- organizations.find (server/tenancy/existence.ts)
select from organizations where organization_key = $1 and added_at is not null;

-- organizations.get (server/features/resources/organizations/statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select o.organization_id as id, o.name, o.metadata, o.disabled
    from unnest($1::uuid[]) with ordinality as item(organization_key, ord) join organizations o on o.organization_key = item.organization_key
   where o.added_at is not null) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 16777216;

-- organizations.list (server/features/resources/organizations/statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select organization_id as id, name, metadata, disabled from organizations
   where api_key_id = $1 and organization_id > coalesce($2::text, '') and added_at is not null
   order by organization_id limit $3::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- organizations.list by name (server/features/resources/organizations/statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select o.organization_id as id, o.name, o.metadata, o.disabled, jsonb_build_array(name_order(o.name, o.organization_id), o.organization_id)::text as position from organizations o
   where o.api_key_id = $1 and (name_order(o.name, o.organization_id), o.organization_id) > (coalesce($2::jsonb ->> 0, '') collate "C", coalesce($2::jsonb ->> 1, '') collate "C") and o.added_at is not null
   order by name_order(o.name, o.organization_id) asc, o.organization_id asc limit $3::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- organizations.list by name desc (server/features/resources/organizations/statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.metadata is null then 0
                  when pg_column_compression(p.metadata) is null and pg_column_size(p.metadata) < 500
                    then pg_column_size(p.metadata)
                  else octet_length(p.metadata::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select o.organization_id as id, o.name, o.metadata, o.disabled, jsonb_build_array(name_order(o.name, o.organization_id), o.organization_id)::text as position from organizations o
   where o.api_key_id = $1 and (name_order(o.name, o.organization_id), o.organization_id) < (coalesce($2::jsonb ->> 0, repeat(chr(1114111), 101)) collate "C", coalesce($2::jsonb ->> 1, repeat(chr(1114111), 101)) collate "C") and o.added_at is not null
   order by name_order(o.name, o.organization_id) desc, o.organization_id desc limit $3::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- organizations.lock (server/tenancy/writes/organization.ts)
with wanted as materialized (select * from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[]) with ordinality as item(organization_key, api_key_id, organization_id, create_organization, ord)),
  created as (
    insert into organizations (organization_key, api_key_id, organization_id)
    select organization_key, api_key_id, organization_id from wanted
     where create_organization
       and not exists (select from organizations o where o.organization_key = wanted.organization_key)
     order by organization_key
    on conflict (organization_key) do update set organization_id = excluded.organization_id
    returning organization_key
  ),
  locked as (
    select o.organization_key from organizations o
     where o.organization_key in (select organization_key from wanted) and (select count(*) from created) >= 0
     order by o.organization_key for no key update
  )
  select organization_key as "organizationKey" from created union select organization_key from locked;

-- organizations.lock-one (server/tenancy/writes/organization.ts)
select added_at is not null as added from organizations where organization_key = $1 for no key update;

-- organizations.update (server/features/resources/organizations/change-statements.ts)
with named as materialized (
    select item.organization_key, item.ord, item.actor, o.organization_id, o.name as old_name, o.metadata as old_metadata,
           case when item.renames then item.name else o.name end as new_name,
           
  ((o.metadata || item.metadata) - array(select key from jsonb_each(item.metadata) where value = 'null')) as new_metadata
      from unnest($1::uuid[], $2::boolean[], $3::text[], $4::jsonb[], $5::jsonb[]) with ordinality as item(organization_key, renames, name, metadata, actor, ord)
      join organizations o on o.organization_key = item.organization_key
     where o.added_at is not null
  ),
  checked as materialized (select *, (octet_length(new_metadata::text) <= 73728
    and (select count(*) from jsonb_object_keys(new_metadata)) <= 120) as fits from named),
  changed as (select * from checked where fits and (old_name, old_metadata) is distinct from (new_name, new_metadata)),
  event as (
    select organization_key, ord as position, 'organization.updated' as type, null::resource_kind as resource_kind,
           null::text as resource_id, null::text as user_id, actor,
           jsonb_build_object('organizationName', old_name, 'metadata', old_metadata) as before,
           jsonb_build_object('organizationName', new_name, 'metadata', new_metadata) as after
      from changed
  ),
  counted as (
    update organizations o set name = c.new_name, metadata = c.new_metadata, event_count = o.event_count + 1, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint)
      from changed c where o.organization_key = c.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - 1 as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select organization_id as "organizationId", fits from checked;

-- overview.count (server/features/console/overview/statements.ts)
select (select count(*)::int from (select from organizations where api_key_id = $1 limit 100001) rows) as organizations,
         (select count(*)::int from (select from organizations o, lateral (select from resources r where r.organization_key = o.organization_key and r.kind = 'folder' offset 0) found where o.api_key_id = $1 limit 100001) rows) as folders,
         (select count(*)::int from (select from organizations o, lateral (select from resources r where r.organization_key = o.organization_key and r.kind = 'document' offset 0) found where o.api_key_id = $1 limit 100001) rows) as documents,
         (select count(*)::int from (select from users where api_key_id = $1 limit 100001) rows) as users,
         (select count(*)::int from (select from organizations o, lateral (select from grants g where g.organization_key = o.organization_key offset 0) found where o.api_key_id = $1 limit 100001) rows) as grants;

-- overview.deliveries (server/features/console/overview/statements.ts)
select count(*)::int as waiting,
         extract(epoch from max(coalesce($2::timestamptz, clock_timestamp()) - d.due_at) filter (where d.due_at < coalesce($2::timestamptz, clock_timestamp())))::float8 as "overdueSeconds"
    from webhook_endpoints e,
         lateral (select w.due_at from webhook_deliveries w where w.endpoint_key = e.endpoint_key limit 100001) d
   where e.api_key_id = $1;

-- overview.jobs (server/features/console/overview/statements.ts)
select count(*)::int as unfinished,
         extract(epoch from max(clock_timestamp() - job.due_at) filter (where job.due_at < clock_timestamp()))::float8
           as "overdueSeconds"
    from (
      (select m.due_at
         from organizations o,
              lateral (select due_at from document_migrations
                        where organization_key = o.organization_key and status in ('pending', 'in_progress') offset 0) m
        where o.api_key_id = $1 limit 100001)
      union all
      (select due_at from user_data_deletions where api_key_id = $1 and finished_at is null limit 100001)
      union all
      (select due_at from user_access_revocations where api_key_id = $1 and finished_at is null limit 100001)
    ) job;

-- overview.mail (server/features/console/overview/mail-status.ts)
select k.use_email_service as "isOn", k.email_service_config as service,
         coalesce((k.email_service_config->'triggers'->>'invitation.added')::boolean, true) as "reportsInvitations",
         k.email_service_key_sealed is not null as "hasProviderKey",
         sent.finished_at as "lastSentAt", failed.finished_at as "lastFailedAt", failed.kind as "lastFailedKind",
         retried.kind as "retriedKind"
    from (select * from api_keys where api_key_id = $1) k
    left join lateral (
      select m.finished_at from mails m
       where (m.api_key_id || ' ' || m.state collate "C") = k.api_key_id || ' sent' order by m.finished_at desc limit 1
    ) sent on true
    left join lateral (
      select m.finished_at, m.kind from mails m
       where (m.api_key_id || ' ' || m.state collate "C") = k.api_key_id || ' failed' order by m.finished_at desc limit 1
    ) failed on true
    left join lateral (
      select m.kind from (
        select m.kind, m.error from mails m where (m.api_key_id || ' ' || m.state collate "C") = k.api_key_id || ' pending' limit 1000
      ) m
       where m.error is not null limit 1
    ) retried on true;

-- passkey-challenges.add (server/features/operators/passkey-statements.ts)
insert into passkey_challenges (challenge_hash, purpose, workspace_id, operator_id, expires_at)
  values ($1::bytea, $2::text, $3, $4::uuid, coalesce($5::timestamptz, clock_timestamp()) + interval '5 minutes');

-- passkey-challenges.delete-expired (server/features/operators/passkey-statements.ts)
with expired as (
    select ctid from passkey_challenges
     where expires_at <= coalesce($1::timestamptz, clock_timestamp()) order by expires_at limit 1000 for update skip locked
  ),
  deleted as (
    delete from passkey_challenges c using expired where c.ctid = expired.ctid returning 1
  )
  select count(*) as count from deleted;

-- passkey-challenges.use (server/features/operators/passkey-statements.ts)
delete from passkey_challenges where challenge_hash = $1::bytea
  returning purpose = $2::text and operator_id is not distinct from $3::uuid and expires_at > coalesce($4::timestamptz, clock_timestamp()) as "isValid";

-- passkeys.add (server/features/operators/passkey-statements.ts)
insert into passkeys (credential_id, workspace_id, operator_id, name, public_key, sign_count, transports)
  values ($1::bytea, $2, $3::uuid, $4, $5::bytea, $6::bigint, $7::text[])
  on conflict (credential_id) do nothing returning passkey_id as id;

-- passkeys.delete (server/features/operators/passkey-statements.ts)
delete from passkeys where workspace_id = $1 and operator_id = $2::uuid and passkey_id::text = $3
  returning passkey_id as id, name;

-- passkeys.find (server/features/operators/passkey-statements.ts)
select p.workspace_id as "workspaceId", p.operator_id as "operatorId", o.name as "operatorName",
         p.public_key as "publicKey", p.sign_count as "signCount", p.transports
    from passkeys p
   cross join lateral (
     select name from operators o where o.workspace_id = p.workspace_id and o.operator_id = p.operator_id limit 1
   ) o
   where p.credential_id = $1::bytea;

-- passkeys.list (server/features/operators/passkey-statements.ts)
select passkey_id as id, credential_id as "credentialId", name, transports, created_at as "createdAt",
         last_used_at as "lastUsedAt"
    from passkeys where workspace_id = $1 and operator_id = $2::uuid order by created_at, passkey_id;

-- passkeys.use (server/features/operators/passkey-statements.ts)
update passkeys set sign_count = $2::bigint, last_used_at = coalesce($3::timestamptz, clock_timestamp())
   where credential_id = $1::bytea and ($2::bigint > sign_count or $2::bigint = 0 and sign_count = 0)
  returning true as used;

-- permission-provider-config.get (server/features/service-configs/statements.ts)
select use_permission_provider as enabled, permission_provider_config as config, permission_provider_token_sealed as sealed
    from api_keys where api_key_id = $1;

-- permission-provider-config.update (server/features/service-configs/statements.ts)
update api_keys set use_permission_provider = $2, permission_provider_config = $3::jsonb, permission_provider_token_sealed = $4::bytea
   where api_key_id = $1;

-- permission-provider.get (server/features/permission-provider/statements.ts)
select permission_provider_config ->> 'permissionProviderUrl' as url, permission_provider_token_sealed as "tokenSealed",
         signature_secret_sealed as "secretSealed", require_known_resources as "requireKnownResources",
         has_commenter as "hasCommenter", coalesce($2::timestamptz, clock_timestamp()) as now
    from api_keys
   where api_key_id = $1 and use_permission_provider and permission_provider_config ->> 'permissionProviderUrl' <> '';

-- permission-signatures.get-secret (server/features/permission-provider/statements.ts)
select signature_secret_sealed as sealed from api_keys where api_key_id = $1;

-- permission-signatures.set-secret (server/features/permission-provider/statements.ts)
update api_keys set signature_secret_sealed = $2::bytea where api_key_id = $1;

-- permissions.add (server/features/permissions/grants/add-statements.ts)
with clock as materialized (select coalesce($14::timestamptz, clock_timestamp()) as now),
  named as materialized (
    select item.*, o.added_at is not null as organization_added,
           r.resource_key, r.added_at is not null as resource_added, moved.id as migrated_to,
           case when moved.id is not null then 'document_was_migrated'
                when item.known_only and r.added_at is null then 'resource_does_not_exist'
                when o.added_at is null and not item.create_organization then 'resource_does_not_exist'
                else 'ok' end as outcome,
           case item.standing_role when 'viewer' then 1::bigint when 'editor' then 3 when 'commenter' then 2 else 0 end as given_standing, coalesce((extract(epoch from item.expires_at)::bigint + 1) << 2, 0) | case item.temporary_role when 'viewer' then 1 when 'editor' then 3 when 'commenter' then 2 else 0 end as given_temporary,
           case g.standing_role when 'viewer' then 1::bigint when 'editor' then 3 when 'commenter' then 2 else 0 end as old_standing, coalesce((extract(epoch from g.expires_at)::bigint + 1) << 2, 0) | case g.temporary_role when 'viewer' then 1 when 'editor' then 3 when 'commenter' then 2 else 0 end as old_temporary,
           g.expires_at as old_expires_at, g.expiry_event_at as old_expiry_event_at, g.expiring_at as old_expiring_at, g.provided_by as old_provided_by
      from unnest($1::int[], $2::uuid[], $3::boolean[], $4::resource_kind[], $5::text[], $6::text[], $7::access_role[], $8::access_role[], $9::timestamptz[], $10::boolean[], $11::int[], $12::boolean[], $13::jsonb[]) with ordinality as item(req, organization_key, create_organization, kind, resource_id, principal, standing_role, temporary_role, expires_at, replaces, expiring_soon_seconds, known_only, actor, ord)
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key, r.added_at from resources r
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where item.kind = 'document' and r.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.resource_id limit 1
      ) moved on true
      left join lateral (
        select g.standing_role, g.temporary_role, g.expires_at, g.expiry_event_at, g.expiring_at, g.provided_by from grants g
         where g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.principal = item.principal
           and g.kind = item.kind limit 1
      ) g on true
  ),
  accepted as materialized (
    select organization_key, ord, kind, resource_id, principal, actor, replaces, expiring_soon_seconds, organization_added,
           resource_key, resource_added, old_standing, old_temporary, old_expires_at, old_expiry_event_at, old_expiring_at, old_provided_by, given_standing, given_temporary
      from named where req <> all (array(select req from named where outcome <> 'ok'))
  ),
  -- A given grant replaces that of its kind, and with "replaces" the other kind ends. The same grant as a permission provider
  -- has given is taken over from it: it stays after a sign-out.
  changed as (
    select *, before_standing <> after_standing as changes_standing, before_temporary <> after_temporary as changes_temporary,
           given_temporary > 0 and old_expires_at > (select now from clock)
             and old_provided_by is not null and old_provided_by is distinct from null::text as takes_over
      from (select *, case when given_standing > 0 then given_standing when replaces then 0 else before_standing end as after_standing,
                   case when given_temporary > 0 then given_temporary when replaces then 0 else before_temporary end as after_temporary
              from (select *, coalesce(
       max(case when given_standing > 0 or replaces then ord::bigint << 40 | given_standing end) over earlier
         & ((1::bigint << 40) - 1), old_standing) as before_standing,
                   coalesce(
       max(case when given_temporary > 0 or replaces then ord::bigint << 40 | given_temporary end) over earlier
         & ((1::bigint << 40) - 1), old_temporary) as before_temporary
              from accepted
            window earlier as (partition by organization_key, kind, resource_id, principal order by ord rows between unbounded preceding and 1 preceding)) a) b
  ),
  applied as materialized (
    select *, bool_or(changes_standing or changes_temporary or takes_over) over pair as pair_changes,
           bool_or(changes_temporary or takes_over) over pair as renews, lead(ord) over pair is null as is_last,
           changes_temporary and to_timestamp(nullif(before_temporary >> 2, 0) - 1) <= (select now from clock)
             and (old_expiry_event_at is null or count(*) filter (where changes_temporary) over pair > 1) as expired_unreported
      from changed
    window pair as (partition by organization_key, kind, resource_id, principal order by ord rows unbounded preceding)
  ),
  opening as (
    select distinct on (organization_key) organization_key, actor from accepted where not organization_added order by organization_key, ord
  ),
  
  missing as materialized (
    select m.*, gen_random_uuid() as resource_key
      from (select organization_key, kind, resource_id, false as adds
              from accepted where resource_key is null and kind <> 'organization'
             group by organization_key, kind, resource_id) m
  ),
  created as (
    insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
    select o.organization_key, o.organization_key, 'organization'::resource_kind, o.organization_id, clock_timestamp(),
           array[o.organization_key], 1, o.organization_key
      from organizations o
     where o.organization_key in (select organization_key from opening)
    union all
    select organization_key, resource_key, kind, resource_id, case when adds then clock_timestamp() end,
           case when kind = 'folder' then array[organization_key, resource_key] end,
           case when kind = 'folder' then 1 end, case when kind = 'folder' then organization_key end
      from missing
     order by 1, 3, 4
  ),
  -- Unless the temporary grant was changed, what its sweeps did stays done, and the provider that gave it stays named.
  written as (
    insert into grants (organization_key, resource_key, principal, kind, standing_role, temporary_role, expires_at, expiry_event_at, expiring_at, provided_by)
    select a.organization_key, coalesce(a.resource_key, m.resource_key, a.organization_key) as target,
           a.principal, a.kind, case a.after_standing & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, case a.after_temporary & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, e.expires_at,
           case when not a.renews then a.old_expiry_event_at end,
           case when not a.renews then a.old_expiring_at
                when a.expiring_soon_seconds > 0 and e.due > (select now from clock) then e.due end,
           case when a.renews then null::text else a.old_provided_by end
      from applied a
     cross join lateral (
        select expires_at, expires_at - make_interval(secs => a.expiring_soon_seconds) as due
          from (select to_timestamp(nullif(a.after_temporary >> 2, 0) - 1) as expires_at) expiry
     ) e
      left join missing m on m.organization_key = a.organization_key and m.kind = a.kind and m.resource_id = a.resource_id
     where a.is_last and a.pair_changes
     order by a.organization_key, target, a.principal
    on conflict (organization_key, resource_key, principal) do update
       set standing_role = excluded.standing_role, temporary_role = excluded.temporary_role, expires_at = excluded.expires_at,
           expiry_event_at = excluded.expiry_event_at, expiring_at = excluded.expiring_at, provided_by = excluded.provided_by
  ),
  -- Of each row first what was revoked. A temporary grant that expired without an event gets that event before it is replaced.
  event as (
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind, null as resource_id,
           null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from opening
    union all
    select organization_key, 4 * ord + case when nth > 0 and after_code = 0 then 1 else nth end,
           case when nth = 0 then 'permission.expired' when after_code = 0 then 'permission.removed' else 'permission.added' end,
           kind, resource_id, case when not starts_with(principal, chr(1)) then principal end, case when nth = 0 then '{"system": "expiry"}'::jsonb else actor end,
           case when before_code > 0 then case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', case before_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(before_code >> 2, 0) - 1)
                else jsonb_build_object('accessRole', case before_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(before_code >> 2, 0) - 1) end end, case when after_code > 0 then case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', case after_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(after_code >> 2, 0) - 1)
                else jsonb_build_object('accessRole', case after_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(after_code >> 2, 0) - 1) end end
      from (select organization_key, ord, nth, kind, resource_id, principal, actor,
                   case nth when 2 then before_standing else before_temporary end as before_code,
                   case nth when 2 then after_standing when 3 then after_temporary else 0 end as after_code
              from applied
             cross join (values (0), (2), (3)) change(nth)
             where case nth when 0 then expired_unreported when 2 then changes_standing else changes_temporary end
            offset 0) change -- "offset 0" keeps PostgreSQL from computing the numbers again for each use
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select req, ord, outcome, migrated_to as "migratedTo" from named order by ord;

-- permissions.add-at-sign-in (server/features/permissions/grants/add-statements.ts)
with clock as materialized (select coalesce($16::timestamptz, clock_timestamp()) as now),
  named as materialized (
    select item.*, o.added_at is not null as organization_added,
           r.resource_key, r.added_at is not null as resource_added, moved.id as migrated_to,
           case when moved.id is not null then 'document_was_migrated'
                when item.known_only and r.added_at is null then 'resource_does_not_exist'
                when o.added_at is null and not item.create_organization then 'resource_does_not_exist'
                else 'ok' end as outcome,
           case item.standing_role when 'viewer' then 1::bigint when 'editor' then 3 when 'commenter' then 2 else 0 end as given_standing, coalesce((extract(epoch from item.expires_at)::bigint + 1) << 2, 0) | case item.temporary_role when 'viewer' then 1 when 'editor' then 3 when 'commenter' then 2 else 0 end as given_temporary,
           case g.standing_role when 'viewer' then 1::bigint when 'editor' then 3 when 'commenter' then 2 else 0 end as old_standing, coalesce((extract(epoch from g.expires_at)::bigint + 1) << 2, 0) | case g.temporary_role when 'viewer' then 1 when 'editor' then 3 when 'commenter' then 2 else 0 end as old_temporary,
           g.expires_at as old_expires_at, g.expiry_event_at as old_expiry_event_at, g.expiring_at as old_expiring_at, g.provided_by as old_provided_by
      from unnest($1::int[], $2::uuid[], $3::boolean[], $4::resource_kind[], $5::text[], $6::text[], $7::access_role[], $8::access_role[], $9::timestamptz[], $10::boolean[], $11::int[], $12::boolean[], $13::jsonb[], $14::boolean[], $15::boolean[]) with ordinality as item(req, organization_key, create_organization, kind, resource_id, principal, standing_role, temporary_role, expires_at, replaces, expiring_soon_seconds, known_only, actor, keep, create_resource, ord)
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key, r.added_at from resources r
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where item.kind = 'document' and r.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.resource_id limit 1
      ) moved on true
      left join lateral (
        select g.standing_role, g.temporary_role, g.expires_at, g.expiry_event_at, g.expiring_at, g.provided_by from grants g
         where g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.principal = item.principal
           and g.kind = item.kind limit 1
      ) g on true
  ),
  accepted as materialized (
    select organization_key, ord, kind, resource_id, principal, actor, replaces, expiring_soon_seconds, organization_added,
           resource_key, resource_added, old_standing, old_temporary, old_expires_at, old_expiry_event_at, old_expiring_at, old_provided_by, create_resource,
           case when given_standing > 0 then coalesce(kept_role, given_standing) else 0 end as given_standing,
           case when given_temporary > 0 then (given_temporary & ~3::bigint) | coalesce(kept_role, given_temporary & 3) else 0 end as given_temporary
      from (select named.*,
                   case when not keep then null
                        when given_standing > 0 then coalesce(nullif(old_standing, 0), case when replaces then live_temporary end)
                        else coalesce(live_temporary, case when replaces then nullif(old_standing, 0) end) end as kept_role
              from (select *, case when old_expires_at > (select now from clock) then old_temporary & 3 end as live_temporary from named) named) n
     where req <> all (array(select req from named where outcome <> 'ok'))
  ),
  -- A given grant replaces that of its kind, and with "replaces" the other kind ends. The same grant as a permission provider
  -- has given is taken over from it: it stays after a sign-out.
  changed as (
    select *, before_standing <> after_standing as changes_standing, before_temporary <> after_temporary as changes_temporary,
           given_temporary > 0 and old_expires_at > (select now from clock)
             and old_provided_by is not null and old_provided_by is distinct from null::text as takes_over
      from (select *, case when given_standing > 0 then given_standing when replaces then 0 else before_standing end as after_standing,
                   case when given_temporary > 0 then given_temporary when replaces then 0 else before_temporary end as after_temporary
              from (select *, coalesce(
       max(case when given_standing > 0 or replaces then ord::bigint << 40 | given_standing end) over earlier
         & ((1::bigint << 40) - 1), old_standing) as before_standing,
                   coalesce(
       max(case when given_temporary > 0 or replaces then ord::bigint << 40 | given_temporary end) over earlier
         & ((1::bigint << 40) - 1), old_temporary) as before_temporary
              from accepted
            window earlier as (partition by organization_key, kind, resource_id, principal order by ord rows between unbounded preceding and 1 preceding)) a) b
  ),
  applied as materialized (
    select *, bool_or(changes_standing or changes_temporary or takes_over) over pair as pair_changes,
           bool_or(changes_temporary or takes_over) over pair as renews, lead(ord) over pair is null as is_last,
           changes_temporary and to_timestamp(nullif(before_temporary >> 2, 0) - 1) <= (select now from clock)
             and (old_expiry_event_at is null or count(*) filter (where changes_temporary) over pair > 1) as expired_unreported
      from changed
    window pair as (partition by organization_key, kind, resource_id, principal order by ord rows unbounded preceding)
  ),
  opening as (
    select distinct on (organization_key) organization_key, actor from accepted where not organization_added order by organization_key, ord
  ),
  
  missing as materialized (
    select m.*, gen_random_uuid() as resource_key
      from (select organization_key, kind, resource_id, bool_or(create_resource) as adds
              from accepted where resource_key is null and kind <> 'organization'
             group by organization_key, kind, resource_id) m
  ),
  created as (
    insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
    select o.organization_key, o.organization_key, 'organization'::resource_kind, o.organization_id, clock_timestamp(),
           array[o.organization_key], 1, o.organization_key
      from organizations o
     where o.organization_key in (select organization_key from opening)
    union all
    select organization_key, resource_key, kind, resource_id, case when adds then clock_timestamp() end,
           case when kind = 'folder' then array[organization_key, resource_key] end,
           case when kind = 'folder' then 1 end, case when kind = 'folder' then organization_key end
      from missing
     order by 1, 3, 4
  ),
  adopted as (
    update resources r set added_at = clock_timestamp()
      from (select distinct organization_key, resource_key from accepted
             where create_resource and resource_key is not null and not resource_added) d
     where r.organization_key = d.organization_key and r.resource_key = d.resource_key
    returning r.organization_key, r.kind, r.id
  ),
  -- Unless the temporary grant was changed, what its sweeps did stays done, and the provider that gave it stays named.
  written as (
    insert into grants (organization_key, resource_key, principal, kind, standing_role, temporary_role, expires_at, expiry_event_at, expiring_at, provided_by)
    select a.organization_key, coalesce(a.resource_key, m.resource_key, a.organization_key) as target,
           a.principal, a.kind, case a.after_standing & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, case a.after_temporary & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, e.expires_at,
           case when not a.renews then a.old_expiry_event_at end,
           case when not a.renews then a.old_expiring_at
                when a.expiring_soon_seconds > 0 and e.due > (select now from clock) then e.due end,
           case when a.renews then null::text else a.old_provided_by end
      from applied a
     cross join lateral (
        select expires_at, expires_at - make_interval(secs => a.expiring_soon_seconds) as due
          from (select to_timestamp(nullif(a.after_temporary >> 2, 0) - 1) as expires_at) expiry
     ) e
      left join missing m on m.organization_key = a.organization_key and m.kind = a.kind and m.resource_id = a.resource_id
     where a.is_last and a.pair_changes
     order by a.organization_key, target, a.principal
    on conflict (organization_key, resource_key, principal) do update
       set standing_role = excluded.standing_role, temporary_role = excluded.temporary_role, expires_at = excluded.expires_at,
           expiry_event_at = excluded.expiry_event_at, expiring_at = excluded.expiring_at, provided_by = excluded.provided_by
  ),
  -- Of each row first what was revoked. A temporary grant that expired without an event gets that event before it is replaced.
  event as (
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind, null as resource_id,
           null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from opening
    union all
    select a.organization_key, 1, a.kind::text || '.added', a.kind, a.resource_id, null, a.actor, null, '{}'
      from (select distinct on (organization_key, kind, resource_id) organization_key, kind, resource_id, actor from accepted
             where create_resource and not coalesce(resource_added, false) and kind <> 'organization'
             order by organization_key, kind, resource_id, ord) a
    union all
    select organization_key, 4 * ord + case when nth > 0 and after_code = 0 then 1 else nth end,
           case when nth = 0 then 'permission.expired' when after_code = 0 then 'permission.removed' else 'permission.added' end,
           kind, resource_id, case when not starts_with(principal, chr(1)) then principal end, case when nth = 0 then '{"system": "expiry"}'::jsonb else actor end,
           case when before_code > 0 then case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', case before_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(before_code >> 2, 0) - 1)
                else jsonb_build_object('accessRole', case before_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(before_code >> 2, 0) - 1) end end, case when after_code > 0 then case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', case after_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(after_code >> 2, 0) - 1)
                else jsonb_build_object('accessRole', case after_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(after_code >> 2, 0) - 1) end end
      from (select organization_key, ord, nth, kind, resource_id, principal, actor,
                   case nth when 2 then before_standing else before_temporary end as before_code,
                   case nth when 2 then after_standing when 3 then after_temporary else 0 end as after_code
              from applied
             cross join (values (0), (2), (3)) change(nth)
             where case nth when 0 then expired_unreported when 2 then changes_standing else changes_temporary end
            offset 0) change -- "offset 0" keeps PostgreSQL from computing the numbers again for each use
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select req, ord, outcome, migrated_to as "migratedTo" from named order by ord;

-- permissions.announce-expiring (server/features/permissions/expiry/statements.ts)
with due as (
    update grants g set expiring_at = null
      from unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::text[]) with ordinality as item(time, organization_key, resource_key, principal, ord)
     where g.organization_key = item.organization_key and g.resource_key = item.resource_key and g.principal = item.principal
       and g.expiring_at = item.time
    returning item.ord, g.*
  ),
  event as (
    select d.organization_key, d.ord as position, 'permission.expiring' as type, d.kind as resource_kind, r.id as resource_id,
           case when not starts_with(d.principal, chr(1)) then d.principal end as user_id, '{"system": "expiry"}'::jsonb as actor, null::jsonb as before,
           case when starts_with(d.principal, chr(1))
                then jsonb_build_object('groupId', substr(d.principal, 2), 'accessRole', d.temporary_role, 'expiresAt', extract(epoch from d.expires_at)::bigint)
                else jsonb_build_object('accessRole', d.temporary_role, 'expiresAt', extract(epoch from d.expires_at)::bigint) end as after
      from due d
     cross join lateral (
        select r.id from resources r
         where r.organization_key = d.organization_key and r.resource_key = d.resource_key limit 1
      ) r
     where d.expires_at > coalesce($5::timestamptz, clock_timestamp())
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select count(*) as changed from due;

-- permissions.decide (server/features/permissions/decision/statement.ts)
with clock as materialized (select coalesce($9::timestamptz, clock_timestamp()) as now),
  ruled as (
    select item.*, target.*, held.member_until, case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end as live_rank, case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end as any_rank, case when held.of_groups is not null and case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end > coalesce(held.own_live, 0)
                then substr(target.groups[131071 - (held.of_groups[1] & 131071)], 2) end as group_id,
           case when target.chain is null then 'does_not_exist'
                when target.is_disabled then 'disabled'
                when target.is_user_disabled then 'user_disabled'
                when (case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end) >> 39 >= target.boundary_at then 'grant'
                when item.kind = 'organization' then case when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) is null then 'no_grant' else 'grant_expired' end
                when target.access_type = 'public' then 'access_type'
                when target.access_type = 'organizationPrivate' and held.member_until is not null then 'membership'
                when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) >> 39 >= target.boundary_at then 'grant_expired'
                when target.access_type = 'organizationPrivate' and held.was_member then 'grant_expired'
                else 'no_grant' end as rule
      from unnest($1::int[], $2::uuid[], $3::resource_kind[], $4::text[], $5::text[], $6::access_type[], $7::access_role[], $8::access_role[]) with ordinality as item(req, organization_key, kind, resource_id, user_id, default_access_type, default_access_role, at_least, ord)
      left join lateral (
        select case item.kind when 'document' then coalesce(f.path, array[r.organization_key]) || r.resource_key else r.path end as chain,
               case when item.kind <> 'document' then r.boundary_depth
                    when r.own_access_type is not null then coalesce(cardinality(f.path), 1) + 1
                    else coalesce(f.boundary_depth, 1) end as boundary_at,
               case item.kind when 'organization' then null
                    when 'folder' then coalesce(r.boundary_access_type, item.default_access_type)
                    else coalesce(r.own_access_type, f.boundary_access_type, item.default_access_type) end as access_type,
               o.disabled or (item.kind = 'document' and r.disabled) as is_disabled, exists (select from disabled_users d where d.api_key_id = o.api_key_id and d.user_id = item.user_id) as is_user_disabled, o.organization_id,
               o.has_group_grants, case when o.has_group_grants
                    then array(select chr(1) || m.group_id from user_group_members m
                                where m.organization_key = item.organization_key and m.user_id = item.user_id
                                order by m.group_id) end as groups
          from resources r
          join organizations o on o.organization_key = r.organization_key
          left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) target on true
      left join lateral (
        with few as materialized (
          select g.resource_key, g.standing_role, g.temporary_role, g.expires_at from grants g
           where g.organization_key = item.organization_key and g.principal = item.user_id and g.kind < 'document' limit 16
        ),
        found as (
          select array_position(target.chain, resource_key)::bigint as position, standing_role, temporary_role, expires_at from few
           union all
          (select cardinality(target.chain), g.standing_role, g.temporary_role, g.expires_at from grants g
            where item.kind = 'document' and g.organization_key = item.organization_key
              and g.resource_key = target.chain[cardinality(target.chain)] and g.principal = item.user_id and g.kind = 'document' limit 1)
           union all
          select c.position, g.standing_role, g.temporary_role, g.expires_at
            from unnest(target.chain) with ordinality as c(resource_key, position)
           cross join lateral (
              select g.standing_role, g.temporary_role, g.expires_at from grants g
               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal = item.user_id
                 and g.kind = case c.position when 1 then 'organization'::resource_kind else 'folder' end limit 1
            ) g
           where (select count(*) from few) = 16
        )
        select max(position << 39 | greatest(standing, case when live then temporary end)) as own_live, max(position << 39 | greatest(standing, temporary)) as own_any,
               max(case when position = 1 then case when standing is not null then 137438953471 when live then extract(epoch from expires_at)::bigint end end) as member_until, bool_or(position = 1 and greatest(standing, temporary) is not null) as was_member, case when target.groups <> '{}' then (
                       select case when is_over or expires_at is not null then (
                 select array[max((position << 39 | greatest(standing, case when live then temporary end)) << 17 | 131071 - least(nth, 131071)) filter (where true), max(position << 39 | greatest(standing, temporary)) filter (where true)]
                   from (select position, expires_at, nth, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (with of_any as materialized (
                               select c.position, case when cardinality(target.groups) <= 64 then array_position(target.groups, g.principal)::bigint
                                           else ((select jsonb_object_agg(principal, nth)
                                                    from unnest(target.groups) with ordinality as p(principal, nth)) -> g.principal)::bigint end as nth, g.standing_role, g.temporary_role, g.expires_at
                                 from unnest(target.chain) with ordinality as c(resource_key, position)
                                cross join lateral (
                                   select g.principal, g.standing_role, g.temporary_role, g.expires_at from grants g
                                    where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                      and g.principal < ' ' limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                                ) g
                                limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                            ),
                            amount as materialized (
                               select count(*) > 4 * cardinality(target.chain) * cardinality(target.groups) as is_large from of_any
                            )
                            select position, nth, standing_role, temporary_role, expires_at
                              from of_any where nth is not null and not (select is_large from amount)
                            union all
                            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
                              from unnest(target.chain) with ordinality as c(resource_key, position)
                             cross join unnest(target.groups) with ordinality as p(principal, nth)
                             cross join lateral (
                                select g.standing_role, g.temporary_role, g.expires_at from grants g
                                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                   and g.principal = p.principal limit 1
                             ) g
                             where (select is_large from amount)) of_groups where position is not null offset 0) ranked)
                                   else array[(position << 39 | case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end) << 17 | 131071 - array_position(target.groups, principal), position << 39 | case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end] end
                         from (select * from unnest(target.chain) with ordinality as c(resource_key, position) order by position desc) c
                        cross join lateral (
                           select * from (
                              select g.principal, g.standing_role, g.expires_at, row_number() over (order by g.expires_at is not null desc, g.standing_role desc, g.principal) > case when cardinality(target.groups) <= 64 then 4 * cardinality(target.groups) else 0 end as is_over
                                from grants g
                               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal < ' '
                               order by g.expires_at is not null desc, g.standing_role desc, g.principal limit case when cardinality(target.groups) <= 64 then 4 * cardinality(target.groups) else 0 end + 1
                           ) g
                            where is_over or principal = any(target.groups) limit 1
                        ) g
                        order by position desc limit 1
                    ) end as of_groups
          from (select position, expires_at, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from found where position is not null offset 0) ranked
      ) held on true
  ),
  allowance as (
    select *, rule in ('grant', 'access_type', 'membership') and (at_least is null or nearest_role >= at_least) as allowed,
           case rule when 'grant' then live_rank >> 39 when 'access_type' then boundary_at when 'membership' then 1 end as via_at
      from (select *, case live_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else default_access_role end as nearest_role from ruled offset 0) r
    offset 0
  ),
  decided as (
    select r.*, case when r.allowed then r.nearest_role end as role,
           case when r.allowed or r.at_least is null or r.rule in ('disabled', 'user_disabled', 'does_not_exist', 'no_grant') then r.rule
                when case r.any_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else null::access_role end >= r.at_least then 'grant_expired'
                else 'no_grant' end as reason,
           case when r.allowed then nullif(least(r.live_rank & 137438953471, case r.rule when 'membership' then r.member_until end),
                                           137438953471) end as expires_at,
           case r.via_at when cardinality(r.chain) then r.kind when 1 then 'organization' else 'folder' end as via_kind,
           case r.via_at when cardinality(r.chain) then r.resource_id when 1 then r.organization_id else folder.id end as via_id,
           r.via_at < cardinality(r.chain) as inherited, moved.id as migrated_to
      from allowance r
      left join lateral (
        select f.id from resources f
         where r.allowed and r.via_at > 1 and r.via_at < cardinality(r.chain)
           and f.organization_key = r.organization_key and f.resource_key = r.chain[r.via_at] limit 1
      ) folder on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.rule = 'does_not_exist' and r.kind = 'document'
           and a.organization_key = r.organization_key and a.document_id = r.resource_id limit 1
      ) moved on true
  )
  select d.req, d.has_group_grants as "hasGroupGrants", d.allowed, d.reason as reason, d.role as "accessRole",
         case when d.reason <> 'does_not_exist' then d.access_type end as "accessType",
         case when d.allowed then case when d.rule = 'access_type' and d.via_at = 1 then 'keyDefault' else d.via_kind::text end end as "viaType",
         case when d.allowed and not (d.rule = 'access_type' and d.via_at = 1) then d.via_id end as "viaId",
         case when d.allowed then d.inherited end as inherited, d.expires_at as "expiresAt",
         d.migrated_to as "migratedTo",
         case when d.allowed and d.rule = 'grant' then d.group_id end as "viaGroupId"
    from decided d order by d.ord;

-- permissions.decide-in-short (server/features/permissions/decision/statement.ts)
with clock as materialized (select coalesce($9::timestamptz, clock_timestamp()) as now),
  ruled as (
    select item.*, target.*, held.member_until, held.own_live as live_rank, held.own_any as any_rank, null::text as group_id,
           case when target.chain is null then 'does_not_exist'
                when target.is_disabled then 'disabled'
                when target.is_user_disabled then 'user_disabled'
                when (held.own_live) >> 39 >= target.boundary_at then 'grant'
                when item.kind = 'organization' then case when (held.own_any) is null then 'no_grant' else 'grant_expired' end
                when target.access_type = 'public' then 'access_type'
                when target.access_type = 'organizationPrivate' and held.member_until is not null then 'membership'
                when (held.own_any) >> 39 >= target.boundary_at then 'grant_expired'
                when target.access_type = 'organizationPrivate' and held.was_member then 'grant_expired'
                else 'no_grant' end as rule
      from unnest($1::int[], $2::uuid[], $3::resource_kind[], $4::text[], $5::text[], $6::access_type[], $7::access_role[], $8::access_role[]) with ordinality as item(req, organization_key, kind, resource_id, user_id, default_access_type, default_access_role, at_least, ord)
      left join lateral (
        select case item.kind when 'document' then coalesce(f.path, array[r.organization_key]) || r.resource_key else r.path end as chain,
               case when item.kind <> 'document' then r.boundary_depth
                    when r.own_access_type is not null then coalesce(cardinality(f.path), 1) + 1
                    else coalesce(f.boundary_depth, 1) end as boundary_at,
               case item.kind when 'organization' then null
                    when 'folder' then coalesce(r.boundary_access_type, item.default_access_type)
                    else coalesce(r.own_access_type, f.boundary_access_type, item.default_access_type) end as access_type,
               o.disabled or (item.kind = 'document' and r.disabled) as is_disabled, false as is_user_disabled, o.organization_id,
               o.has_group_grants
          from resources r
          join organizations o on o.organization_key = r.organization_key
          left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) target on true
      left join lateral (
        with few as materialized (
          select g.resource_key, g.standing_role, g.temporary_role, g.expires_at from grants g
           where g.organization_key = item.organization_key and g.principal = item.user_id and g.kind < 'document' limit 16
        ),
        found as (
          select array_position(target.chain, resource_key)::bigint as position, standing_role, temporary_role, expires_at from few
           union all
          (select cardinality(target.chain), g.standing_role, g.temporary_role, g.expires_at from grants g
            where item.kind = 'document' and g.organization_key = item.organization_key
              and g.resource_key = target.chain[cardinality(target.chain)] and g.principal = item.user_id and g.kind = 'document' limit 1)
           union all
          select c.position, g.standing_role, g.temporary_role, g.expires_at
            from unnest(target.chain) with ordinality as c(resource_key, position)
           cross join lateral (
              select g.standing_role, g.temporary_role, g.expires_at from grants g
               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal = item.user_id
                 and g.kind = case c.position when 1 then 'organization'::resource_kind else 'folder' end limit 1
            ) g
           where (select count(*) from few) = 16
        )
        select max(position << 39 | greatest(standing, case when live then temporary end)) as own_live, max(position << 39 | greatest(standing, temporary)) as own_any,
               max(case when position = 1 then case when standing is not null then 137438953471 when live then extract(epoch from expires_at)::bigint end end) as member_until, bool_or(position = 1 and greatest(standing, temporary) is not null) as was_member
          from (select position, expires_at, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from found where position is not null offset 0) ranked
      ) held on true
  ),
  allowance as (
    select *, rule in ('grant', 'access_type', 'membership') and (at_least is null or nearest_role >= at_least) as allowed,
           case rule when 'grant' then live_rank >> 39 when 'access_type' then boundary_at when 'membership' then 1 end as via_at
      from (select *, case live_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else default_access_role end as nearest_role from ruled offset 0) r
    offset 0
  ),
  decided as (
    select r.*, case when r.allowed then r.nearest_role end as role,
           case when r.allowed or r.at_least is null or r.rule in ('disabled', 'user_disabled', 'does_not_exist', 'no_grant') then r.rule
                when case r.any_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else null::access_role end >= r.at_least then 'grant_expired'
                else 'no_grant' end as reason,
           case when r.allowed then nullif(least(r.live_rank & 137438953471, case r.rule when 'membership' then r.member_until end),
                                           137438953471) end as expires_at,
           case r.via_at when cardinality(r.chain) then r.kind when 1 then 'organization' else 'folder' end as via_kind,
           case r.via_at when cardinality(r.chain) then r.resource_id when 1 then r.organization_id else folder.id end as via_id,
           r.via_at < cardinality(r.chain) as inherited, moved.id as migrated_to
      from allowance r
      left join lateral (
        select f.id from resources f
         where r.allowed and r.via_at > 1 and r.via_at < cardinality(r.chain)
           and f.organization_key = r.organization_key and f.resource_key = r.chain[r.via_at] limit 1
      ) folder on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.rule = 'does_not_exist' and r.kind = 'document'
           and a.organization_key = r.organization_key and a.document_id = r.resource_id limit 1
      ) moved on true
  )
  select d.req, d.allowed, case when d.has_group_grants is not true then d.reason end as reason, d.role as "accessRole",
         case when d.reason <> 'does_not_exist' then d.access_type end as "accessType",
         case when d.allowed then case when d.rule = 'access_type' and d.via_at = 1 then 'keyDefault' else d.via_kind::text end end as "viaType",
         case when d.allowed and not (d.rule = 'access_type' and d.via_at = 1) then d.via_id end as "viaId",
         case when d.allowed then d.inherited end as inherited, d.expires_at as "expiresAt",
         d.migrated_to as "migratedTo"
    from decided d order by d.ord;

-- permissions.delete-expired (server/features/permissions/expiry/statements.ts)
with due as materialized (
    select g.ctid as row, g.standing_role
      from unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::text[]) with ordinality as item(time, organization_key, resource_key, principal, ord)
     cross join lateral (
        select g.ctid, g.standing_role from grants g
         where g.organization_key = item.organization_key and g.resource_key = item.resource_key and g.principal = item.principal
           and g.expiry_event_at = item.time limit 1
     ) g
  ),
  deleted as (delete from grants g using due where due.standing_role is null and g.ctid = due.row), -- the ctid cannot change under the lock
  shortened as (update grants g set temporary_role = null, expires_at = null, expiry_event_at = null, expiring_at = null, provided_by = null from due where due.standing_role is not null and g.ctid = due.row)
  select count(*) as changed from due;

-- permissions.expire (server/features/permissions/expiry/statements.ts)
with expired as (
    update grants g set expiry_event_at = coalesce($5::timestamptz, clock_timestamp())
      from unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::text[]) with ordinality as item(time, organization_key, resource_key, principal, ord)
     where g.organization_key = item.organization_key and g.resource_key = item.resource_key and g.principal = item.principal
       and g.expires_at = item.time and g.expiry_event_at is null
    returning item.ord, g.*
  ),
  named as (
    select e.*, r.id as resource_id from expired e
     cross join lateral (
        select r.id from resources r
         where r.organization_key = e.organization_key and r.resource_key = e.resource_key limit 1
      ) r
  ),
  event as (
    select organization_key, ord as position, 'permission.expired' as type, kind as resource_kind, resource_id, case when not starts_with(principal, chr(1)) then principal end as user_id,
           '{"system": "expiry"}'::jsonb as actor,
           case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint)
                else jsonb_build_object('accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint) end as before,
           null::jsonb as after
      from named),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select count(*) as changed from expired;

-- permissions.explain (server/features/permissions/explanations/statements.ts)
with 
  clock as materialized (select coalesce($8::timestamptz, clock_timestamp()) as now),
  ruled as (
    select item.*, target.*, held.member_until, case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end as live_rank, case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end as any_rank, case when held.of_groups is not null and case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end > coalesce(held.own_live, 0)
                then substr(target.groups[131071 - (held.of_groups[1] & 131071)], 2) end as group_id,
           case when target.chain is null then 'does_not_exist'
                when target.is_disabled then 'disabled'
                when target.is_user_disabled then 'user_disabled'
                when (case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end) >> 39 >= target.boundary_at then 'grant'
                when item.kind = 'organization' then case when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) is null then 'no_grant' else 'grant_expired' end
                when target.access_type = 'public' then 'access_type'
                when target.access_type = 'organizationPrivate' and held.member_until is not null then 'membership'
                when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) >> 39 >= target.boundary_at then 'grant_expired'
                when target.access_type = 'organizationPrivate' and held.was_member then 'grant_expired'
                else 'no_grant' end as rule
      from unnest($1::uuid[], $2::resource_kind[], $3::text[], $4::text[], $5::access_type[], $6::access_role[], $7::access_role[]) with ordinality as item(organization_key, kind, resource_id, user_id, default_access_type, default_access_role, at_least, ord)
      left join lateral (
        select case item.kind when 'document' then coalesce(f.path, array[r.organization_key]) || r.resource_key else r.path end as chain,
               case when item.kind <> 'document' then r.boundary_depth
                    when r.own_access_type is not null then coalesce(cardinality(f.path), 1) + 1
                    else coalesce(f.boundary_depth, 1) end as boundary_at,
               case item.kind when 'organization' then null
                    when 'folder' then coalesce(r.boundary_access_type, item.default_access_type)
                    else coalesce(r.own_access_type, f.boundary_access_type, item.default_access_type) end as access_type,
               o.disabled or (item.kind = 'document' and r.disabled) as is_disabled, exists (select from disabled_users d where d.api_key_id = o.api_key_id and d.user_id = item.user_id) as is_user_disabled, o.organization_id,
               o.has_group_grants, case when o.has_group_grants
                    then array(select chr(1) || m.group_id from user_group_members m
                                where m.organization_key = item.organization_key and m.user_id = item.user_id
                                order by m.group_id) end as groups
          from resources r
          join organizations o on o.organization_key = r.organization_key
          left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) target on true
      left join lateral (
        with few as materialized (
          select g.resource_key, g.standing_role, g.temporary_role, g.expires_at from grants g
           where g.organization_key = item.organization_key and g.principal = item.user_id and g.kind < 'document' limit 16
        ),
        found as (
          select array_position(target.chain, resource_key)::bigint as position, standing_role, temporary_role, expires_at from few
           union all
          (select cardinality(target.chain), g.standing_role, g.temporary_role, g.expires_at from grants g
            where item.kind = 'document' and g.organization_key = item.organization_key
              and g.resource_key = target.chain[cardinality(target.chain)] and g.principal = item.user_id and g.kind = 'document' limit 1)
           union all
          select c.position, g.standing_role, g.temporary_role, g.expires_at
            from unnest(target.chain) with ordinality as c(resource_key, position)
           cross join lateral (
              select g.standing_role, g.temporary_role, g.expires_at from grants g
               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal = item.user_id
                 and g.kind = case c.position when 1 then 'organization'::resource_kind else 'folder' end limit 1
            ) g
           where (select count(*) from few) = 16
        )
        select max(position << 39 | greatest(standing, case when live then temporary end)) as own_live, max(position << 39 | greatest(standing, temporary)) as own_any,
               max(case when position = 1 then case when standing is not null then 137438953471 when live then extract(epoch from expires_at)::bigint end end) as member_until, bool_or(position = 1 and greatest(standing, temporary) is not null) as was_member, case when target.groups <> '{}' then (
                       select case when is_over or expires_at is not null then (
                 select array[max((position << 39 | greatest(standing, case when live then temporary end)) << 17 | 131071 - least(nth, 131071)) filter (where true), max(position << 39 | greatest(standing, temporary)) filter (where true)]
                   from (select position, expires_at, nth, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (with of_any as materialized (
                               select c.position, case when cardinality(target.groups) <= 64 then array_position(target.groups, g.principal)::bigint
                                           else ((select jsonb_object_agg(principal, nth)
                                                    from unnest(target.groups) with ordinality as p(principal, nth)) -> g.principal)::bigint end as nth, g.standing_role, g.temporary_role, g.expires_at
                                 from unnest(target.chain) with ordinality as c(resource_key, position)
                                cross join lateral (
                                   select g.principal, g.standing_role, g.temporary_role, g.expires_at from grants g
                                    where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                      and g.principal < ' ' limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                                ) g
                                limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                            ),
                            amount as materialized (
                               select count(*) > 4 * cardinality(target.chain) * cardinality(target.groups) as is_large from of_any
                            )
                            select position, nth, standing_role, temporary_role, expires_at
                              from of_any where nth is not null and not (select is_large from amount)
                            union all
                            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
                              from unnest(target.chain) with ordinality as c(resource_key, position)
                             cross join unnest(target.groups) with ordinality as p(principal, nth)
                             cross join lateral (
                                select g.standing_role, g.temporary_role, g.expires_at from grants g
                                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                   and g.principal = p.principal limit 1
                             ) g
                             where (select is_large from amount)) of_groups where position is not null offset 0) ranked)
                                   else array[(position << 39 | case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end) << 17 | 131071 - array_position(target.groups, principal), position << 39 | case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end] end
                         from (select * from unnest(target.chain) with ordinality as c(resource_key, position) order by position desc) c
                        cross join lateral (
                           select * from (
                              select g.principal, g.standing_role, g.expires_at, row_number() over (order by g.expires_at is not null desc, g.standing_role desc, g.principal) > case when cardinality(target.groups) <= 64 then 4 * cardinality(target.groups) else 0 end as is_over
                                from grants g
                               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal < ' '
                               order by g.expires_at is not null desc, g.standing_role desc, g.principal limit case when cardinality(target.groups) <= 64 then 4 * cardinality(target.groups) else 0 end + 1
                           ) g
                            where is_over or principal = any(target.groups) limit 1
                        ) g
                        order by position desc limit 1
                    ) end as of_groups
          from (select position, expires_at, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from found where position is not null offset 0) ranked
      ) held on true
  ),
  allowance as (
    select *, rule in ('grant', 'access_type', 'membership') and (at_least is null or nearest_role >= at_least) as allowed,
           case rule when 'grant' then live_rank >> 39 when 'access_type' then boundary_at when 'membership' then 1 end as via_at
      from (select *, case live_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else default_access_role end as nearest_role from ruled offset 0) r
    offset 0
  ),
  decided as (
    select r.*, case when r.allowed then r.nearest_role end as role,
           case when r.allowed or r.at_least is null or r.rule in ('disabled', 'user_disabled', 'does_not_exist', 'no_grant') then r.rule
                when case r.any_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else null::access_role end >= r.at_least then 'grant_expired'
                else 'no_grant' end as reason,
           case when r.allowed then nullif(least(r.live_rank & 137438953471, case r.rule when 'membership' then r.member_until end),
                                           137438953471) end as expires_at,
           case r.via_at when cardinality(r.chain) then r.kind when 1 then 'organization' else 'folder' end as via_kind,
           case r.via_at when cardinality(r.chain) then r.resource_id when 1 then r.organization_id else folder.id end as via_id,
           r.via_at < cardinality(r.chain) as inherited, moved.id as migrated_to
      from allowance r
      left join lateral (
        select f.id from resources f
         where r.allowed and r.via_at > 1 and r.via_at < cardinality(r.chain)
           and f.organization_key = r.organization_key and f.resource_key = r.chain[r.via_at] limit 1
      ) folder on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.rule = 'does_not_exist' and r.kind = 'document'
           and a.organization_key = r.organization_key and a.document_id = r.resource_id limit 1
      ) moved on true
  ),
  later as materialized (
    select organization_key, kind, resource_id, user_id, default_access_type, default_access_role, at_least, to_timestamp(expires_at) as at
      from decided where expires_at is not null
  ),
  afterwards as materialized (
    with clock as materialized (select at as now from later limit 1),
  ruled as (
    select item.*, target.*, held.member_until, case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end as live_rank, case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end as any_rank, case when held.of_groups is not null and case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end > coalesce(held.own_live, 0)
                then substr(target.groups[131071 - (held.of_groups[1] & 131071)], 2) end as group_id,
           case when target.chain is null then 'does_not_exist'
                when target.is_disabled then 'disabled'
                when target.is_user_disabled then 'user_disabled'
                when (case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end) >> 39 >= target.boundary_at then 'grant'
                when item.kind = 'organization' then case when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) is null then 'no_grant' else 'grant_expired' end
                when target.access_type = 'public' then 'access_type'
                when target.access_type = 'organizationPrivate' and held.member_until is not null then 'membership'
                when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) >> 39 >= target.boundary_at then 'grant_expired'
                when target.access_type = 'organizationPrivate' and held.was_member then 'grant_expired'
                else 'no_grant' end as rule
      from later item
      left join lateral (
        select case item.kind when 'document' then coalesce(f.path, array[r.organization_key]) || r.resource_key else r.path end as chain,
               case when item.kind <> 'document' then r.boundary_depth
                    when r.own_access_type is not null then coalesce(cardinality(f.path), 1) + 1
                    else coalesce(f.boundary_depth, 1) end as boundary_at,
               case item.kind when 'organization' then null
                    when 'folder' then coalesce(r.boundary_access_type, item.default_access_type)
                    else coalesce(r.own_access_type, f.boundary_access_type, item.default_access_type) end as access_type,
               o.disabled or (item.kind = 'document' and r.disabled) as is_disabled, exists (select from disabled_users d where d.api_key_id = o.api_key_id and d.user_id = item.user_id) as is_user_disabled, o.organization_id,
               o.has_group_grants, case when o.has_group_grants
                    then array(select chr(1) || m.group_id from user_group_members m
                                where m.organization_key = item.organization_key and m.user_id = item.user_id
                                order by m.group_id) end as groups
          from resources r
          join organizations o on o.organization_key = r.organization_key
          left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) target on true
      left join lateral (
        with few as materialized (
          select g.resource_key, g.standing_role, g.temporary_role, g.expires_at from grants g
           where g.organization_key = item.organization_key and g.principal = item.user_id and g.kind < 'document' limit 16
        ),
        found as (
          select array_position(target.chain, resource_key)::bigint as position, standing_role, temporary_role, expires_at from few
           union all
          (select cardinality(target.chain), g.standing_role, g.temporary_role, g.expires_at from grants g
            where item.kind = 'document' and g.organization_key = item.organization_key
              and g.resource_key = target.chain[cardinality(target.chain)] and g.principal = item.user_id and g.kind = 'document' limit 1)
           union all
          select c.position, g.standing_role, g.temporary_role, g.expires_at
            from unnest(target.chain) with ordinality as c(resource_key, position)
           cross join lateral (
              select g.standing_role, g.temporary_role, g.expires_at from grants g
               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal = item.user_id
                 and g.kind = case c.position when 1 then 'organization'::resource_kind else 'folder' end limit 1
            ) g
           where (select count(*) from few) = 16
        )
        select max(position << 39 | greatest(standing, case when live then temporary end)) as own_live, max(position << 39 | greatest(standing, temporary)) as own_any,
               max(case when position = 1 then case when standing is not null then 137438953471 when live then extract(epoch from expires_at)::bigint end end) as member_until, bool_or(position = 1 and greatest(standing, temporary) is not null) as was_member, case when target.groups <> '{}' then (
                       select case when is_over or expires_at is not null then (
                 select array[max((position << 39 | greatest(standing, case when live then temporary end)) << 17 | 131071 - least(nth, 131071)) filter (where true), max(position << 39 | greatest(standing, temporary)) filter (where true)]
                   from (select position, expires_at, nth, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (with of_any as materialized (
                               select c.position, case when cardinality(target.groups) <= 64 then array_position(target.groups, g.principal)::bigint
                                           else ((select jsonb_object_agg(principal, nth)
                                                    from unnest(target.groups) with ordinality as p(principal, nth)) -> g.principal)::bigint end as nth, g.standing_role, g.temporary_role, g.expires_at
                                 from unnest(target.chain) with ordinality as c(resource_key, position)
                                cross join lateral (
                                   select g.principal, g.standing_role, g.temporary_role, g.expires_at from grants g
                                    where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                      and g.principal < ' ' limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                                ) g
                                limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                            ),
                            amount as materialized (
                               select count(*) > 4 * cardinality(target.chain) * cardinality(target.groups) as is_large from of_any
                            )
                            select position, nth, standing_role, temporary_role, expires_at
                              from of_any where nth is not null and not (select is_large from amount)
                            union all
                            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
                              from unnest(target.chain) with ordinality as c(resource_key, position)
                             cross join unnest(target.groups) with ordinality as p(principal, nth)
                             cross join lateral (
                                select g.standing_role, g.temporary_role, g.expires_at from grants g
                                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                   and g.principal = p.principal limit 1
                             ) g
                             where (select is_large from amount)) of_groups where position is not null offset 0) ranked)
                                   else array[(position << 39 | case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end) << 17 | 131071 - array_position(target.groups, principal), position << 39 | case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end] end
                         from (select * from unnest(target.chain) with ordinality as c(resource_key, position) order by position desc) c
                        cross join lateral (
                           select * from (
                              select g.principal, g.standing_role, g.expires_at, row_number() over (order by g.expires_at is not null desc, g.standing_role desc, g.principal) > case when cardinality(target.groups) <= 64 then 4 * cardinality(target.groups) else 0 end as is_over
                                from grants g
                               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal < ' '
                               order by g.expires_at is not null desc, g.standing_role desc, g.principal limit case when cardinality(target.groups) <= 64 then 4 * cardinality(target.groups) else 0 end + 1
                           ) g
                            where is_over or principal = any(target.groups) limit 1
                        ) g
                        order by position desc limit 1
                    ) end as of_groups
          from (select position, expires_at, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from found where position is not null offset 0) ranked
      ) held on true
  ),
  allowance as (
    select *, rule in ('grant', 'access_type', 'membership') and (at_least is null or nearest_role >= at_least) as allowed,
           case rule when 'grant' then live_rank >> 39 when 'access_type' then boundary_at when 'membership' then 1 end as via_at
      from (select *, case live_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else default_access_role end as nearest_role from ruled offset 0) r
    offset 0
  ),
  decided as (
    select r.*, case when r.allowed then r.nearest_role end as role,
           case when r.allowed or r.at_least is null or r.rule in ('disabled', 'user_disabled', 'does_not_exist', 'no_grant') then r.rule
                when case r.any_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else null::access_role end >= r.at_least then 'grant_expired'
                else 'no_grant' end as reason,
           case when r.allowed then nullif(least(r.live_rank & 137438953471, case r.rule when 'membership' then r.member_until end),
                                           137438953471) end as expires_at,
           case r.via_at when cardinality(r.chain) then r.kind when 1 then 'organization' else 'folder' end as via_kind,
           case r.via_at when cardinality(r.chain) then r.resource_id when 1 then r.organization_id else folder.id end as via_id,
           r.via_at < cardinality(r.chain) as inherited, moved.id as migrated_to
      from allowance r
      left join lateral (
        select f.id from resources f
         where r.allowed and r.via_at > 1 and r.via_at < cardinality(r.chain)
           and f.organization_key = r.organization_key and f.resource_key = r.chain[r.via_at] limit 1
      ) folder on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.rule = 'does_not_exist' and r.kind = 'document'
           and a.organization_key = r.organization_key and a.document_id = r.resource_id limit 1
      ) moved on true
  )
    select to_jsonb(decision) as decision from (select d.allowed, d.reason as reason, d.role as "accessRole",
         case when d.reason <> 'does_not_exist' then d.access_type end as "accessType",
         case when d.allowed then case when d.rule = 'access_type' and d.via_at = 1 then 'keyDefault' else d.via_kind::text end end as "viaType",
         case when d.allowed and not (d.rule = 'access_type' and d.via_at = 1) then d.via_id end as "viaId",
         case when d.allowed then d.inherited end as inherited, d.expires_at as "expiresAt",
         d.migrated_to as "migratedTo",
         case when d.allowed and d.rule = 'grant' then d.group_id end as "viaGroupId" from decided d) decision
  )
  select d.allowed, d.reason as reason, d.role as "accessRole",
         case when d.reason <> 'does_not_exist' then d.access_type end as "accessType",
         case when d.allowed then case when d.rule = 'access_type' and d.via_at = 1 then 'keyDefault' else d.via_kind::text end end as "viaType",
         case when d.allowed and not (d.rule = 'access_type' and d.via_at = 1) then d.via_id end as "viaId",
         case when d.allowed then d.inherited end as inherited, d.expires_at as "expiresAt",
         d.migrated_to as "migratedTo",
         case when d.allowed and d.rule = 'grant' then d.group_id end as "viaGroupId", (select decision from afterwards) as afterwards, coalesce(d.is_user_disabled, false) as "userDisabled",
         entry.kind as type, entry.id, entry.name, entry.own_access_type as "ownAccessType", entry.added, entry.disabled,
         entry.position = d.boundary_at as boundary,
         held.standing_role as "standingRole", held.temporary_role as "temporaryRole",
         extract(epoch from held.expires_at)::bigint as "grantExpiresAt", held.expires_at > (select now from clock) as live,
         held.temporary_role is not null and held.provided_by is not null as "isProvided", of_groups.grants as "groupGrants",
         entry.position >= d.boundary_at
           or coalesce(entry.position = 1 and d.access_type = 'organizationPrivate', false) as reaches
    from decided d
    left join lateral (
      select c.position, r.kind, r.resource_key, r.id, coalesce(o.name, r.name) as name, r.own_access_type, r.added_at is not null as added,
             coalesce(o.disabled, r.disabled) as disabled
        from unnest(d.chain) with ordinality as c(resource_key, position)
       cross join lateral (
          select r.* from resources r
           where r.organization_key = d.organization_key and r.resource_key = c.resource_key limit 1
       ) r
        left join lateral (
          select o.name, o.disabled from organizations o
           where r.kind = 'organization' and o.organization_key = d.organization_key limit 1
        ) o on true
    ) entry on true
    left join lateral (
      select g.standing_role, g.temporary_role, g.expires_at, g.provided_by from grants g
       where g.organization_key = d.organization_key and g.resource_key = entry.resource_key and g.principal = d.user_id
         and g.kind = entry.kind limit 1
    ) held on true
   cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object(
               'groupId', substr(g.principal, 2), 'member', d.member_until is not null, 'standingRole', g.standing_role,
               'temporaryRole', g.temporary_role, 'grantExpiresAt', extract(epoch from g.expires_at)::bigint,
               'live', g.expires_at > (select now from clock)) order by g.principal), '[]') as grants
        from grants g
       where g.organization_key = d.organization_key and g.resource_key = entry.resource_key and g.principal < ' '
         and g.principal = any(d.groups)
    ) of_groups
   order by entry.position desc;

-- permissions.explain-thread (server/features/permissions/explanations/thread-statements.ts)
select 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $4::text or $4::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $4::text and (g.standing_role is not null or g.expires_at > coalesce($5::timestamptz, clock_timestamp())) limit 1
                            ) g)) as includes, t.visibility, coalesce(t.access_context <> '{}', false) as "hasContext",
         t.author_id = $4::text as "isAuthor", $4::text = any(t.visibility_user_ids) as "isNamed",
         json_texts(t.content -> 'visibility' -> 'organizationIds') as "organizationIds",
         array(select o.id
                 from unnest(t.visibility_organization_keys, json_texts(t.content -> 'visibility' -> 'organizationIds')) as o (key, id)
                cross join lateral (
                   select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                          and g.principal = $4::text and (g.standing_role is not null or g.expires_at > coalesce($5::timestamptz, clock_timestamp())) limit 1
                ) g
                order by o.id) as "memberOf"
    from resources d
   cross join lateral (
      select t.* from threads t
       where t.organization_key = d.organization_key and t.resource_key = d.resource_key and t.annotation_id = $3::text limit 1
    ) t
   where d.organization_key = $1 and d.kind = 'document' and d.id = $2::text;

-- permissions.find-asked (server/features/permissions/provided/statements.ts)
select coalesce(o.disabled, false) as "isDisabled", r.added_at is not null as "isAdded", f.id as "parentFolderId"
    from unnest($1::uuid[], $2::resource_kind[], $3::text[]) with ordinality as item(organization_key, kind, resource_id, ord)
    left join lateral (
      select o.disabled from organizations o where o.organization_key = item.organization_key limit 1
    ) o on true
    left join lateral (
      select r.added_at, r.folder_key from resources r
       where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
    ) r on true
    left join lateral (
      select f.id from resources f
       where item.kind = 'document' and f.organization_key = item.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
   order by item.ord;

-- permissions.find-open-organizations (server/features/permissions/grants/statements.ts)
select item.organization_key as "organizationKey"
    from unnest($1::uuid[]) with ordinality as item(organization_key, ord)
   where exists (select from organizations o
                  where o.organization_key = item.organization_key and o.added_at is not null and not o.disabled);

-- permissions.find-provided (server/features/permissions/provided/statements.ts)
select g.organization_key as "organizationKey", o.organization_id as "organizationId", g.kind, r.id as "resourceId"
    from grants g
   cross join lateral (
      select o.organization_id from organizations o where o.organization_key = g.organization_key limit 1
   ) o
   cross join lateral (
      select r.id from resources r where r.organization_key = g.organization_key and r.resource_key = g.resource_key limit 1
   ) r
   where g.provided_by = $1 and g.principal = $2 and g.expires_at > coalesce($3::timestamptz, clock_timestamp());

-- permissions.find-resources (server/features/permissions/simulations/named-resources.ts)
select r.resource_key as "resourceKey", r.added_at is not null as added, moved.id as "migratedTo"
    from unnest($1::uuid[], $2::resource_kind[], $3::text[]) with ordinality as item(organization_key, kind, resource_id, ord)
    left join lateral (
      select r.resource_key, r.added_at from resources r
       where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
    ) r on true
    left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where item.kind = 'document' and r.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.resource_id limit 1
      ) moved on true
   order by item.ord;

-- permissions.get-standing-role (server/features/permissions/grants/stronger-role.ts)
select g.standing_role as role from grants g
   where g.organization_key = $1 and g.principal = $4
     and g.resource_key = (select resource_key from resources
                            where organization_key = $1 and kind = $2::resource_kind and id = $3);

-- permissions.hold-providers (server/features/permissions/provided/statements.ts)
with held as materialized (
    select k.api_key_id, k.permission_provider_config ->> 'permissionProviderUrl' as url, k.permission_provider_token_sealed as token_sealed,
           k.has_commenter
      from api_keys k
     where k.api_key_id in (select api_key_id from unnest($1::text[], $2::text[], $3::bytea[]) with ordinality as item(api_key_id, url, token_sealed, ord)) and k.use_permission_provider
     order by k.api_key_id for share
  )
  select item.ord::int, held.has_commenter as "hasCommenter" from unnest($1::text[], $2::text[], $3::bytea[]) with ordinality as item(api_key_id, url, token_sealed, ord)
    join held on held.api_key_id = item.api_key_id and held.url = item.url and held.token_sealed is not distinct from item.token_sealed;

-- permissions.hold-signed-in (server/features/permissions/provided/statements.ts)
with held as materialized (
    select u.api_key_id, u.user_id, u.tokens_since from users u
     where (u.api_key_id, u.user_id) in (select api_key_id, user_id from unnest($1::text[], $2::text[], $3::timestamptz[]) with ordinality as item(api_key_id, user_id, tokens_since, ord))
     order by u.api_key_id, u.user_id for share
  )
  select item.ord::int from unnest($1::text[], $2::text[], $3::timestamptz[]) with ordinality as item(api_key_id, user_id, tokens_since, ord)
    join held on held.api_key_id = item.api_key_id and held.user_id = item.user_id and held.tokens_since = item.tokens_since;

-- permissions.lock-expired (server/features/permissions/expiry/statements.ts)
with bound as materialized (select coalesce($6::timestamptz, clock_timestamp()) as until),
  seen as materialized (
    select expires_at as time, organization_key, resource_key, principal,
           row_number() over (order by expires_at, organization_key, resource_key, principal) as position
      from grants
     where expires_at <= (select until from bound) and expiry_event_at is null
       and (expires_at, organization_key, resource_key, principal) > ($1::timestamptz, $2::uuid, $3::uuid, $4)
     order by expires_at, organization_key, resource_key, principal limit $5::int
  ),
  chosen as materialized (
    select * from (select *, row_number() over (partition by organization_key order by position) as nth from seen) numbered
     where nth <= 750 or position = (select count(*) from seen)
     order by position limit 1000
  ),
  locked as materialized (
    select o.organization_key from organizations o
     where o.organization_key in (select organization_key from chosen where nth <= 750)
       for no key update skip locked
  )
  select c.time::text, c.organization_key as "organizationKey", c.resource_key as "resourceKey", c.principal as "principal",
         c.nth <= 750 and c.organization_key in (select organization_key from locked) as claimed
    from chosen c order by c.position;

-- permissions.lock-expiring (server/features/permissions/expiry/statements.ts)
with bound as materialized (select coalesce($6::timestamptz, clock_timestamp()) as until),
  seen as materialized (
    select expiring_at as time, organization_key, resource_key, principal,
           row_number() over (order by expiring_at, organization_key, resource_key, principal) as position
      from grants
     where expiring_at <= (select until from bound) and expiring_at is not null
       and (expiring_at, organization_key, resource_key, principal) > ($1::timestamptz, $2::uuid, $3::uuid, $4)
     order by expiring_at, organization_key, resource_key, principal limit $5::int
  ),
  chosen as materialized (
    select * from (select *, row_number() over (partition by organization_key order by position) as nth from seen) numbered
     where nth <= 750 or position = (select count(*) from seen)
     order by position limit 1000
  ),
  locked as materialized (
    select o.organization_key from organizations o
     where o.organization_key in (select organization_key from chosen where nth <= 750)
       for no key update skip locked
  )
  select c.time::text, c.organization_key as "organizationKey", c.resource_key as "resourceKey", c.principal as "principal",
         c.nth <= 750 and c.organization_key in (select organization_key from locked) as claimed
    from chosen c order by c.position;

-- permissions.lock-long-expired (server/features/permissions/expiry/statements.ts)
with bound as materialized (select coalesce($7::timestamptz, clock_timestamp()) - make_interval(days => $6::int) as until),
  seen as materialized (
    select expiry_event_at as time, organization_key, resource_key, principal,
           row_number() over (order by expiry_event_at, organization_key, resource_key, principal) as position
      from grants
     where expiry_event_at <= (select until from bound) and true
       and (expiry_event_at, organization_key, resource_key, principal) > ($1::timestamptz, $2::uuid, $3::uuid, $4)
     order by expiry_event_at, organization_key, resource_key, principal limit $5::int
  ),
  chosen as materialized (
    select * from (select *, row_number() over (partition by organization_key order by position) as nth from seen) numbered
     where nth <= 750 or position = (select count(*) from seen)
     order by position limit 1000
  ),
  locked as materialized (
    select o.organization_key from organizations o
     where o.organization_key in (select organization_key from chosen where nth <= 750)
       for no key update skip locked
  )
  select c.time::text, c.organization_key as "organizationKey", c.resource_key as "resourceKey", c.principal as "principal",
         c.nth <= 750 and c.organization_key in (select organization_key from locked) as claimed
    from chosen c order by c.position;

-- permissions.provide (server/features/permissions/provided/statements.ts)
with clock as materialized (select coalesce($14::timestamptz, clock_timestamp()) as now),
  named as materialized (
    select item.*, o.added_at is not null as organization_added,
           r.resource_key, r.added_at is not null as resource_added, moved.id as migrated_to,
           case when moved.id is not null then 'document_was_migrated'
                when item.known_only and r.added_at is null then 'resource_does_not_exist'
                when o.added_at is null and not item.create_organization then 'resource_does_not_exist'
                else 'ok' end as outcome,
           case item.standing_role when 'viewer' then 1::bigint when 'editor' then 3 when 'commenter' then 2 else 0 end as given_standing, coalesce((extract(epoch from item.expires_at)::bigint + 1) << 2, 0) | case item.temporary_role when 'viewer' then 1 when 'editor' then 3 when 'commenter' then 2 else 0 end as given_temporary,
           case g.standing_role when 'viewer' then 1::bigint when 'editor' then 3 when 'commenter' then 2 else 0 end as old_standing, coalesce((extract(epoch from g.expires_at)::bigint + 1) << 2, 0) | case g.temporary_role when 'viewer' then 1 when 'editor' then 3 when 'commenter' then 2 else 0 end as old_temporary,
           g.expires_at as old_expires_at, g.expiry_event_at as old_expiry_event_at, g.expiring_at as old_expiring_at, g.provided_by as old_provided_by
      from unnest($1::uuid[], $2::boolean[], $3::text[], $4::resource_kind[], $5::text[], $6::text[], $7::access_role[], $8::access_role[], $9::timestamptz[], $10::boolean[], $11::int[], $12::boolean[], $13::jsonb[]) with ordinality as item(organization_key, create_organization, api_key_id, kind, resource_id, principal, standing_role, temporary_role, expires_at, replaces, expiring_soon_seconds, known_only, actor, ord)
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key, r.added_at from resources r
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where item.kind = 'document' and r.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.resource_id limit 1
      ) moved on true
      left join lateral (
        select g.standing_role, g.temporary_role, g.expires_at, g.expiry_event_at, g.expiring_at, g.provided_by from grants g
         where g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.principal = item.principal
           and g.kind = item.kind limit 1
      ) g on true
  ),
  accepted as materialized (
    select * from named
     where outcome = 'ok' and expires_at > (select now from clock)
       and not (coalesce(old_expires_at > (select now from clock), false) and old_provided_by is null)
  ),
  -- A given grant replaces that of its kind, and with "replaces" the other kind ends. The same grant as a permission provider
  -- has given is taken over from it: it stays after a sign-out.
  changed as (
    select *, before_standing <> after_standing as changes_standing, before_temporary <> after_temporary as changes_temporary,
           given_temporary > 0 and old_expires_at > (select now from clock)
             and old_provided_by is not null and old_provided_by is distinct from api_key_id as takes_over
      from (select *, case when given_standing > 0 then given_standing when replaces then 0 else before_standing end as after_standing,
                   case when given_temporary > 0 then given_temporary when replaces then 0 else before_temporary end as after_temporary
              from (select *, old_standing as before_standing, old_temporary as before_temporary from accepted) a) b
  ),
  applied as materialized (
    select *, changes_standing or changes_temporary or takes_over as pair_changes, changes_temporary or takes_over as renews,
           true as is_last, changes_temporary and old_expires_at <= (select now from clock) and old_expiry_event_at is null as expired_unreported
      from changed
    
  ),
  opening as (
    select distinct on (organization_key) organization_key, actor from accepted where not organization_added order by organization_key, ord
  ),
  
  missing as materialized (
    select m.*, gen_random_uuid() as resource_key
      from (select organization_key, kind, resource_id, false as adds
              from accepted where resource_key is null and kind <> 'organization'
             group by organization_key, kind, resource_id) m
  ),
  created as (
    insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
    select o.organization_key, o.organization_key, 'organization'::resource_kind, o.organization_id, clock_timestamp(),
           array[o.organization_key], 1, o.organization_key
      from organizations o
     where o.organization_key in (select organization_key from opening)
    union all
    select organization_key, resource_key, kind, resource_id, case when adds then clock_timestamp() end,
           case when kind = 'folder' then array[organization_key, resource_key] end,
           case when kind = 'folder' then 1 end, case when kind = 'folder' then organization_key end
      from missing
     order by 1, 3, 4
  ),
  -- Unless the temporary grant was changed, what its sweeps did stays done, and the provider that gave it stays named.
  written as (
    insert into grants (organization_key, resource_key, principal, kind, standing_role, temporary_role, expires_at, expiry_event_at, expiring_at, provided_by)
    select a.organization_key, coalesce(a.resource_key, m.resource_key, a.organization_key) as target,
           a.principal, a.kind, case a.after_standing & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, case a.after_temporary & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, e.expires_at,
           case when not a.renews then a.old_expiry_event_at end,
           case when not a.renews then a.old_expiring_at
                when a.expiring_soon_seconds > 0 and e.due > (select now from clock) then e.due end,
           case when a.renews then api_key_id else a.old_provided_by end
      from applied a
     cross join lateral (
        select expires_at, expires_at - make_interval(secs => a.expiring_soon_seconds) as due
          from (select to_timestamp(nullif(a.after_temporary >> 2, 0) - 1) as expires_at) expiry
     ) e
      left join missing m on m.organization_key = a.organization_key and m.kind = a.kind and m.resource_id = a.resource_id
     where a.is_last and a.pair_changes
     order by a.organization_key, target, a.principal
    on conflict (organization_key, resource_key, principal) do update
       set standing_role = excluded.standing_role, temporary_role = excluded.temporary_role, expires_at = excluded.expires_at,
           expiry_event_at = excluded.expiry_event_at, expiring_at = excluded.expiring_at, provided_by = excluded.provided_by
  ),
  -- Of each row first what was revoked. A temporary grant that expired without an event gets that event before it is replaced.
  event as (
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind, null as resource_id,
           null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from opening
    union all
    select organization_key, 4 * ord + case when nth > 0 and after_code = 0 then 1 else nth end,
           case when nth = 0 then 'permission.expired' when after_code = 0 then 'permission.removed' else 'permission.added' end,
           kind, resource_id, case when not starts_with(principal, chr(1)) then principal end, case when nth = 0 then '{"system": "expiry"}'::jsonb else actor end,
           case when before_code > 0 then case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', case before_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(before_code >> 2, 0) - 1)
                else jsonb_build_object('accessRole', case before_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(before_code >> 2, 0) - 1) end end, case when after_code > 0 then case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', case after_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(after_code >> 2, 0) - 1)
                else jsonb_build_object('accessRole', case after_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(after_code >> 2, 0) - 1) end end
      from (select organization_key, ord, nth, kind, resource_id, principal, actor,
                   case nth when 2 then before_standing else before_temporary end as before_code,
                   case nth when 2 then after_standing when 3 then after_temporary else 0 end as after_code
              from applied
             cross join (values (0), (2), (3)) change(nth)
             where case nth when 0 then expired_unreported when 2 then changes_standing else changes_temporary end
            offset 0) change -- "offset 0" keeps PostgreSQL from computing the numbers again for each use
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select null where false;

-- permissions.remove (server/features/permissions/grants/statements.ts)
with clock as materialized (select coalesce($8::timestamptz, clock_timestamp()) as now),
  -- The first row of a pair revokes the temporary grant, the first without temporaryOnly the standing one: perhaps a later call.
  named as materialized (
    select item.*, row_number() over pair = 1 as is_first, min(ord) filter (where not temporary_only) over pair_all as full_ord
      from unnest($1::int[], $2::uuid[], $3::resource_kind[], $4::text[], $5::text[], $6::boolean[], $7::jsonb[]) with ordinality as item(req, organization_key, kind, resource_id, principal, temporary_only, actor, ord)
    window pair_all as (partition by organization_key, kind, resource_id, principal), pair as (pair_all order by ord)
  ),
  held as materialized (
    select n.*, r.resource_key, g.standing_role, g.temporary_role, g.expires_at, g.expiry_event_at,
           n.full_ord is null and g.standing_role is not null as keeps_standing
      from named n
     cross join lateral (
        select r.resource_key from resources r
         where r.organization_key = n.organization_key and r.kind = n.kind and r.id = n.resource_id limit 1
      ) r
     cross join lateral (
        select g.standing_role, g.temporary_role, g.expires_at, g.expiry_event_at from grants g
         where g.organization_key = n.organization_key and g.resource_key = r.resource_key and g.principal = n.principal
           and g.kind = n.kind limit 1
      ) g
     where n.is_first or n.ord = n.full_ord
  ),
  deleted as (
    delete from grants g using held h
     where h.is_first and not h.keeps_standing and g.organization_key = h.organization_key and g.resource_key = h.resource_key
       and g.principal = h.principal and g.kind = h.kind
  ),
  shortened as (
    update grants g set temporary_role = null, expires_at = null, expiry_event_at = null, expiring_at = null, provided_by = null from held h
     where h.is_first and h.keeps_standing and h.temporary_role is not null and g.organization_key = h.organization_key
       and g.resource_key = h.resource_key and g.principal = h.principal and g.kind = h.kind
  ),
  removed as (
    select organization_key, kind, resource_id, principal, ord, actor, case when ord = full_ord then standing_role end as standing_role,
           case when is_first then temporary_role end as temporary_role, expires_at,
           is_first and expires_at <= (select now from clock) and expiry_event_at is null as expiry_unreported
      from held
  ),
  event as (
    select organization_key, 1 + 3 * ord as position, 'permission.removed' as type, kind as resource_kind, resource_id, case when not starts_with(principal, chr(1)) then principal end as user_id, actor,
           case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', standing_role, 'expiresAt', null)
                else jsonb_build_object('accessRole', standing_role, 'expiresAt', null) end as before, null::jsonb as after
      from removed where standing_role is not null
    union all
    select organization_key, 2 + 3 * ord, 'permission.removed', kind, resource_id, case when not starts_with(principal, chr(1)) then principal end, actor,
           case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint)
                else jsonb_build_object('accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint) end, null
      from removed where temporary_role is not null
    union all
    select organization_key, 3 * ord as position, 'permission.expired' as type, kind as resource_kind, resource_id, case when not starts_with(principal, chr(1)) then principal end as user_id,
           '{"system": "expiry"}'::jsonb as actor,
           case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint)
                else jsonb_build_object('accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint) end as before,
           null::jsonb as after
      from removed where expiry_unreported
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select null::int as req where false;

-- permissions.set-roles (server/features/permissions/grants/add-statements.ts)
with clock as materialized (select coalesce($14::timestamptz, clock_timestamp()) as now),
  named as materialized (
    select item.*, o.added_at is not null as organization_added,
           r.resource_key, r.added_at is not null as resource_added, moved.id as migrated_to,
           case when moved.id is not null then 'document_was_migrated'
                when item.known_only and r.added_at is null then 'resource_does_not_exist'
                when o.added_at is null and not item.create_organization then 'resource_does_not_exist'
                else 'ok' end as outcome,
           case item.standing_role when 'viewer' then 1::bigint when 'editor' then 3 when 'commenter' then 2 else 0 end as given_standing, coalesce((extract(epoch from item.expires_at)::bigint + 1) << 2, 0) | case item.temporary_role when 'viewer' then 1 when 'editor' then 3 when 'commenter' then 2 else 0 end as given_temporary,
           case g.standing_role when 'viewer' then 1::bigint when 'editor' then 3 when 'commenter' then 2 else 0 end as old_standing, coalesce((extract(epoch from g.expires_at)::bigint + 1) << 2, 0) | case g.temporary_role when 'viewer' then 1 when 'editor' then 3 when 'commenter' then 2 else 0 end as old_temporary,
           g.expires_at as old_expires_at, g.expiry_event_at as old_expiry_event_at, g.expiring_at as old_expiring_at, g.provided_by as old_provided_by
      from unnest($1::int[], $2::uuid[], $3::boolean[], $4::resource_kind[], $5::text[], $6::text[], $7::access_role[], $8::access_role[], $9::timestamptz[], $10::boolean[], $11::int[], $12::boolean[], $13::jsonb[]) with ordinality as item(req, organization_key, create_organization, kind, resource_id, principal, standing_role, temporary_role, expires_at, replaces, expiring_soon_seconds, known_only, actor, ord)
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key, r.added_at from resources r
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where item.kind = 'document' and r.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.resource_id limit 1
      ) moved on true
      left join lateral (
        select g.standing_role, g.temporary_role, g.expires_at, g.expiry_event_at, g.expiring_at, g.provided_by from grants g
         where g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.principal = item.principal
           and g.kind = item.kind limit 1
      ) g on true
  ),
  accepted as materialized (
    select organization_key, ord, kind, resource_id, principal, actor, replaces, expiring_soon_seconds, organization_added,
           resource_key, resource_added, old_standing, old_temporary, old_expires_at, old_expiry_event_at, old_expiring_at, old_provided_by, case when old_standing > 0 then given_standing else 0 end as given_standing,
           case when live_temporary > 0 then (old_temporary & ~3::bigint) | given_standing else 0 end as given_temporary
      from (select *, case when old_expires_at > (select now from clock) then old_temporary & 3 else 0 end as live_temporary from named) named
     where greatest(old_standing, live_temporary) not in (0, given_standing)
  ),
  -- A given grant replaces that of its kind, and with "replaces" the other kind ends. The same grant as a permission provider
  -- has given is taken over from it: it stays after a sign-out.
  changed as (
    select *, before_standing <> after_standing as changes_standing, before_temporary <> after_temporary as changes_temporary,
           given_temporary > 0 and old_expires_at > (select now from clock)
             and old_provided_by is not null and old_provided_by is distinct from null::text as takes_over
      from (select *, case when given_standing > 0 then given_standing when replaces then 0 else before_standing end as after_standing,
                   case when given_temporary > 0 then given_temporary when replaces then 0 else before_temporary end as after_temporary
              from (select *, old_standing as before_standing, old_temporary as before_temporary from accepted) a) b
  ),
  applied as materialized (
    select *, changes_standing or changes_temporary or takes_over as pair_changes, changes_temporary or takes_over as renews,
           true as is_last, changes_temporary and old_expires_at <= (select now from clock) and old_expiry_event_at is null as expired_unreported
      from changed
    
  ),
  opening as (
    select distinct on (organization_key) organization_key, actor from accepted where not organization_added order by organization_key, ord
  ),
  
  missing as materialized (
    select m.*, gen_random_uuid() as resource_key
      from (select organization_key, kind, resource_id, false as adds
              from accepted where resource_key is null and kind <> 'organization'
             group by organization_key, kind, resource_id) m
  ),
  created as (
    insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
    select o.organization_key, o.organization_key, 'organization'::resource_kind, o.organization_id, clock_timestamp(),
           array[o.organization_key], 1, o.organization_key
      from organizations o
     where o.organization_key in (select organization_key from opening)
    union all
    select organization_key, resource_key, kind, resource_id, case when adds then clock_timestamp() end,
           case when kind = 'folder' then array[organization_key, resource_key] end,
           case when kind = 'folder' then 1 end, case when kind = 'folder' then organization_key end
      from missing
     order by 1, 3, 4
  ),
  -- Unless the temporary grant was changed, what its sweeps did stays done, and the provider that gave it stays named.
  written as (
    insert into grants (organization_key, resource_key, principal, kind, standing_role, temporary_role, expires_at, expiry_event_at, expiring_at, provided_by)
    select a.organization_key, coalesce(a.resource_key, m.resource_key, a.organization_key) as target,
           a.principal, a.kind, case a.after_standing & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, case a.after_temporary & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, e.expires_at,
           case when not a.renews then a.old_expiry_event_at end,
           case when not a.renews then a.old_expiring_at
                when a.expiring_soon_seconds > 0 and e.due > (select now from clock) then e.due end,
           case when a.renews then null::text else a.old_provided_by end
      from applied a
     cross join lateral (
        select expires_at, expires_at - make_interval(secs => a.expiring_soon_seconds) as due
          from (select to_timestamp(nullif(a.after_temporary >> 2, 0) - 1) as expires_at) expiry
     ) e
      left join missing m on m.organization_key = a.organization_key and m.kind = a.kind and m.resource_id = a.resource_id
     where a.is_last and a.pair_changes
     order by a.organization_key, target, a.principal
    on conflict (organization_key, resource_key, principal) do update
       set standing_role = excluded.standing_role, temporary_role = excluded.temporary_role, expires_at = excluded.expires_at,
           expiry_event_at = excluded.expiry_event_at, expiring_at = excluded.expiring_at, provided_by = excluded.provided_by
  ),
  -- Of each row first what was revoked. A temporary grant that expired without an event gets that event before it is replaced.
  event as (
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind, null as resource_id,
           null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from opening
    union all
    select organization_key, 4 * ord + case when nth > 0 and after_code = 0 then 1 else nth end,
           case when nth = 0 then 'permission.expired' when after_code = 0 then 'permission.removed' else 'permission.added' end,
           kind, resource_id, case when not starts_with(principal, chr(1)) then principal end, case when nth = 0 then '{"system": "expiry"}'::jsonb else actor end,
           case when before_code > 0 then case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', case before_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(before_code >> 2, 0) - 1)
                else jsonb_build_object('accessRole', case before_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(before_code >> 2, 0) - 1) end end, case when after_code > 0 then case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', case after_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(after_code >> 2, 0) - 1)
                else jsonb_build_object('accessRole', case after_code & 3 when 1 then 'viewer'::access_role when 3 then 'editor' when 2 then 'commenter' end, 'expiresAt', nullif(after_code >> 2, 0) - 1) end end
      from (select organization_key, ord, nth, kind, resource_id, principal, actor,
                   case nth when 2 then before_standing else before_temporary end as before_code,
                   case nth when 2 then after_standing when 3 then after_temporary else 0 end as after_code
              from applied
             cross join (values (0), (2), (3)) change(nth)
             where case nth when 0 then expired_unreported when 2 then changes_standing else changes_temporary end
            offset 0) change -- "offset 0" keeps PostgreSQL from computing the numbers again for each use
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select principal as "userId" from named where greatest(old_standing, case when old_expires_at > (select now from clock) then old_temporary & 3 else 0 end) > 0;

-- permissions.simulate (server/features/permissions/simulations/statements.ts)
with recursive clock as materialized (select coalesce((select decided_at from (select ord - 1 as req, shared.* from unnest($9::uuid[], $10::text[], $11::text[], $12::access_type[], $13::access_role[], $14::jsonb[], $15::boolean[], $16::int[], $17::text[], $18::resource_kind[], $19::text[], $20::jsonb[], $21::int[], $22::int[], $23::timestamptz[]) with ordinality as shared(organization_key, api_key_id, organization_id, default_access_type, default_access_role, memberships, include_inside, page_size, after_user_id, after_kind, after_resource_id, users_in_batch, resources_from, resources_to, decided_at, ord)) request limit 1), $24::timestamptz, clock_timestamp()) as now),
  call as materialized (select * from (select ord - 1 as req, shared.* from unnest($9::uuid[], $10::text[], $11::text[], $12::access_type[], $13::access_role[], $14::jsonb[], $15::boolean[], $16::int[], $17::text[], $18::resource_kind[], $19::text[], $20::jsonb[], $21::int[], $22::int[], $23::timestamptz[]) with ordinality as shared(organization_key, api_key_id, organization_id, default_access_type, default_access_role, memberships, include_inside, page_size, after_user_id, after_kind, after_resource_id, users_in_batch, resources_from, resources_to, decided_at, ord)) request),
  moved as materialized (
    select chr(1) || m."groupId" collate "C" as principal, m."userId" as user_id, m.joins,
           not m.joins or coalesce(
             case when given.grants ? 'standing' then given.grants ->> 'standing' else own.standing_role::text end is not null
             or case when given.grants ? 'temporary' then (given.grants #>> '{temporary,expiresAt}')::timestamptz else own.expires_at end
                > (select now from clock), false) as takes_effect
      from call cross join lateral jsonb_to_recordset(call.memberships) as m("groupId" text, "userId" text, joins boolean)
      left join lateral (
        select g.standing_role, g.expires_at from grants g
         where g.organization_key = call.organization_key and g.resource_key = call.organization_key and g.principal = m."userId" limit 1
      ) own on true
      left join (select principal, grants from unnest($1::int[], $2::resource_kind[], $3::text[], $4::uuid[], $5::boolean[], $6::text[], $7::jsonb[], $8::access_type[]) with ordinality as item(req, kind, resource_id, resource_key, declared, principal, grants, access_type, ord) where kind = 'organization' and resource_key is not null) given
        on given.principal = m."userId"
  ),
  change as materialized (
    select kind, resource_id, resource_key, declared, principal, grants, access_type from unnest($1::int[], $2::resource_kind[], $3::text[], $4::uuid[], $5::boolean[], $6::text[], $7::jsonb[], $8::access_type[]) with ordinality as item(req, kind, resource_id, resource_key, declared, principal, grants, access_type, ord) where resource_key is not null
    union all
    (select r.kind, r.id, r.resource_key, false, moved.user_id, null, null
       from call cross join moved
      cross join lateral (
         select g.resource_key from grants g
          where g.organization_key = call.organization_key and g.principal = moved.principal limit 100001
       ) g
      cross join lateral (
         select r.kind, r.id, r.resource_key from resources r
          where r.organization_key = call.organization_key and r.resource_key = g.resource_key limit 1
       ) r
      limit 100001)
  ),
  overlay as materialized (
    select (select coalesce(jsonb_object_agg(resource_key || ' ' || principal, grants), '{}')
              from change where grants is not null) as grants,
           (select coalesce(jsonb_object_agg(resource_key, access_type), '{}') from change where principal is null) as access_types,
           (select coalesce(jsonb_object_agg(resource_key, principals), '{}')
              from (select resource_key, case when bool_or(declared or principal is null) then 'true' else jsonb_agg(principal) end as principals
                      from change group by resource_key) by_resource) as principals,
           (select coalesce(jsonb_object_agg(held.principal, users), '{}')
              from call
             cross join (select distinct principal from unnest($1::int[], $2::resource_kind[], $3::text[], $4::uuid[], $5::boolean[], $6::text[], $7::jsonb[], $8::access_type[]) with ordinality as item(req, kind, resource_id, resource_key, declared, principal, grants, access_type, ord) where starts_with(principal, chr(1))) held
             cross join lateral (
                select coalesce(jsonb_agg(distinct u.user_id), '[]') as users
                  from (select m.user_id from user_group_members m
                         where m.organization_key = call.organization_key and m.group_id = substr(held.principal, 2)
                        union all select moved.user_id from moved where moved.principal = held.principal limit 100001) u
             ) members) as users,
           (select coalesce(jsonb_object_agg(principal || chr(1) || user_id, joins), '{}') from moved where takes_effect) as moved
  ),
  changed as materialized (
    select c.*, coalesce(stored.disabled, false) as disabled,
           coalesce(stored.chain, case c.kind when 'organization' then array[c.resource_key]
                                 else array[call.organization_key, c.resource_key] end) as chain
      from call
     cross join (select distinct kind, resource_id as id, resource_key, declared from change) c
      left join lateral (
        select r.disabled, case r.kind when 'document' then coalesce(f.path, array[r.organization_key]) || r.resource_key else r.path end as chain
          from resources r
          left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
         where r.organization_key = call.organization_key and r.resource_key = c.resource_key limit 1
      ) stored on true
  ),
  top as materialized (
    select * from changed
     where declared or not (select include_inside from call)
        or not (select principals from overlay) ?| array(select above::text from unnest(chain[:cardinality(chain) - 1]) above)
  ),
  container as materialized (
    select r.resource_key, r.kind, r.id, r.path as chain
      from top
     cross join lateral (
        select r.* from resources r
         where r.organization_key = top.chain[1] and r.path >= top.chain
           and r.path < top.chain || case when (select include_inside from call) then 'ffffffff-ffff-ffff-ffff-ffffffffffff'
                                          else '00000000-0000-0000-0000-000000000000' end::uuid offset 0
     ) r
     where top.kind <> 'document' and not top.declared
     limit 100001
  ),
  affected as materialized (
    select kind, id, chain, false as disabled from container
    union all
    select d.kind, d.id, container.chain || d.resource_key, d.disabled
      from container
     cross join lateral (
        select d.* from resources d
         where d.organization_key = container.chain[1] and d.folder_key = container.resource_key and d.kind = 'document' offset 0
     ) d
     where container.kind = 'folder' and (select include_inside from call)
    union all
    select d.kind, d.id, container.chain || d.resource_key, d.disabled
      from container
     cross join lateral (
        select d.* from resources d
         where d.organization_key = container.chain[1] and d.folder_key is null and d.kind = 'document'
           and d.id > '' offset 0 -- matches all ids, so that either index can be used
     ) d
     where container.kind = 'organization' and (select include_inside from call)
    union all
    select kind, id, chain, disabled from top where kind = 'document' or declared
    limit 100001
  ),
  member (user_id) as (
    (select g.principal from call join grants g on g.organization_key = call.organization_key and g.principal > ' '
      where users_in_batch is null and exists (select from change where declared or change.principal is null)
      order by g.principal limit 1)
    union all
    select next.principal
      from call cross join member
     cross join lateral (
        select g.principal from grants g where g.organization_key = call.organization_key and g.principal > member.user_id
         order by g.principal limit 1
     ) next
  ),
  everybody as materialized (
    select array_agg(distinct user_id) as users
      from (select '' as user_id from call where users_in_batch is null
            union all select principal from unnest($1::int[], $2::resource_kind[], $3::text[], $4::uuid[], $5::boolean[], $6::text[], $7::jsonb[], $8::access_type[]) with ordinality as item(req, kind, resource_id, resource_key, declared, principal, grants, access_type, ord) where not starts_with(principal, chr(1)) and (select users_in_batch from call) is null
            union all select jsonb_array_elements_text(of_group.value) from overlay, jsonb_each(overlay.users) of_group where (select users_in_batch from call) is null
            union all select user_id from moved where (select users_in_batch from call) is null
            union all (select user_id from member limit 100001)
            union all select jsonb_object_keys(users_in_batch) from call) users
  ),
  named as (
    select t.*, coalesce(every, false) as every
      from affected t
     cross join lateral (
        select bool_or((select principals from overlay) -> above.resource_key::text = 'true') as every
          from unnest(t.chain) as above(resource_key)
     ) by
  ),
  affected_in_batch as (
    select * from named where (select resources_from from call) is null
    union all
    select kind, id, chain, disabled, every
      from (select *, row_number() over (order by kind, id collate "C") as nth from named t
             where (select resources_from from call) is not null
               and (every or exists (select from unnest(t.chain) as above(resource_key)
         cross join lateral jsonb_array_elements_text(nullif((select principals from overlay) -> above.resource_key::text, 'true')) as p(principal)
         cross join lateral jsonb_array_elements_text(coalesce((select users from overlay) -> p.principal, jsonb_build_array(p.principal))) as by(user_id) where ((select users_in_batch from call) is null or (select users_in_batch from call) ? by.user_id)))) numbered
     where nth > (select resources_from from call) and nth <= (select resources_to from call)
  ),
  pair as materialized (
    select call.organization_key, t.kind, t.id as resource_id, affected_user.user_id, call.default_access_type, call.default_access_role, null::access_role as at_least,
           t.chain as new_chain, coalesce(boundary.position, 1) as new_boundary_at,
           case when t.kind <> 'organization' then coalesce(boundary.access_type, call.default_access_type) end as new_access_type,
           t.disabled or coalesce(o.disabled, false) as new_is_disabled,
           exists (select from disabled_users d where d.api_key_id = call.api_key_id and d.user_id = affected_user.user_id) as is_disabled_user,
           case when o.has_group_grants or (select users <> '{}' or moved <> '{}' from overlay)
                then array(select chr(1) || m.group_id as principal from user_group_members m
                            where m.organization_key = call.organization_key and m.user_id = affected_user.user_id
                              and not (select moved from overlay) ? (chr(1) || m.group_id || chr(1) || m.user_id)
                           union all
                           select moved.principal from moved
                            where moved.joins and moved.takes_effect and moved.user_id = affected_user.user_id
                           order by principal) end as new_groups
      from call
      left join organizations o on o.organization_key = call.organization_key
     cross join affected_in_batch t
      left join lateral (
        select above.position, own.access_type
          from unnest(t.chain) with ordinality as above(resource_key, position)
         cross join lateral (
            select case when overlay.access_types ? above.resource_key::text
                        then (overlay.access_types ->> above.resource_key::text)::access_type
                        else r.own_access_type end as access_type
              from overlay, resources r
             where r.organization_key = call.organization_key and r.resource_key = above.resource_key limit 1
         ) own
         where above.position > 1 and own.access_type is not null
         order by above.position desc limit 1
      ) boundary on true
     cross join lateral (
        select unnest(case when t.every then (select users from everybody) end) as user_id
        union all
        select distinct by.user_id from unnest(t.chain) as above(resource_key)
         cross join lateral jsonb_array_elements_text(nullif((select principals from overlay) -> above.resource_key::text, 'true')) as p(principal)
         cross join lateral jsonb_array_elements_text(coalesce((select users from overlay) -> p.principal, jsonb_build_array(p.principal))) as by(user_id) where not t.every and ((select users_in_batch from call) is null or (select users_in_batch from call) ? by.user_id)
     ) affected_user
     limit 100001
  ),
  size as materialized (select greatest((select count(*) from pair), (select count(*) from change where (select memberships from call) <> '[]')) as pairs),
  question as (select * from pair where (select pairs from size) < 100001),
  current_decision as materialized (
    with 
  ruled as (
    select item.*, target.*, held.member_until, case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end as live_rank, case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end as any_rank, case when held.of_groups is not null and case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end > coalesce(held.own_live, 0)
                then substr(target.groups[131071 - (held.of_groups[1] & 131071)], 2) end as group_id,
           case when target.chain is null then 'does_not_exist'
                when target.is_disabled then 'disabled'
                when target.is_user_disabled then 'user_disabled'
                when (case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end) >> 39 >= target.boundary_at then 'grant'
                when item.kind = 'organization' then case when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) is null then 'no_grant' else 'grant_expired' end
                when target.access_type = 'public' then 'access_type'
                when target.access_type = 'organizationPrivate' and held.member_until is not null then 'membership'
                when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) >> 39 >= target.boundary_at then 'grant_expired'
                when target.access_type = 'organizationPrivate' and held.was_member then 'grant_expired'
                else 'no_grant' end as rule
      from question item
      left join lateral (
        select case item.kind when 'document' then coalesce(f.path, array[r.organization_key]) || r.resource_key else r.path end as chain,
               case when item.kind <> 'document' then r.boundary_depth
                    when r.own_access_type is not null then coalesce(cardinality(f.path), 1) + 1
                    else coalesce(f.boundary_depth, 1) end as boundary_at,
               case item.kind when 'organization' then null
                    when 'folder' then coalesce(r.boundary_access_type, item.default_access_type)
                    else coalesce(r.own_access_type, f.boundary_access_type, item.default_access_type) end as access_type,
               o.disabled or (item.kind = 'document' and r.disabled) as is_disabled, exists (select from disabled_users d where d.api_key_id = o.api_key_id and d.user_id = item.user_id) as is_user_disabled, o.organization_id,
               o.has_group_grants, case when o.has_group_grants
                    then array(select chr(1) || m.group_id from user_group_members m
                                where m.organization_key = item.organization_key and m.user_id = item.user_id
                                order by m.group_id) end as groups
          from resources r
          join organizations o on o.organization_key = r.organization_key
          left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) target on true
      left join lateral (
        with few as materialized (
          select g.resource_key, g.standing_role, g.temporary_role, g.expires_at from grants g
           where g.organization_key = item.organization_key and g.principal = item.user_id and g.kind < 'document' limit 16
        ),
        found as (
          select array_position(target.chain, resource_key)::bigint as position, standing_role, temporary_role, expires_at from few
           union all
          (select cardinality(target.chain), g.standing_role, g.temporary_role, g.expires_at from grants g
            where item.kind = 'document' and g.organization_key = item.organization_key
              and g.resource_key = target.chain[cardinality(target.chain)] and g.principal = item.user_id and g.kind = 'document' limit 1)
           union all
          select c.position, g.standing_role, g.temporary_role, g.expires_at
            from unnest(target.chain) with ordinality as c(resource_key, position)
           cross join lateral (
              select g.standing_role, g.temporary_role, g.expires_at from grants g
               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal = item.user_id
                 and g.kind = case c.position when 1 then 'organization'::resource_kind else 'folder' end limit 1
            ) g
           where (select count(*) from few) = 16
        )
        select max(position << 39 | greatest(standing, case when live then temporary end)) as own_live, max(position << 39 | greatest(standing, temporary)) as own_any,
               max(case when position = 1 then case when standing is not null then 137438953471 when live then extract(epoch from expires_at)::bigint end end) as member_until, bool_or(position = 1 and greatest(standing, temporary) is not null) as was_member, case when target.groups <> '{}' then (
                       select case when is_over or expires_at is not null then (
                 select array[max((position << 39 | greatest(standing, case when live then temporary end)) << 17 | 131071 - least(nth, 131071)) filter (where true), max(position << 39 | greatest(standing, temporary)) filter (where true)]
                   from (select position, expires_at, nth, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (with of_any as materialized (
                               select c.position, case when cardinality(target.groups) <= 64 then array_position(target.groups, g.principal)::bigint
                                           else ((select jsonb_object_agg(principal, nth)
                                                    from unnest(target.groups) with ordinality as p(principal, nth)) -> g.principal)::bigint end as nth, g.standing_role, g.temporary_role, g.expires_at
                                 from unnest(target.chain) with ordinality as c(resource_key, position)
                                cross join lateral (
                                   select g.principal, g.standing_role, g.temporary_role, g.expires_at from grants g
                                    where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                      and g.principal < ' ' limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                                ) g
                                limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                            ),
                            amount as materialized (
                               select count(*) > 4 * cardinality(target.chain) * cardinality(target.groups) as is_large from of_any
                            )
                            select position, nth, standing_role, temporary_role, expires_at
                              from of_any where nth is not null and not (select is_large from amount)
                            union all
                            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
                              from unnest(target.chain) with ordinality as c(resource_key, position)
                             cross join unnest(target.groups) with ordinality as p(principal, nth)
                             cross join lateral (
                                select g.standing_role, g.temporary_role, g.expires_at from grants g
                                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                   and g.principal = p.principal limit 1
                             ) g
                             where (select is_large from amount)) of_groups where position is not null offset 0) ranked)
                                   else array[(position << 39 | case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end) << 17 | 131071 - array_position(target.groups, principal), position << 39 | case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end] end
                         from (select * from unnest(target.chain) with ordinality as c(resource_key, position) order by position desc) c
                        cross join lateral (
                           select * from (
                              select g.principal, g.standing_role, g.expires_at, row_number() over (order by g.expires_at is not null desc, g.standing_role desc, g.principal) > case when cardinality(target.groups) <= 64 then 4 * cardinality(target.groups) else 0 end as is_over
                                from grants g
                               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal < ' '
                               order by g.expires_at is not null desc, g.standing_role desc, g.principal limit case when cardinality(target.groups) <= 64 then 4 * cardinality(target.groups) else 0 end + 1
                           ) g
                            where is_over or principal = any(target.groups) limit 1
                        ) g
                        order by position desc limit 1
                    ) end as of_groups
          from (select position, expires_at, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from found where position is not null offset 0) ranked
      ) held on true
  ),
  allowance as (
    select *, rule in ('grant', 'access_type', 'membership') and (at_least is null or nearest_role >= at_least) as allowed,
           case rule when 'grant' then live_rank >> 39 when 'access_type' then boundary_at when 'membership' then 1 end as via_at
      from (select *, case live_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else default_access_role end as nearest_role from ruled offset 0) r
    offset 0
  ),
  decided as (
    select r.*, case when r.allowed then r.nearest_role end as role,
           case when r.allowed or r.at_least is null or r.rule in ('disabled', 'user_disabled', 'does_not_exist', 'no_grant') then r.rule
                when case r.any_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else null::access_role end >= r.at_least then 'grant_expired'
                else 'no_grant' end as reason,
           case when r.allowed then nullif(least(r.live_rank & 137438953471, case r.rule when 'membership' then r.member_until end),
                                           137438953471) end as expires_at,
           case r.via_at when cardinality(r.chain) then r.kind when 1 then 'organization' else 'folder' end as via_kind,
           case r.via_at when cardinality(r.chain) then r.resource_id when 1 then r.organization_id else folder.id end as via_id,
           r.via_at < cardinality(r.chain) as inherited, moved.id as migrated_to
      from allowance r
      left join lateral (
        select f.id from resources f
         where r.allowed and r.via_at > 1 and r.via_at < cardinality(r.chain)
           and f.organization_key = r.organization_key and f.resource_key = r.chain[r.via_at] limit 1
      ) folder on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.rule = 'does_not_exist' and r.kind = 'document'
           and a.organization_key = r.organization_key and a.document_id = r.resource_id limit 1
      ) moved on true
  )
    select d.organization_key, d.kind, d.resource_id, d.user_id, d.default_access_type, d.default_access_role, d.at_least,
           d.new_chain, d.new_boundary_at, d.new_access_type, d.new_is_disabled, d.is_disabled_user, d.new_groups,
           (select to_jsonb(decision) from (select d.allowed, d.reason as reason, d.role as "accessRole",
         case when d.reason <> 'does_not_exist' then d.access_type end as "accessType",
         case when d.allowed then case when d.rule = 'access_type' and d.via_at = 1 then 'keyDefault' else d.via_kind::text end end as "viaType",
         case when d.allowed and not (d.rule = 'access_type' and d.via_at = 1) then d.via_id end as "viaId",
         case when d.allowed then d.inherited end as inherited, d.expires_at as "expiresAt",
         d.migrated_to as "migratedTo",
         case when d.allowed and d.rule = 'grant' then d.group_id end as "viaGroupId") decision) as before
      from decided d
  ),
  ruled as (
    select item.*, target.*, held.member_until, case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end as live_rank, case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end as any_rank, case when held.of_groups is not null and case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end > coalesce(held.own_live, 0)
                then substr(target.groups[131071 - (held.of_groups[1] & 131071)], 2) end as group_id,
           case when target.chain is null then 'does_not_exist'
                when target.is_disabled then 'disabled'
                when target.is_user_disabled then 'user_disabled'
                when (case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end) >> 39 >= target.boundary_at then 'grant'
                when item.kind = 'organization' then case when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) is null then 'no_grant' else 'grant_expired' end
                when target.access_type = 'public' then 'access_type'
                when target.access_type = 'organizationPrivate' and held.member_until is not null then 'membership'
                when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) >> 39 >= target.boundary_at then 'grant_expired'
                when target.access_type = 'organizationPrivate' and held.was_member then 'grant_expired'
                else 'no_grant' end as rule
      from current_decision item
      left join lateral (
        
        select item.new_chain as chain, item.new_boundary_at as boundary_at, item.new_access_type as access_type,
               item.new_is_disabled as is_disabled, item.is_disabled_user as is_user_disabled, (select organization_id from call) as organization_id, item.new_groups as groups
      ) target on true
      left join lateral (
        with few as materialized (
          select g.resource_key, g.standing_role, g.temporary_role, g.expires_at from grants g
           where g.organization_key = item.organization_key and g.principal = item.user_id and g.kind < 'document' limit 16
        ),
        found as (
          select array_position(target.chain, resource_key)::bigint as position, standing_role, temporary_role, expires_at from few
           union all
          (select cardinality(target.chain), g.standing_role, g.temporary_role, g.expires_at from grants g
            where item.kind = 'document' and g.organization_key = item.organization_key
              and g.resource_key = target.chain[cardinality(target.chain)] and g.principal = item.user_id and g.kind = 'document' limit 1)
           union all
          select c.position, g.standing_role, g.temporary_role, g.expires_at
            from unnest(target.chain) with ordinality as c(resource_key, position)
           cross join lateral (
              select g.standing_role, g.temporary_role, g.expires_at from grants g
               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal = item.user_id
                 and g.kind = case c.position when 1 then 'organization'::resource_kind else 'folder' end limit 1
            ) g
           where (select count(*) from few) = 16
        )
        select max(position << 39 | greatest(standing, case when live then temporary end)) as own_live, max(position << 39 | greatest(standing, temporary)) as own_any,
               max(case when position = 1 then case when standing is not null then 137438953471 when live then extract(epoch from expires_at)::bigint end end) as member_until, bool_or(position = 1 and greatest(standing, temporary) is not null) as was_member, case when target.groups <> '{}' then (
                 select array[max((position << 39 | greatest(standing, case when live then temporary end)) << 17 | 131071 - least(nth, 131071)) filter (where true), max(position << 39 | greatest(standing, temporary)) filter (where true)]
                   from (select position, expires_at, nth, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (
                    select f.position, f.nth, f.standing_role, f.temporary_role, f.expires_at from (select * from (with of_any as materialized (
                               select c.position, case when cardinality(target.groups) <= 64 then array_position(target.groups, g.principal)::bigint
                                           else ((select jsonb_object_agg(principal, nth)
                                                    from unnest(target.groups) with ordinality as p(principal, nth)) -> g.principal)::bigint end as nth, g.standing_role, g.temporary_role, g.expires_at
                                 from unnest(target.chain) with ordinality as c(resource_key, position)
                                cross join lateral (
                                   select g.principal, g.standing_role, g.temporary_role, g.expires_at from grants g
                                    where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                      and g.principal < ' ' limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                                ) g
                                limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                            ),
                            amount as materialized (
                               select count(*) > 4 * cardinality(target.chain) * cardinality(target.groups) as is_large from of_any
                            )
                            select position, nth, standing_role, temporary_role, expires_at
                              from of_any where nth is not null and not (select is_large from amount)
                            union all
                            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
                              from unnest(target.chain) with ordinality as c(resource_key, position)
                             cross join unnest(target.groups) with ordinality as p(principal, nth)
                             cross join lateral (
                                select g.standing_role, g.temporary_role, g.expires_at from grants g
                                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                   and g.principal = p.principal limit 1
                             ) g
                             where (select is_large from amount)) of_groups) f, overlay
                     where not overlay.grants ? (target.chain[f.position] || ' ' || coalesce(target.groups[f.nth], item.user_id))
                    union all
                    select changed.position, changed.nth,
                           case when change ? 'standing' then (change ->> 'standing')::access_role else f.standing_role end,
                           case when change ? 'temporary' then (change #>> '{temporary,role}')::access_role else f.temporary_role end,
                           case when change ? 'temporary' then (change #>> '{temporary,expiresAt}')::timestamptz else f.expires_at end
                      from (select at.position, held_by.nth as nth, overlay.grants -> (at.resource_key || ' ' || held_by.principal) as change
                              from overlay, unnest(target.chain) with ordinality as at(resource_key, position),
                                   unnest(target.groups) with ordinality as held_by(principal, nth)) changed
                      left join (select * from (with of_any as materialized (
                               select c.position, case when cardinality(target.groups) <= 64 then array_position(target.groups, g.principal)::bigint
                                           else ((select jsonb_object_agg(principal, nth)
                                                    from unnest(target.groups) with ordinality as p(principal, nth)) -> g.principal)::bigint end as nth, g.standing_role, g.temporary_role, g.expires_at
                                 from unnest(target.chain) with ordinality as c(resource_key, position)
                                cross join lateral (
                                   select g.principal, g.standing_role, g.temporary_role, g.expires_at from grants g
                                    where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                      and g.principal < ' ' limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                                ) g
                                limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                            ),
                            amount as materialized (
                               select count(*) > 4 * cardinality(target.chain) * cardinality(target.groups) as is_large from of_any
                            )
                            select position, nth, standing_role, temporary_role, expires_at
                              from of_any where nth is not null and not (select is_large from amount)
                            union all
                            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
                              from unnest(target.chain) with ordinality as c(resource_key, position)
                             cross join unnest(target.groups) with ordinality as p(principal, nth)
                             cross join lateral (
                                select g.standing_role, g.temporary_role, g.expires_at from grants g
                                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                   and g.principal = p.principal limit 1
                             ) g
                             where (select is_large from amount)) of_groups) f on f.position = changed.position and f.nth is not distinct from changed.nth
                     where change is not null
                  ) held where position is not null offset 0) ranked) end as of_groups
          from (select position, expires_at, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (
                    select f.position, f.nth, f.standing_role, f.temporary_role, f.expires_at from (select *, null::bigint as nth from found) f, overlay
                     where not overlay.grants ? (target.chain[f.position] || ' ' || coalesce(target.groups[f.nth], item.user_id))
                    union all
                    select changed.position, changed.nth,
                           case when change ? 'standing' then (change ->> 'standing')::access_role else f.standing_role end,
                           case when change ? 'temporary' then (change #>> '{temporary,role}')::access_role else f.temporary_role end,
                           case when change ? 'temporary' then (change #>> '{temporary,expiresAt}')::timestamptz else f.expires_at end
                      from (select at.position, null::bigint as nth, overlay.grants -> (at.resource_key || ' ' || held_by.principal) as change
                              from overlay, unnest(target.chain) with ordinality as at(resource_key, position),
                                   unnest(array[item.user_id]) with ordinality as held_by(principal, nth)) changed
                      left join (select *, null::bigint as nth from found) f on f.position = changed.position and f.nth is not distinct from changed.nth
                     where change is not null
                  ) held where position is not null offset 0) ranked
      ) held on true
  ),
  allowance as (
    select *, rule in ('grant', 'access_type', 'membership') and (at_least is null or nearest_role >= at_least) as allowed,
           case rule when 'grant' then live_rank >> 39 when 'access_type' then boundary_at when 'membership' then 1 end as via_at
      from (select *, case live_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else default_access_role end as nearest_role from ruled offset 0) r
    offset 0
  ),
  decided as (
    select r.*, case when r.allowed then r.nearest_role end as role,
           case when r.allowed or r.at_least is null or r.rule in ('disabled', 'user_disabled', 'does_not_exist', 'no_grant') then r.rule
                when case r.any_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else null::access_role end >= r.at_least then 'grant_expired'
                else 'no_grant' end as reason,
           case when r.allowed then nullif(least(r.live_rank & 137438953471, case r.rule when 'membership' then r.member_until end),
                                           137438953471) end as expires_at,
           case r.via_at when cardinality(r.chain) then r.kind when 1 then 'organization' else 'folder' end as via_kind,
           case r.via_at when cardinality(r.chain) then r.resource_id when 1 then r.organization_id else folder.id end as via_id,
           r.via_at < cardinality(r.chain) as inherited, moved.id as migrated_to
      from allowance r
      left join lateral (
        select f.id from resources f
         where r.allowed and r.via_at > 1 and r.via_at < cardinality(r.chain)
           and f.organization_key = r.organization_key and f.resource_key = r.chain[r.via_at] limit 1
      ) folder on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.rule = 'does_not_exist' and r.kind = 'document'
           and a.organization_key = r.organization_key and a.document_id = r.resource_id limit 1
      ) moved on true
  ),
  effect as materialized (
    select *
      from (select *, case when after -> 'allowed' <> before -> 'allowed' then case when after -> 'allowed' = 'true' then 'gained' else 'lost' end
                           when after -> 'allowed' = 'true' and (after -> 'accessRole', after -> 'expiresAt') is distinct from
                                                                (before -> 'accessRole', before -> 'expiresAt') then 'changed'
                           when after -> 'allowed' = 'true' and (kind, resource_id) in (select kind, id from changed) then 'kept' end as effect
              from (select d.user_id collate "C" as user_id, d.kind, d.resource_id collate "C" as resource_id, d.before,
                           (select to_jsonb(decision) from (select d.allowed, d.reason as reason, d.role as "accessRole",
         case when d.reason <> 'does_not_exist' then d.access_type end as "accessType",
         case when d.allowed then case when d.rule = 'access_type' and d.via_at = 1 then 'keyDefault' else d.via_kind::text end end as "viaType",
         case when d.allowed and not (d.rule = 'access_type' and d.via_at = 1) then d.via_id end as "viaId",
         case when d.allowed then d.inherited end as inherited, d.expires_at as "expiresAt",
         d.migrated_to as "migratedTo",
         case when d.allowed and d.rule = 'grant' then d.group_id end as "viaGroupId") decision) as after
                      from decided d) both_decisions) compared
     where effect is not null
  ),
  counts as (
    select (select pairs from size) as pairs,
           count(*) filter (where effect = 'gained' and user_id <> '') as gained,
           count(*) filter (where effect = 'lost' and user_id <> '') as lost,
           count(*) filter (where effect = 'changed') as changed,
           count(distinct user_id) filter (where effect = 'gained' and user_id <> '') as "usersGained",
           count(distinct user_id) filter (where effect = 'lost' and user_id <> '') as "usersLost",
           count(distinct user_id) filter (where effect = 'changed') as "usersChanged",
           count(*) filter (where effect = 'gained' and user_id = '') as "everyoneGained",
           count(*) filter (where effect = 'lost' and user_id = '') as "everyoneLost"
      from effect
  ),
  labelled as (
    select user_id, kind, resource_id, before, after,
           case when effect <> 'changed' then effect when before -> 'accessRole' = after -> 'accessRole' then 'expiry' else 'role' end as effect,
           after ->> 'accessRole' as role, coalesce(case when effect = 'kept' then jsonb_build_array(after -> 'viaType', after -> 'viaId', after -> 'viaGroupId', after -> 'inherited') end::text, '') collate "C" as source
      from effect where user_id <> ''
  ),
  person as (
    select *, row_number() over (partition by effect, role, source order by user_id) as nth
      from (select effect, role, source, user_id, count(*) as resources,
                   (array_agg(jsonb_build_object('kind', kind, 'resourceId', resource_id, 'before', before, 'after', after) order by kind, resource_id))[1] as pair
              from labelled group by effect, role, source, user_id) by_user
  ),
  listed as (
    select effect, role, source,
           jsonb_agg(pair || jsonb_build_object('userId', p.user_id, 'name', u.name, 'resources', resources) order by p.user_id) as people
      from person p
      left join lateral (
        select u.profile ->> 'name' as name from users u where u.api_key_id = (select api_key_id from call) and u.user_id = p.user_id limit 1
      ) u on true
     where nth <= 100 group by effect, role, source
  ),
  sized as (
    select *, row_number() over (partition by effect order by users desc, role, source) as nth
      from (select effect, role, source, count(distinct user_id) as users, count(distinct resource_id) filter (where kind = 'organization') as organizations,
                   count(distinct resource_id) filter (where kind = 'folder') as folders, count(distinct resource_id) filter (where kind = 'document') as documents,
                   case when (select users_in_batch from call) is not null then jsonb_agg(distinct kind || ' ' || resource_id) end as names
              from labelled group by effect, role, source) by_effect
  ),
  grouped as (
    select coalesce(jsonb_agg(jsonb_build_object(
             'effect', s.effect, 'accessRole', s.role, 'key', coalesce(s.role, '') || s.source, 'users', s.users, 'organizations', s.organizations,
             'folders', s.folders, 'documents', s.documents, 'resources', s.names, 'groupName', held.name, 'people', l.people)), '[]') as groups
      from sized s
      join listed l on (l.effect, l.source) = (s.effect, s.source) and l.role is not distinct from s.role
      left join lateral (
        select g.name from user_groups g
         where s.effect = 'kept' and g.organization_key = (select organization_key from call)
           and g.group_id = l.people -> 0 -> 'after' ->> 'viaGroupId' limit 1
      ) held on true
     where s.effect <> 'kept' or s.nth <= 20 or (select users_in_batch from call) is not null
  )
  select (select o.event_count from organizations o, call where o.organization_key = call.organization_key) as version, counts.*, grouped.groups, page.user_id as "userId", page.kind, page.resource_id as "resourceId", page.before, page.after
    from counts cross join grouped
    left join (
      select e.* from effect e, call
       where e.user_id <> '' and e.effect <> 'kept'
         and (call.after_user_id is null or (e.user_id, e.kind, e.resource_id) > (call.after_user_id, call.after_kind, call.after_resource_id))
       order by e.user_id, e.kind, e.resource_id limit (select page_size + 1 from call)
    ) page on true
   order by page.user_id, page.kind, page.resource_id;

-- permissions.simulation-scope (server/features/permissions/simulations/statements.ts)
with recursive clock as materialized (select coalesce($24::timestamptz, clock_timestamp()) as now),
  call as materialized (select * from (select ord - 1 as req, shared.* from unnest($9::uuid[], $10::text[], $11::text[], $12::access_type[], $13::access_role[], $14::jsonb[], $15::boolean[], $16::int[], $17::text[], $18::resource_kind[], $19::text[], $20::jsonb[], $21::int[], $22::int[], $23::timestamptz[]) with ordinality as shared(organization_key, api_key_id, organization_id, default_access_type, default_access_role, memberships, include_inside, page_size, after_user_id, after_kind, after_resource_id, users_in_batch, resources_from, resources_to, decided_at, ord)) request),
  moved as materialized (
    select chr(1) || m."groupId" collate "C" as principal, m."userId" as user_id, m.joins,
           not m.joins or coalesce(
             case when given.grants ? 'standing' then given.grants ->> 'standing' else own.standing_role::text end is not null
             or case when given.grants ? 'temporary' then (given.grants #>> '{temporary,expiresAt}')::timestamptz else own.expires_at end
                > (select now from clock), false) as takes_effect
      from call cross join lateral jsonb_to_recordset(call.memberships) as m("groupId" text, "userId" text, joins boolean)
      left join lateral (
        select g.standing_role, g.expires_at from grants g
         where g.organization_key = call.organization_key and g.resource_key = call.organization_key and g.principal = m."userId" limit 1
      ) own on true
      left join (select principal, grants from unnest($1::int[], $2::resource_kind[], $3::text[], $4::uuid[], $5::boolean[], $6::text[], $7::jsonb[], $8::access_type[]) with ordinality as item(req, kind, resource_id, resource_key, declared, principal, grants, access_type, ord) where kind = 'organization' and resource_key is not null) given
        on given.principal = m."userId"
  ),
  change as materialized (
    select kind, resource_id, resource_key, declared, principal, grants, access_type from unnest($1::int[], $2::resource_kind[], $3::text[], $4::uuid[], $5::boolean[], $6::text[], $7::jsonb[], $8::access_type[]) with ordinality as item(req, kind, resource_id, resource_key, declared, principal, grants, access_type, ord) where resource_key is not null
    union all
    (select r.kind, r.id, r.resource_key, false, moved.user_id, null, null
       from call cross join moved
      cross join lateral (
         select g.resource_key from grants g
          where g.organization_key = call.organization_key and g.principal = moved.principal limit 100001
       ) g
      cross join lateral (
         select r.kind, r.id, r.resource_key from resources r
          where r.organization_key = call.organization_key and r.resource_key = g.resource_key limit 1
       ) r
      limit 100001)
  ),
  overlay as materialized (
    select (select coalesce(jsonb_object_agg(resource_key || ' ' || principal, grants), '{}')
              from change where grants is not null) as grants,
           (select coalesce(jsonb_object_agg(resource_key, access_type), '{}') from change where principal is null) as access_types,
           (select coalesce(jsonb_object_agg(resource_key, principals), '{}')
              from (select resource_key, case when bool_or(declared or principal is null) then 'true' else jsonb_agg(principal) end as principals
                      from change group by resource_key) by_resource) as principals,
           (select coalesce(jsonb_object_agg(held.principal, users), '{}')
              from call
             cross join (select distinct principal from unnest($1::int[], $2::resource_kind[], $3::text[], $4::uuid[], $5::boolean[], $6::text[], $7::jsonb[], $8::access_type[]) with ordinality as item(req, kind, resource_id, resource_key, declared, principal, grants, access_type, ord) where starts_with(principal, chr(1))) held
             cross join lateral (
                select coalesce(jsonb_agg(distinct u.user_id), '[]') as users
                  from (select m.user_id from user_group_members m
                         where m.organization_key = call.organization_key and m.group_id = substr(held.principal, 2)
                        union all select moved.user_id from moved where moved.principal = held.principal limit 100001) u
             ) members) as users,
           (select coalesce(jsonb_object_agg(principal || chr(1) || user_id, joins), '{}') from moved where takes_effect) as moved
  ),
  changed as materialized (
    select c.*, coalesce(stored.disabled, false) as disabled,
           coalesce(stored.chain, case c.kind when 'organization' then array[c.resource_key]
                                 else array[call.organization_key, c.resource_key] end) as chain
      from call
     cross join (select distinct kind, resource_id as id, resource_key, declared from change) c
      left join lateral (
        select r.disabled, case r.kind when 'document' then coalesce(f.path, array[r.organization_key]) || r.resource_key else r.path end as chain
          from resources r
          left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
         where r.organization_key = call.organization_key and r.resource_key = c.resource_key limit 1
      ) stored on true
  ),
  top as materialized (
    select * from changed
     where declared or not (select include_inside from call)
        or not (select principals from overlay) ?| array(select above::text from unnest(chain[:cardinality(chain) - 1]) above)
  ),
  container as materialized (
    select r.resource_key, r.kind, r.id, r.path as chain
      from top
     cross join lateral (
        select r.* from resources r
         where r.organization_key = top.chain[1] and r.path >= top.chain
           and r.path < top.chain || case when (select include_inside from call) then 'ffffffff-ffff-ffff-ffff-ffffffffffff'
                                          else '00000000-0000-0000-0000-000000000000' end::uuid offset 0
     ) r
     where top.kind <> 'document' and not top.declared
     limit 100001
  ),
  affected as materialized (
    select kind, id, chain, false as disabled from container
    union all
    select d.kind, d.id, container.chain || d.resource_key, d.disabled
      from container
     cross join lateral (
        select d.* from resources d
         where d.organization_key = container.chain[1] and d.folder_key = container.resource_key and d.kind = 'document' offset 0
     ) d
     where container.kind = 'folder' and (select include_inside from call)
    union all
    select d.kind, d.id, container.chain || d.resource_key, d.disabled
      from container
     cross join lateral (
        select d.* from resources d
         where d.organization_key = container.chain[1] and d.folder_key is null and d.kind = 'document'
           and d.id > '' offset 0 -- matches all ids, so that either index can be used
     ) d
     where container.kind = 'organization' and (select include_inside from call)
    union all
    select kind, id, chain, disabled from top where kind = 'document' or declared
    limit 100001
  ),
  member (user_id) as (
    (select g.principal from call join grants g on g.organization_key = call.organization_key and g.principal > ' '
      where users_in_batch is null and exists (select from change where declared or change.principal is null)
      order by g.principal limit 1)
    union all
    select next.principal
      from call cross join member
     cross join lateral (
        select g.principal from grants g where g.organization_key = call.organization_key and g.principal > member.user_id
         order by g.principal limit 1
     ) next
  ),
  everybody as materialized (
    select array_agg(distinct user_id) as users
      from (select '' as user_id from call where users_in_batch is null
            union all select principal from unnest($1::int[], $2::resource_kind[], $3::text[], $4::uuid[], $5::boolean[], $6::text[], $7::jsonb[], $8::access_type[]) with ordinality as item(req, kind, resource_id, resource_key, declared, principal, grants, access_type, ord) where not starts_with(principal, chr(1)) and (select users_in_batch from call) is null
            union all select jsonb_array_elements_text(of_group.value) from overlay, jsonb_each(overlay.users) of_group where (select users_in_batch from call) is null
            union all select user_id from moved where (select users_in_batch from call) is null
            union all (select user_id from member limit 100001)
            union all select jsonb_object_keys(users_in_batch) from call) users
  ),
  named as (
    select t.*, coalesce(every, false) as every
      from affected t
     cross join lateral (
        select bool_or((select principals from overlay) -> above.resource_key::text = 'true') as every
          from unnest(t.chain) as above(resource_key)
     ) by
  ),
  affected_in_batch as (
    select * from named where (select resources_from from call) is null
    union all
    select kind, id, chain, disabled, every
      from (select *, row_number() over (order by kind, id collate "C") as nth from named t
             where (select resources_from from call) is not null
               and (every or exists (select from unnest(t.chain) as above(resource_key)
         cross join lateral jsonb_array_elements_text(nullif((select principals from overlay) -> above.resource_key::text, 'true')) as p(principal)
         cross join lateral jsonb_array_elements_text(coalesce((select users from overlay) -> p.principal, jsonb_build_array(p.principal))) as by(user_id) where ((select users_in_batch from call) is null or (select users_in_batch from call) ? by.user_id)))) numbered
     where nth > (select resources_from from call) and nth <= (select resources_to from call)
  ),
  pair as materialized (
    select call.organization_key, t.kind, t.id as resource_id, affected_user.user_id, call.default_access_type, call.default_access_role, null::access_role as at_least,
           t.chain as new_chain, coalesce(boundary.position, 1) as new_boundary_at,
           case when t.kind <> 'organization' then coalesce(boundary.access_type, call.default_access_type) end as new_access_type,
           t.disabled or coalesce(o.disabled, false) as new_is_disabled,
           exists (select from disabled_users d where d.api_key_id = call.api_key_id and d.user_id = affected_user.user_id) as is_disabled_user,
           case when o.has_group_grants or (select users <> '{}' or moved <> '{}' from overlay)
                then array(select chr(1) || m.group_id as principal from user_group_members m
                            where m.organization_key = call.organization_key and m.user_id = affected_user.user_id
                              and not (select moved from overlay) ? (chr(1) || m.group_id || chr(1) || m.user_id)
                           union all
                           select moved.principal from moved
                            where moved.joins and moved.takes_effect and moved.user_id = affected_user.user_id
                           order by principal) end as new_groups
      from call
      left join organizations o on o.organization_key = call.organization_key
     cross join affected_in_batch t
      left join lateral (
        select above.position, own.access_type
          from unnest(t.chain) with ordinality as above(resource_key, position)
         cross join lateral (
            select case when overlay.access_types ? above.resource_key::text
                        then (overlay.access_types ->> above.resource_key::text)::access_type
                        else r.own_access_type end as access_type
              from overlay, resources r
             where r.organization_key = call.organization_key and r.resource_key = above.resource_key limit 1
         ) own
         where above.position > 1 and own.access_type is not null
         order by above.position desc limit 1
      ) boundary on true
     cross join lateral (
        select unnest(case when t.every then (select users from everybody) end) as user_id
        union all
        select distinct by.user_id from unnest(t.chain) as above(resource_key)
         cross join lateral jsonb_array_elements_text(nullif((select principals from overlay) -> above.resource_key::text, 'true')) as p(principal)
         cross join lateral jsonb_array_elements_text(coalesce((select users from overlay) -> p.principal, jsonb_build_array(p.principal))) as by(user_id) where not t.every and ((select users_in_batch from call) is null or (select users_in_batch from call) ? by.user_id)
     ) affected_user
     limit 100001
  )
  , of_everybody as (select count(*) as pairs from named where every),
  of_user as (
    select by.user_id, count(*) as pairs
      from named t cross join lateral (select distinct user_id from unnest(t.chain) as above(resource_key)
         cross join lateral jsonb_array_elements_text(nullif((select principals from overlay) -> above.resource_key::text, 'true')) as p(principal)
         cross join lateral jsonb_array_elements_text(coalesce((select users from overlay) -> p.principal, jsonb_build_array(p.principal))) as one(user_id)) by
     where not t.every group by by.user_id
  ),
  sized as (
    select user_id collate "C" as user_id, of_everybody.pairs + coalesce(of_user.pairs, 0) as pairs
      from of_everybody cross join everybody cross join unnest(everybody.users) as user_id left join of_user using (user_id)
  )
  select (select o.event_count from organizations o, call where o.organization_key = call.organization_key) as version, greatest((select count(*) from affected), (select count(*) from change where (select memberships from call) <> '[]')) as resources, coalesce(array_agg(user_id order by user_id), '{}') as users,
         coalesce(array_agg(pairs::int order by user_id), '{}') as pairs, (select now from clock) as now
    from sized where pairs > 0;

-- permitted-resources.list-documents (server/features/permissions/lists/by-folder-statements.ts)
with clock as materialized (select coalesce($11::timestamptz, clock_timestamp()) as now),
  asked as materialized (
    select item.*, o.organization_id, o.added_at is not null and scope.path is not null as found, not o.disabled and not exists (select from disabled_users d where d.api_key_id = o.api_key_id and d.user_id = item.user_id) as is_open,
           scope.path as scope_path, scope.path[cardinality(scope.path)] as scope_key, member.is_member, holder.principals, held.held,
           cardinality(held.held) <= 100 and cardinality(held.held) <= item.examined_max as compares
      from unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::access_type[], $6::access_role[], $7::access_role[], $8::uuid[], $9::int[], $10::int[]) with ordinality as item(req, organization_key, user_id, folder_id, default_access_type, default_access_role, at_least, after_key, decisions, examined_max, ord)
      left join organizations o on o.organization_key = item.organization_key
      left join lateral (
        select r.path from resources r
         where r.organization_key = o.organization_key and r.id = coalesce(item.folder_id, o.organization_id)
           and r.kind = case when item.folder_id is null then 'organization'::resource_kind else 'folder' end limit 1
      ) scope on true
     cross join lateral (
        select exists (
          select from grants g
           where g.organization_key = item.organization_key and g.resource_key = item.organization_key and g.principal = item.user_id
             and (g.standing_role is not null or g.expires_at > coalesce($11::timestamptz, clock_timestamp()))
        ) as is_member
      ) member
     cross join lateral (
        select array[item.user_id] || case when member.is_member and o.has_group_grants
                                           then array(select chr(1) || m.group_id from user_group_members m
                                                       where m.organization_key = item.organization_key and m.user_id = item.user_id
                                                       order by m.group_id) end as principals
      ) holder
     cross join lateral (
        select array(select g.held
                       from unnest(holder.principals) as p(principal)
                      cross join lateral (
                         select (g.resource_key, g.principal, g.standing_role, g.temporary_role, g.expires_at) as held from grants g
                          where g.organization_key = item.organization_key and g.principal = p.principal and g.kind < 'document'
                          limit item.examined_max + 1
                      ) g) as held
        offset 0
      ) held
  ),
  question as (
    select a.req, a.organization_key, a.user_id, a.default_access_type, a.default_access_role, a.at_least, a.organization_id as list_organization_id, a.principals, a.held,
           a.compares, a.found, q.*
      from asked a
     cross join lateral (
        with 
  
  open_boundary as materialized (
    select b.resource_key
      from (select a.organization_key as resource_key where (a.default_access_type = 'public' or a.default_access_type = 'organizationPrivate' and a.is_member)
            union all
            select f.resource_key from resources f
             where f.organization_key = a.organization_key and f.own_access_type = 'public' and f.kind = 'folder'
            union all
            select f.resource_key from resources f
             where f.organization_key = a.organization_key and f.own_access_type = 'organizationPrivate' and f.kind = 'folder'
               and a.is_member) b
     limit a.examined_max + 1
  ),
  entrance as (
    select b.resource_key as boundary_key, a.scope_path as path from open_boundary b
    union all
    select top.boundary_key, greatest(top.path, a.scope_path)
      from unnest(a.held) as h(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz)
     cross join lateral (
        select r.boundary_key, r.path from resources r
         where r.organization_key = a.organization_key and r.resource_key = h.resource_key limit 1
      ) top
     where (h.standing_role is not null or h.expires_at > coalesce($11::timestamptz, clock_timestamp())) and not exists (select from open_boundary b where b.resource_key = top.boundary_key)
       and (top.path[cardinality(a.scope_path)] = a.scope_key or a.scope_path[cardinality(top.path)] = h.resource_key)
  ),
  entered as materialized (
    select f.*
      from entrance e
     cross join lateral (
        select f.resource_key, f.path, f.boundary_depth, f.boundary_access_type from resources f
         where f.organization_key = a.organization_key and f.boundary_key = e.boundary_key
           and f.path >= e.path and f.path < e.path || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid offset 0
      ) f
     where a.is_open
     limit a.examined_max + 1
  ),
  amount as materialized (
    select a.examined_max < greatest(cardinality(a.held), (select count(*) from open_boundary), (select count(*) from entered))
           or coalesce(a.at_least, 'viewer') > 'viewer'
              and (select coalesce(sum(cardinality(path)), 0) from entered) * cardinality(a.principals) > 200000 as too_many
  ),
  place as materialized (
    select distinct on (f.resource_key) f.* from entered f where (coalesce(a.at_least, 'viewer') = 'viewer' or a.at_least <= coalesce((
           select g.role from unnest(f.path) with ordinality as above(resource_key, position)
            cross join lateral (
              select max(g.role) as role
                from unnest(a.principals) as p(principal)
               cross join lateral (
                  select greatest(g.standing_role, case when g.expires_at > coalesce($11::timestamptz, clock_timestamp()) then g.temporary_role end) as role from grants g
                   where g.organization_key = a.organization_key and g.resource_key = above.resource_key and g.principal = p.principal limit 1
                ) g
            ) g
             where g.role is not null order by above.position desc limit 1), a.default_access_role)) and not (select too_many from amount)
  ),
  share as materialized (
    select least(a.decisions, ceil(a.decisions / places + 3 * sqrt(a.decisions / places)) + 3)::int as documents
      from (select greatest(count(*), 1)::float8 as places from place p) p
  ),
  inside as materialized (
    select p.path, p.boundary_depth, p.boundary_access_type, d.keys, d.ids
      from place p
     cross join lateral (
        select array_agg(d.resource_key) as keys, array_agg(d.id) as ids
          from (select r.resource_key, case when not r.disabled then r.id end as id from resources r
                 where r.organization_key = a.organization_key and coalesce(r.folder_key, r.organization_key) = p.resource_key
                   and r.kind = 'document' and r.own_access_type is null and r.resource_key > a.after_key
                 order by r.resource_key limit (select documents from share)) d
      ) d
  ),
  bound as (
    select least((select i.keys[share.documents] from inside i where cardinality(i.keys) = share.documents order by 1 limit 1),
                 case when (select sum(cardinality(i.keys)) from inside i) >= a.decisions
                      then (select k.resource_key from inside i cross join unnest(i.keys) as k(resource_key)
                             order by 1 offset a.decisions - 1 limit 1) end) as resource_key
      from share
  ),
  by_itself as materialized (
    select distinct s.resource_key
      from (
      (select r.resource_key from resources r
        where r.organization_key = a.organization_key and r.own_access_type = 'public' and r.kind = 'document' and r.resource_key > a.after_key
        order by r.resource_key limit a.decisions)
      union all
      (select r.resource_key from resources r
        where r.organization_key = a.organization_key and r.own_access_type = 'organizationPrivate' and r.kind = 'document'
          and r.resource_key > a.after_key and a.is_member
        order by r.resource_key limit a.decisions)
      union all
      (select g.resource_key
         from unnest(a.principals) as p(principal)
        cross join lateral (
           select g.resource_key from grants g
            where g.organization_key = a.organization_key and g.principal = p.principal and g.kind = 'document' and g.resource_key > a.after_key
            order by g.resource_key limit a.decisions
         ) g)
           ) s(resource_key)
     where s.resource_key <= coalesce((select resource_key from bound), 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid) and not (select too_many from amount) and a.is_open
     order by s.resource_key limit a.decisions
  ),
  examined as materialized (
    select least((select resource_key from bound),
                 (select b.resource_key from by_itself b order by b.resource_key offset a.decisions - 1 limit 1)) as up_to
  )
  select 'document'::resource_kind as kind, null as resource_id, json_agg(i.ids[1:kept.documents]) as ids, json_agg(i.keys[1:kept.documents]) as keys,
         false as is_itself, decisive.path || '00000000-0000-0000-0000-000000000000'::uuid as list_chain, i.boundary_depth as list_boundary_at,
         coalesce(i.boundary_access_type, a.default_access_type) as list_access_type, null::uuid as examined_to, false as too_many
    from inside i
   cross join examined
   cross join lateral (select coalesce(width_bucket(examined.up_to, i.keys), cardinality(i.keys)) as documents) kept
   cross join lateral (select 
      i.path[:case when a.compares then greatest(i.boundary_depth, (select max(array_position(i.path, h.resource_key)) from unnest(a.held) as h(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz)))
                      else cardinality(i.path) end] as path) decisive
   where kept.documents > 0
   group by decisive.path, i.boundary_depth, i.boundary_access_type
   union all
  select r.kind, r.id, json_build_array(array[r.id]), json_build_array(array[b.resource_key]), r.kind = 'document',
         coalesce(r.path, coalesce(f.path, array[a.organization_key]) || b.resource_key),
         case when r.kind = 'folder' then r.boundary_depth
              when r.own_access_type is not null then coalesce(cardinality(f.path), 1) + 1
              else coalesce(f.boundary_depth, 1) end,
         case when r.kind = 'folder' then coalesce(r.boundary_access_type, a.default_access_type)
              else coalesce(r.own_access_type, f.boundary_access_type, a.default_access_type) end, null, false
    from by_itself b
   cross join examined
   cross join lateral (
      select r.kind, r.id, r.path, r.folder_key, r.own_access_type, r.boundary_depth, r.boundary_access_type, r.disabled from resources r
       where r.organization_key = a.organization_key and r.resource_key = b.resource_key limit 1
    ) r
    left join lateral (
      select f.path, f.boundary_depth, f.boundary_access_type from resources f
       where f.organization_key = a.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
   where not (r.kind = 'document' and r.disabled) and b.resource_key <= coalesce(examined.up_to, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
     and (coalesce(r.path, f.path, array[a.organization_key]))[cardinality(a.scope_path)] = a.scope_key
   union all
  select null, null, null, null, false, null, null, null, (select up_to from examined), (select too_many from amount)
      ) q
  ),
  ruled as (
    select item.*, target.*, held.member_until, case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end as live_rank, case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end as any_rank, case when held.of_groups is not null and case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end > coalesce(held.own_live, 0)
                then substr(target.groups[131071 - (held.of_groups[1] & 131071)], 2) end as group_id,
           case when target.chain is null then 'does_not_exist'
                when target.is_disabled then 'disabled'
                when target.is_user_disabled then 'user_disabled'
                when (case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end) >> 39 >= target.boundary_at then 'grant'
                when item.kind = 'organization' then case when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) is null then 'no_grant' else 'grant_expired' end
                when target.access_type = 'public' then 'access_type'
                when target.access_type = 'organizationPrivate' and held.member_until is not null then 'membership'
                when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) >> 39 >= target.boundary_at then 'grant_expired'
                when target.access_type = 'organizationPrivate' and held.was_member then 'grant_expired'
                else 'no_grant' end as rule
      from (select * from question where kind is not null) item
      left join lateral (
        select item.list_chain as chain, item.list_boundary_at as boundary_at, item.list_access_type as access_type,
               false as is_disabled, false as is_user_disabled, item.list_organization_id as organization_id, item.principals[2:] as groups
      ) target on true
      left join lateral (
        select max(position << 39 | greatest(standing, case when live then temporary end)) filter (where nth = 1) as own_live, max(position << 39 | greatest(standing, temporary)) filter (where nth = 1) as own_any,
               max(case when position = 1 then case when standing is not null then 137438953471 when live then extract(epoch from expires_at)::bigint end end) filter (where nth = 1) as member_until, bool_or(position = 1 and greatest(standing, temporary) is not null) filter (where nth = 1) as was_member,
               case when cardinality(target.groups) > 0 then array[max((position << 39 | greatest(standing, case when live then temporary end)) << 17 | 131071 - least(nth - 1, 131071)) filter (where nth > 1), max(position << 39 | greatest(standing, temporary)) filter (where nth > 1)] end as of_groups
          from (select position, expires_at, nth, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (
            select array_position(target.chain, g.resource_key)::bigint as position, array_position(item.principals, g.principal)::bigint as nth,
                   g.standing_role, g.temporary_role, g.expires_at
              from unnest(item.held) as g(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz) where item.compares
            union all
            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
              from unnest(target.chain) with ordinality as c(resource_key, position)
             cross join unnest(item.principals) with ordinality as p(principal, nth)
             cross join lateral (
                select g.standing_role, g.temporary_role, g.expires_at from grants g
                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal = p.principal limit 1
              ) g
             where not item.compares or item.is_itself and c.position = cardinality(target.chain)) facts where position is not null offset 0) ranked
      ) held on true
  ),
  allowance as (
    select *, rule in ('grant', 'access_type', 'membership') and (at_least is null or nearest_role >= at_least) as allowed,
           case rule when 'grant' then live_rank >> 39 when 'access_type' then boundary_at when 'membership' then 1 end as via_at
      from (select *, case live_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else default_access_role end as nearest_role from ruled offset 0) r
    offset 0
  ),
  decided as (
    select r.*, case when r.allowed then r.nearest_role end as role,
           case when r.allowed or r.at_least is null or r.rule in ('disabled', 'user_disabled', 'does_not_exist', 'no_grant') then r.rule
                when case r.any_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else null::access_role end >= r.at_least then 'grant_expired'
                else 'no_grant' end as reason,
           case when r.allowed then nullif(least(r.live_rank & 137438953471, case r.rule when 'membership' then r.member_until end),
                                           137438953471) end as expires_at,
           case r.via_at when cardinality(r.chain) then r.kind when 1 then 'organization' else 'folder' end as via_kind,
           case r.via_at when cardinality(r.chain) then r.resource_id when 1 then r.organization_id else folder.id end as via_id,
           r.via_at < cardinality(r.chain) as inherited, moved.id as migrated_to
      from allowance r
      left join lateral (
        select f.id from resources f
         where r.allowed and r.via_at > 1 and r.via_at < cardinality(r.chain)
           and f.organization_key = r.organization_key and f.resource_key = r.chain[r.via_at] limit 1
      ) folder on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.rule = 'does_not_exist' and r.kind = 'document'
           and a.organization_key = r.organization_key and a.document_id = r.resource_id limit 1
      ) moved on true
  )
  select d.req, d.found, d.allowed, d.reason as reason, d.role as "accessRole",
         case when d.reason <> 'does_not_exist' then d.access_type end as "accessType",
         case when d.allowed then case when d.rule = 'access_type' and d.via_at = 1 then 'keyDefault' else d.via_kind::text end end as "viaType",
         case when d.allowed and not (d.rule = 'access_type' and d.via_at = 1) then d.via_id end as "viaId",
         case when d.allowed then d.inherited end as inherited, d.expires_at as "expiresAt",
         d.migrated_to as "migratedTo",
         case when d.allowed and d.rule = 'grant' then d.group_id end as "viaGroupId", d.ids, d.keys, d.is_itself as "isItself", d.examined_to as "examinedTo", d.too_many as "tooMany"
    from decided d
   where d.allowed or d.is_itself
   union all
  select q.req, q.found, false, null, null, null, null, null, null, null, null, null, null, null, false, q.examined_to, q.too_many
    from question q where q.kind is null;

-- permitted-resources.list-folders (server/features/permissions/lists/by-folder-statements.ts)
with clock as materialized (select coalesce($11::timestamptz, clock_timestamp()) as now),
  asked as materialized (
    select item.*, o.organization_id, o.added_at is not null and scope.path is not null as found, not o.disabled and not exists (select from disabled_users d where d.api_key_id = o.api_key_id and d.user_id = item.user_id) as is_open,
           scope.path as scope_path, scope.path[cardinality(scope.path)] as scope_key, member.is_member, holder.principals, held.held,
           cardinality(held.held) <= 100 and cardinality(held.held) <= item.examined_max as compares
      from unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::access_type[], $6::access_role[], $7::access_role[], $8::uuid[], $9::int[], $10::int[]) with ordinality as item(req, organization_key, user_id, folder_id, default_access_type, default_access_role, at_least, after_key, decisions, examined_max, ord)
      left join organizations o on o.organization_key = item.organization_key
      left join lateral (
        select r.path from resources r
         where r.organization_key = o.organization_key and r.id = coalesce(item.folder_id, o.organization_id)
           and r.kind = case when item.folder_id is null then 'organization'::resource_kind else 'folder' end limit 1
      ) scope on true
     cross join lateral (
        select exists (
          select from grants g
           where g.organization_key = item.organization_key and g.resource_key = item.organization_key and g.principal = item.user_id
             and (g.standing_role is not null or g.expires_at > coalesce($11::timestamptz, clock_timestamp()))
        ) as is_member
      ) member
     cross join lateral (
        select array[item.user_id] || case when member.is_member and o.has_group_grants
                                           then array(select chr(1) || m.group_id from user_group_members m
                                                       where m.organization_key = item.organization_key and m.user_id = item.user_id
                                                       order by m.group_id) end as principals
      ) holder
     cross join lateral (
        select array(select g.held
                       from unnest(holder.principals) as p(principal)
                      cross join lateral (
                         select (g.resource_key, g.principal, g.standing_role, g.temporary_role, g.expires_at) as held from grants g
                          where g.organization_key = item.organization_key and g.principal = p.principal and g.kind < 'document'
                          limit item.examined_max + 1
                      ) g) as held
        offset 0
      ) held
  ),
  question as (
    select a.req, a.organization_key, a.user_id, a.default_access_type, a.default_access_role, a.at_least, a.organization_id as list_organization_id, a.principals, a.held,
           a.compares, a.found, q.*
      from asked a
     cross join lateral (
        with 
  
  open_boundary as materialized (
    select b.resource_key
      from (select a.organization_key as resource_key where (a.default_access_type = 'public' or a.default_access_type = 'organizationPrivate' and a.is_member)
            union all
            select f.resource_key from resources f
             where f.organization_key = a.organization_key and f.own_access_type = 'public' and f.kind = 'folder'
            union all
            select f.resource_key from resources f
             where f.organization_key = a.organization_key and f.own_access_type = 'organizationPrivate' and f.kind = 'folder'
               and a.is_member) b
     limit a.examined_max + 1
  ),
  entrance as (
    select b.resource_key as boundary_key, a.scope_path as path from open_boundary b
    union all
    select top.boundary_key, greatest(top.path, a.scope_path)
      from unnest(a.held) as h(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz)
     cross join lateral (
        select r.boundary_key, r.path from resources r
         where r.organization_key = a.organization_key and r.resource_key = h.resource_key limit 1
      ) top
     where (h.standing_role is not null or h.expires_at > coalesce($11::timestamptz, clock_timestamp())) and not exists (select from open_boundary b where b.resource_key = top.boundary_key)
       and (top.path[cardinality(a.scope_path)] = a.scope_key or a.scope_path[cardinality(top.path)] = h.resource_key)
  ),
  entered as materialized (
    select f.*
      from entrance e
     cross join lateral (
        select f.resource_key, f.path, f.boundary_depth, f.boundary_access_type from resources f
         where f.organization_key = a.organization_key and f.boundary_key = e.boundary_key
           and f.path >= e.path and f.path < e.path || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid offset 0
      ) f
     where a.is_open
     limit a.examined_max + 1
  ),
  amount as materialized (
    select a.examined_max < greatest(cardinality(a.held), (select count(*) from open_boundary), (select count(*) from entered))
           or coalesce(a.at_least, 'viewer') > 'viewer'
              and (select coalesce(sum(cardinality(path)), 0) from entered) * cardinality(a.principals) > 200000 as too_many
  ),
  place as materialized (
    select distinct on (f.resource_key) f.* from entered f where (coalesce(a.at_least, 'viewer') = 'viewer' or a.at_least <= coalesce((
           select g.role from unnest(f.path) with ordinality as above(resource_key, position)
            cross join lateral (
              select max(g.role) as role
                from unnest(a.principals) as p(principal)
               cross join lateral (
                  select greatest(g.standing_role, case when g.expires_at > coalesce($11::timestamptz, clock_timestamp()) then g.temporary_role end) as role from grants g
                   where g.organization_key = a.organization_key and g.resource_key = above.resource_key and g.principal = p.principal limit 1
                ) g
            ) g
             where g.role is not null order by above.position desc limit 1), a.default_access_role)) and not (select too_many from amount)
  ),
  inside as (select null::uuid[] as path, null::int as boundary_depth, null::access_type as boundary_access_type, null::uuid[] as keys, null::text[] as ids where false),
  bound as (select null::uuid as resource_key),
  by_itself as materialized (
    select distinct s.resource_key
      from (
      select p.resource_key from place p where p.resource_key > a.after_key and p.resource_key <> a.organization_key
           ) s(resource_key)
     where s.resource_key <= coalesce((select resource_key from bound), 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid) and not (select too_many from amount) and a.is_open
     order by s.resource_key limit a.decisions
  ),
  examined as materialized (
    select least((select resource_key from bound),
                 (select b.resource_key from by_itself b order by b.resource_key offset a.decisions - 1 limit 1)) as up_to
  )
  select 'document'::resource_kind as kind, null as resource_id, json_agg(i.ids[1:kept.documents]) as ids, json_agg(i.keys[1:kept.documents]) as keys,
         false as is_itself, decisive.path || '00000000-0000-0000-0000-000000000000'::uuid as list_chain, i.boundary_depth as list_boundary_at,
         coalesce(i.boundary_access_type, a.default_access_type) as list_access_type, null::uuid as examined_to, false as too_many
    from inside i
   cross join examined
   cross join lateral (select coalesce(width_bucket(examined.up_to, i.keys), cardinality(i.keys)) as documents) kept
   cross join lateral (select 
      i.path[:case when a.compares then greatest(i.boundary_depth, (select max(array_position(i.path, h.resource_key)) from unnest(a.held) as h(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz)))
                      else cardinality(i.path) end] as path) decisive
   where kept.documents > 0
   group by decisive.path, i.boundary_depth, i.boundary_access_type
   union all
  select r.kind, r.id, json_build_array(array[r.id]), json_build_array(array[b.resource_key]), r.kind = 'document',
         coalesce(r.path, coalesce(f.path, array[a.organization_key]) || b.resource_key),
         case when r.kind = 'folder' then r.boundary_depth
              when r.own_access_type is not null then coalesce(cardinality(f.path), 1) + 1
              else coalesce(f.boundary_depth, 1) end,
         case when r.kind = 'folder' then coalesce(r.boundary_access_type, a.default_access_type)
              else coalesce(r.own_access_type, f.boundary_access_type, a.default_access_type) end, null, false
    from by_itself b
   cross join examined
   cross join lateral (
      select r.kind, r.id, r.path, r.folder_key, r.own_access_type, r.boundary_depth, r.boundary_access_type, r.disabled from resources r
       where r.organization_key = a.organization_key and r.resource_key = b.resource_key limit 1
    ) r
    left join lateral (
      select f.path, f.boundary_depth, f.boundary_access_type from resources f
       where f.organization_key = a.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
   where not (r.kind = 'document' and r.disabled) and b.resource_key <= coalesce(examined.up_to, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
     and (coalesce(r.path, f.path, array[a.organization_key]))[cardinality(a.scope_path)] = a.scope_key
   union all
  select null, null, null, null, false, null, null, null, (select up_to from examined), (select too_many from amount)
      ) q
  ),
  ruled as (
    select item.*, target.*, held.member_until, case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end as live_rank, case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end as any_rank, case when held.of_groups is not null and case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end > coalesce(held.own_live, 0)
                then substr(target.groups[131071 - (held.of_groups[1] & 131071)], 2) end as group_id,
           case when target.chain is null then 'does_not_exist'
                when target.is_disabled then 'disabled'
                when target.is_user_disabled then 'user_disabled'
                when (case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end) >> 39 >= target.boundary_at then 'grant'
                when item.kind = 'organization' then case when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) is null then 'no_grant' else 'grant_expired' end
                when target.access_type = 'public' then 'access_type'
                when target.access_type = 'organizationPrivate' and held.member_until is not null then 'membership'
                when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) >> 39 >= target.boundary_at then 'grant_expired'
                when target.access_type = 'organizationPrivate' and held.was_member then 'grant_expired'
                else 'no_grant' end as rule
      from (select * from question where kind is not null) item
      left join lateral (
        select item.list_chain as chain, item.list_boundary_at as boundary_at, item.list_access_type as access_type,
               false as is_disabled, false as is_user_disabled, item.list_organization_id as organization_id, item.principals[2:] as groups
      ) target on true
      left join lateral (
        select max(position << 39 | greatest(standing, case when live then temporary end)) filter (where nth = 1) as own_live, max(position << 39 | greatest(standing, temporary)) filter (where nth = 1) as own_any,
               max(case when position = 1 then case when standing is not null then 137438953471 when live then extract(epoch from expires_at)::bigint end end) filter (where nth = 1) as member_until, bool_or(position = 1 and greatest(standing, temporary) is not null) filter (where nth = 1) as was_member,
               case when cardinality(target.groups) > 0 then array[max((position << 39 | greatest(standing, case when live then temporary end)) << 17 | 131071 - least(nth - 1, 131071)) filter (where nth > 1), max(position << 39 | greatest(standing, temporary)) filter (where nth > 1)] end as of_groups
          from (select position, expires_at, nth, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (
            select array_position(target.chain, g.resource_key)::bigint as position, array_position(item.principals, g.principal)::bigint as nth,
                   g.standing_role, g.temporary_role, g.expires_at
              from unnest(item.held) as g(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz) where item.compares
            union all
            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
              from unnest(target.chain) with ordinality as c(resource_key, position)
             cross join unnest(item.principals) with ordinality as p(principal, nth)
             cross join lateral (
                select g.standing_role, g.temporary_role, g.expires_at from grants g
                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal = p.principal limit 1
              ) g
             where not item.compares or item.is_itself and c.position = cardinality(target.chain)) facts where position is not null offset 0) ranked
      ) held on true
  ),
  allowance as (
    select *, rule in ('grant', 'access_type', 'membership') and (at_least is null or nearest_role >= at_least) as allowed,
           case rule when 'grant' then live_rank >> 39 when 'access_type' then boundary_at when 'membership' then 1 end as via_at
      from (select *, case live_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else default_access_role end as nearest_role from ruled offset 0) r
    offset 0
  ),
  decided as (
    select r.*, case when r.allowed then r.nearest_role end as role,
           case when r.allowed or r.at_least is null or r.rule in ('disabled', 'user_disabled', 'does_not_exist', 'no_grant') then r.rule
                when case r.any_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else null::access_role end >= r.at_least then 'grant_expired'
                else 'no_grant' end as reason,
           case when r.allowed then nullif(least(r.live_rank & 137438953471, case r.rule when 'membership' then r.member_until end),
                                           137438953471) end as expires_at,
           case r.via_at when cardinality(r.chain) then r.kind when 1 then 'organization' else 'folder' end as via_kind,
           case r.via_at when cardinality(r.chain) then r.resource_id when 1 then r.organization_id else folder.id end as via_id,
           r.via_at < cardinality(r.chain) as inherited, moved.id as migrated_to
      from allowance r
      left join lateral (
        select f.id from resources f
         where r.allowed and r.via_at > 1 and r.via_at < cardinality(r.chain)
           and f.organization_key = r.organization_key and f.resource_key = r.chain[r.via_at] limit 1
      ) folder on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.rule = 'does_not_exist' and r.kind = 'document'
           and a.organization_key = r.organization_key and a.document_id = r.resource_id limit 1
      ) moved on true
  )
  select d.req, d.found, d.allowed, d.reason as reason, d.role as "accessRole",
         case when d.reason <> 'does_not_exist' then d.access_type end as "accessType",
         case when d.allowed then case when d.rule = 'access_type' and d.via_at = 1 then 'keyDefault' else d.via_kind::text end end as "viaType",
         case when d.allowed and not (d.rule = 'access_type' and d.via_at = 1) then d.via_id end as "viaId",
         case when d.allowed then d.inherited end as inherited, d.expires_at as "expiresAt",
         d.migrated_to as "migratedTo",
         case when d.allowed and d.rule = 'grant' then d.group_id end as "viaGroupId", d.ids, d.keys, d.is_itself as "isItself", d.examined_to as "examinedTo", d.too_many as "tooMany"
    from decided d
   where d.allowed or d.is_itself
   union all
  select q.req, q.found, false, null, null, null, null, null, null, null, null, null, null, null, false, q.examined_to, q.too_many
    from question q where q.kind is null;

-- permitted-resources.walk-documents (server/features/permissions/lists/by-scan-statements.ts)
with clock as materialized (select coalesce($11::timestamptz, clock_timestamp()) as now),
  asked as materialized (
    select item.*, o.organization_id, o.added_at is not null and scope.path is not null as found, not o.disabled and not exists (select from disabled_users d where d.api_key_id = o.api_key_id and d.user_id = item.user_id) as is_open,
           scope.path as scope_path, scope.path[cardinality(scope.path)] as scope_key, member.is_member, holder.principals, held.held,
           cardinality(held.held) <= 100 and cardinality(held.held) <= 100 as compares
      from unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::access_type[], $6::access_role[], $7::access_role[], $8::uuid[], $9::int[], $10::int[]) with ordinality as item(req, organization_key, user_id, folder_id, default_access_type, default_access_role, at_least, after_key, decisions, examined_max, ord)
      left join organizations o on o.organization_key = item.organization_key
      left join lateral (
        select r.path from resources r
         where r.organization_key = o.organization_key and r.id = coalesce(item.folder_id, o.organization_id)
           and r.kind = case when item.folder_id is null then 'organization'::resource_kind else 'folder' end limit 1
      ) scope on true
     cross join lateral (
        select exists (
          select from grants g
           where g.organization_key = item.organization_key and g.resource_key = item.organization_key and g.principal = item.user_id
             and (g.standing_role is not null or g.expires_at > coalesce($11::timestamptz, clock_timestamp()))
        ) as is_member
      ) member
     cross join lateral (
        select array[item.user_id] || case when member.is_member and o.has_group_grants
                                           then array(select chr(1) || m.group_id from user_group_members m
                                                       where m.organization_key = item.organization_key and m.user_id = item.user_id
                                                       order by m.group_id) end as principals
      ) holder
     cross join lateral (
        select array(select g.held
                       from unnest(holder.principals) as p(principal)
                      cross join lateral (
                         select (g.resource_key, g.principal, g.standing_role, g.temporary_role, g.expires_at) as held from grants g
                          where g.organization_key = item.organization_key and g.principal = p.principal and g.kind < 'document'
                          limit 100 + 1
                      ) g) as held
        offset 0
      ) held
  ),
  question as (
    select a.req, a.organization_key, a.user_id, a.default_access_type, a.default_access_role, a.at_least, a.organization_id as list_organization_id, a.principals, a.held,
           a.compares, a.found, q.*
      from asked a
     cross join lateral (
        with 
  
  open_boundary as materialized (
    select b.resource_key
      from (select a.organization_key as resource_key where (a.default_access_type = 'public' or a.default_access_type = 'organizationPrivate' and a.is_member)
            union all
            select f.resource_key from resources f
             where f.organization_key = a.organization_key and f.own_access_type = 'public' and f.kind = 'folder'
            union all
            select f.resource_key from resources f
             where f.organization_key = a.organization_key and f.own_access_type = 'organizationPrivate' and f.kind = 'folder'
               and a.is_member) b
     limit 100 + 1
  ),
  entrance as (
    select b.resource_key as boundary_key, a.scope_path as path from open_boundary b
    union all
    select top.boundary_key, greatest(top.path, a.scope_path)
      from unnest(a.held) as h(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz)
     cross join lateral (
        select r.boundary_key, r.path from resources r
         where r.organization_key = a.organization_key and r.resource_key = h.resource_key limit 1
      ) top
     where (h.standing_role is not null or h.expires_at > coalesce($11::timestamptz, clock_timestamp())) and not exists (select from open_boundary b where b.resource_key = top.boundary_key)
       and (top.path[cardinality(a.scope_path)] = a.scope_key or a.scope_path[cardinality(top.path)] = h.resource_key)
  ),
  moved as materialized (
    select f.shelf_key
      from entrance e
     cross join lateral (
        select f.shelf_key from resources f
         where f.organization_key = a.organization_key and f.boundary_key = e.boundary_key and f.path >= e.path and f.path < e.path || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
           and f.shelf_key <> f.path[2] offset 0
      ) f
     limit 100 + 1
  ),
  shelves as materialized (
    select case when coalesce(bool_and(s.shelf_key is not null), true) and count(*) <= 4 and cardinality(a.held) <= 100
                     and 100 >= greatest((select count(*) from open_boundary), (select count(*) from moved))
                then coalesce(array_agg(s.shelf_key), '{}') end as keys
      from (select (greatest(e.path, b.path))[2] as shelf_key
              from entrance e
             cross join lateral (
                select r.path from resources r where r.organization_key = a.organization_key and r.resource_key = e.boundary_key limit 1
              ) b
            union
            select m.shelf_key from moved m) s
  ),
  live as materialized (
    select array_agg(h.resource_key) as resource_keys from unnest(a.held) as h(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz) where (h.standing_role is not null or h.expires_at > coalesce($11::timestamptz, clock_timestamp()))
  ),
  scanned as not materialized (
    select w.*, f.*, row_number() over scan_order as nth,
           coalesce(sum(cardinality(f.path)) over scan_order, 0) * cardinality(a.principals) as levels
      from (select r.resource_key, r.kind, r.id, r.disabled, r.own_access_type, coalesce(r.folder_key, a.organization_key) as parent_key
              from (
              (select r.resource_key, r.kind, r.id, r.disabled, r.own_access_type, r.folder_key from resources r where r.organization_key = a.organization_key and r.resource_key > a.after_key and a.is_open and (select keys is null from shelves) order by r.resource_key)
              union all
              (select r.resource_key, r.kind, r.id, r.disabled, r.own_access_type, r.folder_key from resources r
                where r.organization_key = a.organization_key and r.resource_key > a.after_key and a.is_open and r.kind = 'document' and r.shelf_key = (select keys[1] from shelves) order by r.resource_key)
              union all
              (select r.resource_key, r.kind, r.id, r.disabled, r.own_access_type, r.folder_key from resources r
                where r.organization_key = a.organization_key and r.resource_key > a.after_key and a.is_open and r.kind = 'document' and r.shelf_key = (select keys[2] from shelves) order by r.resource_key)
              union all
              (select r.resource_key, r.kind, r.id, r.disabled, r.own_access_type, r.folder_key from resources r
                where r.organization_key = a.organization_key and r.resource_key > a.after_key and a.is_open and r.kind = 'document' and r.shelf_key = (select keys[3] from shelves) order by r.resource_key)
              union all
              (select r.resource_key, r.kind, r.id, r.disabled, r.own_access_type, r.folder_key from resources r
                where r.organization_key = a.organization_key and r.resource_key > a.after_key and a.is_open and r.kind = 'document' and r.shelf_key = (select keys[4] from shelves) order by r.resource_key)) r
             order by r.resource_key limit a.examined_max) w
      left join lateral (
        select f.path, f.boundary_depth, f.boundary_access_type from resources f
         where f.organization_key = a.organization_key and f.resource_key = w.parent_key limit 1
      ) f on true
    window scan_order as (order by w.resource_key rows unbounded preceding)
  ),
  matched as materialized (
    select f.resource_key, case when not f.disabled then f.id end as id, f.kind = 'folder' or f.own_access_type is not null as is_itself,
           f.parent_key, f.path, f.boundary_depth, f.boundary_access_type
      from scanned f
     where (f.nth = 1 or f.levels <= 200000) and f.path[cardinality(a.scope_path)] = a.scope_key and f.kind = 'document'
       and case when f.own_access_type is null then ((coalesce(f.boundary_access_type, a.default_access_type) = 'public' or coalesce(f.boundary_access_type, a.default_access_type) = 'organizationPrivate' and a.is_member)
                 or case when cardinality(a.held) <= 100
                         then f.path[f.boundary_depth:] && (select resource_keys from live)
                         else exists (
                           select from unnest(f.path[f.boundary_depth:]) as above(resource_key)
                            cross join unnest(a.principals) as p(principal)
                            cross join lateral (
                              select from grants g
                               where g.organization_key = a.organization_key and g.resource_key = above.resource_key and g.principal = p.principal
                                 and (g.standing_role is not null or g.expires_at > coalesce($11::timestamptz, clock_timestamp())) limit 1
                            ) g) end) else (f.own_access_type = 'public' or f.own_access_type = 'organizationPrivate' and a.is_member) end and (coalesce(a.at_least, 'viewer') = 'viewer' or a.at_least <= coalesce((
           select g.role from unnest(f.path) with ordinality as above(resource_key, position)
            cross join lateral (
              select max(g.role) as role
                from unnest(a.principals) as p(principal)
               cross join lateral (
                  select greatest(g.standing_role, case when g.expires_at > coalesce($11::timestamptz, clock_timestamp()) then g.temporary_role end) as role from grants g
                   where g.organization_key = a.organization_key and g.resource_key = above.resource_key and g.principal = p.principal limit 1
                ) g
            ) g
             where g.role is not null order by above.position desc limit 1), a.default_access_role))
     order by f.resource_key limit a.decisions
  ),
  ended as (
    select (array_agg(p.resource_key order by p.nth desc) filter (where (p.nth = 1 or p.levels <= 200000)))[1] as resource_key
      from scanned p having bool_or(p.nth = a.examined_max or not (p.nth = 1 or p.levels <= 200000))
  ),
  bound as (
    select coalesce((select w.resource_key from matched w order by w.resource_key offset a.decisions - 1 limit 1),
                    (select e.resource_key from ended e)) as resource_key
  ),
  inside as materialized (
    select decisive.path, m.boundary_depth, m.boundary_access_type, array_agg(m.resource_key order by m.resource_key) as keys, array_agg(m.id order by m.resource_key) as ids
      from matched m
     cross join lateral (select 
      m.path[:case when a.compares then greatest(m.boundary_depth, (select max(array_position(m.path, h.resource_key)) from unnest(a.held) as h(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz)))
                      else cardinality(m.path) end] as path) decisive
     where not m.is_itself group by decisive.path, m.boundary_depth, m.boundary_access_type
  ),
  by_itself as materialized (
    select distinct s.resource_key
      from (
      select m.resource_key from matched m where m.is_itself
      union all
      (select g.resource_key
         from unnest(a.principals) as p(principal)
        cross join lateral (
           select g.resource_key from grants g
            where g.organization_key = a.organization_key and g.principal = p.principal and g.kind = 'document' and g.resource_key > a.after_key
            order by g.resource_key limit a.decisions
         ) g)
      union all
      select t.resource_key from (
      (select r.resource_key from resources r
        where r.organization_key = a.organization_key and r.own_access_type = 'public' and r.kind = 'document' and r.resource_key > a.after_key
        order by r.resource_key limit a.decisions)
      union all
      (select r.resource_key from resources r
        where r.organization_key = a.organization_key and r.own_access_type = 'organizationPrivate' and r.kind = 'document'
          and r.resource_key > a.after_key and a.is_member
        order by r.resource_key limit a.decisions)) t(resource_key) where (select keys is not null from shelves)
           ) s(resource_key)
     where s.resource_key <= coalesce((select resource_key from bound), 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid) and not false and a.is_open
     order by s.resource_key limit a.decisions
  ),
  examined as materialized (
    select least((select resource_key from bound),
                 (select b.resource_key from by_itself b order by b.resource_key offset a.decisions - 1 limit 1)) as up_to
  )
  select 'document'::resource_kind as kind, null as resource_id, json_agg(i.ids[1:kept.documents]) as ids, json_agg(i.keys[1:kept.documents]) as keys,
         false as is_itself, decisive.path || '00000000-0000-0000-0000-000000000000'::uuid as list_chain, i.boundary_depth as list_boundary_at,
         coalesce(i.boundary_access_type, a.default_access_type) as list_access_type, null::uuid as examined_to, false as too_many
    from inside i
   cross join examined
   cross join lateral (select coalesce(width_bucket(examined.up_to, i.keys), cardinality(i.keys)) as documents) kept
   cross join lateral (select 
      i.path[:case when a.compares then greatest(i.boundary_depth, (select max(array_position(i.path, h.resource_key)) from unnest(a.held) as h(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz)))
                      else cardinality(i.path) end] as path) decisive
   where kept.documents > 0
   group by decisive.path, i.boundary_depth, i.boundary_access_type
   union all
  select r.kind, r.id, json_build_array(array[r.id]), json_build_array(array[b.resource_key]), r.kind = 'document',
         coalesce(r.path, coalesce(f.path, array[a.organization_key]) || b.resource_key),
         case when r.kind = 'folder' then r.boundary_depth
              when r.own_access_type is not null then coalesce(cardinality(f.path), 1) + 1
              else coalesce(f.boundary_depth, 1) end,
         case when r.kind = 'folder' then coalesce(r.boundary_access_type, a.default_access_type)
              else coalesce(r.own_access_type, f.boundary_access_type, a.default_access_type) end, null, false
    from by_itself b
   cross join examined
   cross join lateral (
      select r.kind, r.id, r.path, r.folder_key, r.own_access_type, r.boundary_depth, r.boundary_access_type, r.disabled from resources r
       where r.organization_key = a.organization_key and r.resource_key = b.resource_key limit 1
    ) r
    left join lateral (
      select f.path, f.boundary_depth, f.boundary_access_type from resources f
       where f.organization_key = a.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
   where not (r.kind = 'document' and r.disabled) and b.resource_key <= coalesce(examined.up_to, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
     and (coalesce(r.path, f.path, array[a.organization_key]))[cardinality(a.scope_path)] = a.scope_key
   union all
  select null, null, null, null, false, null, null, null, (select up_to from examined), false
      ) q
  ),
  ruled as (
    select item.*, target.*, held.member_until, case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end as live_rank, case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end as any_rank, case when held.of_groups is not null and case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end > coalesce(held.own_live, 0)
                then substr(target.groups[131071 - (held.of_groups[1] & 131071)], 2) end as group_id,
           case when target.chain is null then 'does_not_exist'
                when target.is_disabled then 'disabled'
                when target.is_user_disabled then 'user_disabled'
                when (case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end) >> 39 >= target.boundary_at then 'grant'
                when item.kind = 'organization' then case when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) is null then 'no_grant' else 'grant_expired' end
                when target.access_type = 'public' then 'access_type'
                when target.access_type = 'organizationPrivate' and held.member_until is not null then 'membership'
                when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) >> 39 >= target.boundary_at then 'grant_expired'
                when target.access_type = 'organizationPrivate' and held.was_member then 'grant_expired'
                else 'no_grant' end as rule
      from (select * from question where kind is not null) item
      left join lateral (
        select item.list_chain as chain, item.list_boundary_at as boundary_at, item.list_access_type as access_type,
               false as is_disabled, false as is_user_disabled, item.list_organization_id as organization_id, item.principals[2:] as groups
      ) target on true
      left join lateral (
        select max(position << 39 | greatest(standing, case when live then temporary end)) filter (where nth = 1) as own_live, max(position << 39 | greatest(standing, temporary)) filter (where nth = 1) as own_any,
               max(case when position = 1 then case when standing is not null then 137438953471 when live then extract(epoch from expires_at)::bigint end end) filter (where nth = 1) as member_until, bool_or(position = 1 and greatest(standing, temporary) is not null) filter (where nth = 1) as was_member,
               case when cardinality(target.groups) > 0 then array[max((position << 39 | greatest(standing, case when live then temporary end)) << 17 | 131071 - least(nth - 1, 131071)) filter (where nth > 1), max(position << 39 | greatest(standing, temporary)) filter (where nth > 1)] end as of_groups
          from (select position, expires_at, nth, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (
            select array_position(target.chain, g.resource_key)::bigint as position, array_position(item.principals, g.principal)::bigint as nth,
                   g.standing_role, g.temporary_role, g.expires_at
              from unnest(item.held) as g(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz) where item.compares
            union all
            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
              from unnest(target.chain) with ordinality as c(resource_key, position)
             cross join unnest(item.principals) with ordinality as p(principal, nth)
             cross join lateral (
                select g.standing_role, g.temporary_role, g.expires_at from grants g
                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal = p.principal limit 1
              ) g
             where not item.compares or item.is_itself and c.position = cardinality(target.chain)) facts where position is not null offset 0) ranked
      ) held on true
  ),
  allowance as (
    select *, rule in ('grant', 'access_type', 'membership') and (at_least is null or nearest_role >= at_least) as allowed,
           case rule when 'grant' then live_rank >> 39 when 'access_type' then boundary_at when 'membership' then 1 end as via_at
      from (select *, case live_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else default_access_role end as nearest_role from ruled offset 0) r
    offset 0
  ),
  decided as (
    select r.*, case when r.allowed then r.nearest_role end as role,
           case when r.allowed or r.at_least is null or r.rule in ('disabled', 'user_disabled', 'does_not_exist', 'no_grant') then r.rule
                when case r.any_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else null::access_role end >= r.at_least then 'grant_expired'
                else 'no_grant' end as reason,
           case when r.allowed then nullif(least(r.live_rank & 137438953471, case r.rule when 'membership' then r.member_until end),
                                           137438953471) end as expires_at,
           case r.via_at when cardinality(r.chain) then r.kind when 1 then 'organization' else 'folder' end as via_kind,
           case r.via_at when cardinality(r.chain) then r.resource_id when 1 then r.organization_id else folder.id end as via_id,
           r.via_at < cardinality(r.chain) as inherited, moved.id as migrated_to
      from allowance r
      left join lateral (
        select f.id from resources f
         where r.allowed and r.via_at > 1 and r.via_at < cardinality(r.chain)
           and f.organization_key = r.organization_key and f.resource_key = r.chain[r.via_at] limit 1
      ) folder on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.rule = 'does_not_exist' and r.kind = 'document'
           and a.organization_key = r.organization_key and a.document_id = r.resource_id limit 1
      ) moved on true
  )
  select d.req, d.found, d.allowed, d.reason as reason, d.role as "accessRole",
         case when d.reason <> 'does_not_exist' then d.access_type end as "accessType",
         case when d.allowed then case when d.rule = 'access_type' and d.via_at = 1 then 'keyDefault' else d.via_kind::text end end as "viaType",
         case when d.allowed and not (d.rule = 'access_type' and d.via_at = 1) then d.via_id end as "viaId",
         case when d.allowed then d.inherited end as inherited, d.expires_at as "expiresAt",
         d.migrated_to as "migratedTo",
         case when d.allowed and d.rule = 'grant' then d.group_id end as "viaGroupId", d.ids, d.keys, d.is_itself as "isItself", d.examined_to as "examinedTo", d.too_many as "tooMany"
    from decided d
   where d.allowed or d.is_itself
   union all
  select q.req, q.found, false, null, null, null, null, null, null, null, null, null, null, null, false, q.examined_to, q.too_many
    from question q where q.kind is null;

-- permitted-resources.walk-folders (server/features/permissions/lists/by-scan-statements.ts)
with clock as materialized (select coalesce($11::timestamptz, clock_timestamp()) as now),
  asked as materialized (
    select item.*, o.organization_id, o.added_at is not null and scope.path is not null as found, not o.disabled and not exists (select from disabled_users d where d.api_key_id = o.api_key_id and d.user_id = item.user_id) as is_open,
           scope.path as scope_path, scope.path[cardinality(scope.path)] as scope_key, member.is_member, holder.principals, held.held,
           cardinality(held.held) <= 100 and cardinality(held.held) <= 100 as compares
      from unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::access_type[], $6::access_role[], $7::access_role[], $8::uuid[], $9::int[], $10::int[]) with ordinality as item(req, organization_key, user_id, folder_id, default_access_type, default_access_role, at_least, after_key, decisions, examined_max, ord)
      left join organizations o on o.organization_key = item.organization_key
      left join lateral (
        select r.path from resources r
         where r.organization_key = o.organization_key and r.id = coalesce(item.folder_id, o.organization_id)
           and r.kind = case when item.folder_id is null then 'organization'::resource_kind else 'folder' end limit 1
      ) scope on true
     cross join lateral (
        select exists (
          select from grants g
           where g.organization_key = item.organization_key and g.resource_key = item.organization_key and g.principal = item.user_id
             and (g.standing_role is not null or g.expires_at > coalesce($11::timestamptz, clock_timestamp()))
        ) as is_member
      ) member
     cross join lateral (
        select array[item.user_id] || case when member.is_member and o.has_group_grants
                                           then array(select chr(1) || m.group_id from user_group_members m
                                                       where m.organization_key = item.organization_key and m.user_id = item.user_id
                                                       order by m.group_id) end as principals
      ) holder
     cross join lateral (
        select array(select g.held
                       from unnest(holder.principals) as p(principal)
                      cross join lateral (
                         select (g.resource_key, g.principal, g.standing_role, g.temporary_role, g.expires_at) as held from grants g
                          where g.organization_key = item.organization_key and g.principal = p.principal and g.kind < 'document'
                          limit 100 + 1
                      ) g) as held
        offset 0
      ) held
  ),
  question as (
    select a.req, a.organization_key, a.user_id, a.default_access_type, a.default_access_role, a.at_least, a.organization_id as list_organization_id, a.principals, a.held,
           a.compares, a.found, q.*
      from asked a
     cross join lateral (
        with 
  live as materialized (
    select array_agg(h.resource_key) as resource_keys from unnest(a.held) as h(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz) where (h.standing_role is not null or h.expires_at > coalesce($11::timestamptz, clock_timestamp()))
  ),
  scanned as not materialized (
    select w.*, f.*, row_number() over scan_order as nth,
           coalesce(sum(cardinality(f.path)) over scan_order, 0) * cardinality(a.principals) as levels
      from (select r.resource_key, r.kind, r.id, r.disabled, r.own_access_type, r.resource_key as parent_key
              from (select r.resource_key, r.kind, r.id, r.disabled, r.own_access_type, r.folder_key from resources r where r.organization_key = a.organization_key and r.resource_key > a.after_key and a.is_open and r.kind = 'folder' and r.path is not null) r
             order by r.resource_key limit a.examined_max) w
      left join lateral (
        select f.path, f.boundary_depth, f.boundary_access_type from resources f
         where f.organization_key = a.organization_key and f.resource_key = w.parent_key limit 1
      ) f on true
    window scan_order as (order by w.resource_key rows unbounded preceding)
  ),
  matched as materialized (
    select f.resource_key, case when not f.disabled then f.id end as id, f.kind = 'folder' or f.own_access_type is not null as is_itself,
           f.parent_key, f.path, f.boundary_depth, f.boundary_access_type
      from scanned f
     where (f.nth = 1 or f.levels <= 200000) and f.path[cardinality(a.scope_path)] = a.scope_key and ((coalesce(f.boundary_access_type, a.default_access_type) = 'public' or coalesce(f.boundary_access_type, a.default_access_type) = 'organizationPrivate' and a.is_member)
                 or case when cardinality(a.held) <= 100
                         then f.path[f.boundary_depth:] && (select resource_keys from live)
                         else exists (
                           select from unnest(f.path[f.boundary_depth:]) as above(resource_key)
                            cross join unnest(a.principals) as p(principal)
                            cross join lateral (
                              select from grants g
                               where g.organization_key = a.organization_key and g.resource_key = above.resource_key and g.principal = p.principal
                                 and (g.standing_role is not null or g.expires_at > coalesce($11::timestamptz, clock_timestamp())) limit 1
                            ) g) end) and (coalesce(a.at_least, 'viewer') = 'viewer' or a.at_least <= coalesce((
           select g.role from unnest(f.path) with ordinality as above(resource_key, position)
            cross join lateral (
              select max(g.role) as role
                from unnest(a.principals) as p(principal)
               cross join lateral (
                  select greatest(g.standing_role, case when g.expires_at > coalesce($11::timestamptz, clock_timestamp()) then g.temporary_role end) as role from grants g
                   where g.organization_key = a.organization_key and g.resource_key = above.resource_key and g.principal = p.principal limit 1
                ) g
            ) g
             where g.role is not null order by above.position desc limit 1), a.default_access_role))
     order by f.resource_key limit a.decisions
  ),
  ended as (
    select (array_agg(p.resource_key order by p.nth desc) filter (where (p.nth = 1 or p.levels <= 200000)))[1] as resource_key
      from scanned p having bool_or(p.nth = a.examined_max or not (p.nth = 1 or p.levels <= 200000))
  ),
  bound as (
    select coalesce((select w.resource_key from matched w order by w.resource_key offset a.decisions - 1 limit 1),
                    (select e.resource_key from ended e)) as resource_key
  ),
  inside as (select null::uuid[] as path, null::int as boundary_depth, null::access_type as boundary_access_type, null::uuid[] as keys, null::text[] as ids where false),
  by_itself as materialized (
    select distinct s.resource_key
      from (
      select m.resource_key from matched m where m.is_itself
           ) s(resource_key)
     where s.resource_key <= coalesce((select resource_key from bound), 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid) and not false and a.is_open
     order by s.resource_key limit a.decisions
  ),
  examined as materialized (
    select least((select resource_key from bound),
                 (select b.resource_key from by_itself b order by b.resource_key offset a.decisions - 1 limit 1)) as up_to
  )
  select 'document'::resource_kind as kind, null as resource_id, json_agg(i.ids[1:kept.documents]) as ids, json_agg(i.keys[1:kept.documents]) as keys,
         false as is_itself, decisive.path || '00000000-0000-0000-0000-000000000000'::uuid as list_chain, i.boundary_depth as list_boundary_at,
         coalesce(i.boundary_access_type, a.default_access_type) as list_access_type, null::uuid as examined_to, false as too_many
    from inside i
   cross join examined
   cross join lateral (select coalesce(width_bucket(examined.up_to, i.keys), cardinality(i.keys)) as documents) kept
   cross join lateral (select 
      i.path[:case when a.compares then greatest(i.boundary_depth, (select max(array_position(i.path, h.resource_key)) from unnest(a.held) as h(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz)))
                      else cardinality(i.path) end] as path) decisive
   where kept.documents > 0
   group by decisive.path, i.boundary_depth, i.boundary_access_type
   union all
  select r.kind, r.id, json_build_array(array[r.id]), json_build_array(array[b.resource_key]), r.kind = 'document',
         coalesce(r.path, coalesce(f.path, array[a.organization_key]) || b.resource_key),
         case when r.kind = 'folder' then r.boundary_depth
              when r.own_access_type is not null then coalesce(cardinality(f.path), 1) + 1
              else coalesce(f.boundary_depth, 1) end,
         case when r.kind = 'folder' then coalesce(r.boundary_access_type, a.default_access_type)
              else coalesce(r.own_access_type, f.boundary_access_type, a.default_access_type) end, null, false
    from by_itself b
   cross join examined
   cross join lateral (
      select r.kind, r.id, r.path, r.folder_key, r.own_access_type, r.boundary_depth, r.boundary_access_type, r.disabled from resources r
       where r.organization_key = a.organization_key and r.resource_key = b.resource_key limit 1
    ) r
    left join lateral (
      select f.path, f.boundary_depth, f.boundary_access_type from resources f
       where f.organization_key = a.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
   where not (r.kind = 'document' and r.disabled) and b.resource_key <= coalesce(examined.up_to, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
     and (coalesce(r.path, f.path, array[a.organization_key]))[cardinality(a.scope_path)] = a.scope_key
   union all
  select null, null, null, null, false, null, null, null, (select up_to from examined), false
      ) q
  ),
  ruled as (
    select item.*, target.*, held.member_until, case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end as live_rank, case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end as any_rank, case when held.of_groups is not null and case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end > coalesce(held.own_live, 0)
                then substr(target.groups[131071 - (held.of_groups[1] & 131071)], 2) end as group_id,
           case when target.chain is null then 'does_not_exist'
                when target.is_disabled then 'disabled'
                when target.is_user_disabled then 'user_disabled'
                when (case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end) >> 39 >= target.boundary_at then 'grant'
                when item.kind = 'organization' then case when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) is null then 'no_grant' else 'grant_expired' end
                when target.access_type = 'public' then 'access_type'
                when target.access_type = 'organizationPrivate' and held.member_until is not null then 'membership'
                when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) >> 39 >= target.boundary_at then 'grant_expired'
                when target.access_type = 'organizationPrivate' and held.was_member then 'grant_expired'
                else 'no_grant' end as rule
      from (select * from question where kind is not null) item
      left join lateral (
        select item.list_chain as chain, item.list_boundary_at as boundary_at, item.list_access_type as access_type,
               false as is_disabled, false as is_user_disabled, item.list_organization_id as organization_id, item.principals[2:] as groups
      ) target on true
      left join lateral (
        select max(position << 39 | greatest(standing, case when live then temporary end)) filter (where nth = 1) as own_live, max(position << 39 | greatest(standing, temporary)) filter (where nth = 1) as own_any,
               max(case when position = 1 then case when standing is not null then 137438953471 when live then extract(epoch from expires_at)::bigint end end) filter (where nth = 1) as member_until, bool_or(position = 1 and greatest(standing, temporary) is not null) filter (where nth = 1) as was_member,
               case when cardinality(target.groups) > 0 then array[max((position << 39 | greatest(standing, case when live then temporary end)) << 17 | 131071 - least(nth - 1, 131071)) filter (where nth > 1), max(position << 39 | greatest(standing, temporary)) filter (where nth > 1)] end as of_groups
          from (select position, expires_at, nth, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (
            select array_position(target.chain, g.resource_key)::bigint as position, array_position(item.principals, g.principal)::bigint as nth,
                   g.standing_role, g.temporary_role, g.expires_at
              from unnest(item.held) as g(resource_key uuid, principal text, standing_role access_role, temporary_role access_role, expires_at timestamptz) where item.compares
            union all
            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
              from unnest(target.chain) with ordinality as c(resource_key, position)
             cross join unnest(item.principals) with ordinality as p(principal, nth)
             cross join lateral (
                select g.standing_role, g.temporary_role, g.expires_at from grants g
                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal = p.principal limit 1
              ) g
             where not item.compares or item.is_itself and c.position = cardinality(target.chain)) facts where position is not null offset 0) ranked
      ) held on true
  ),
  allowance as (
    select *, rule in ('grant', 'access_type', 'membership') and (at_least is null or nearest_role >= at_least) as allowed,
           case rule when 'grant' then live_rank >> 39 when 'access_type' then boundary_at when 'membership' then 1 end as via_at
      from (select *, case live_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else default_access_role end as nearest_role from ruled offset 0) r
    offset 0
  ),
  decided as (
    select r.*, case when r.allowed then r.nearest_role end as role,
           case when r.allowed or r.at_least is null or r.rule in ('disabled', 'user_disabled', 'does_not_exist', 'no_grant') then r.rule
                when case r.any_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else null::access_role end >= r.at_least then 'grant_expired'
                else 'no_grant' end as reason,
           case when r.allowed then nullif(least(r.live_rank & 137438953471, case r.rule when 'membership' then r.member_until end),
                                           137438953471) end as expires_at,
           case r.via_at when cardinality(r.chain) then r.kind when 1 then 'organization' else 'folder' end as via_kind,
           case r.via_at when cardinality(r.chain) then r.resource_id when 1 then r.organization_id else folder.id end as via_id,
           r.via_at < cardinality(r.chain) as inherited, moved.id as migrated_to
      from allowance r
      left join lateral (
        select f.id from resources f
         where r.allowed and r.via_at > 1 and r.via_at < cardinality(r.chain)
           and f.organization_key = r.organization_key and f.resource_key = r.chain[r.via_at] limit 1
      ) folder on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.rule = 'does_not_exist' and r.kind = 'document'
           and a.organization_key = r.organization_key and a.document_id = r.resource_id limit 1
      ) moved on true
  )
  select d.req, d.found, d.allowed, d.reason as reason, d.role as "accessRole",
         case when d.reason <> 'does_not_exist' then d.access_type end as "accessType",
         case when d.allowed then case when d.rule = 'access_type' and d.via_at = 1 then 'keyDefault' else d.via_kind::text end end as "viaType",
         case when d.allowed and not (d.rule = 'access_type' and d.via_at = 1) then d.via_id end as "viaId",
         case when d.allowed then d.inherited end as inherited, d.expires_at as "expiresAt",
         d.migrated_to as "migratedTo",
         case when d.allowed and d.rule = 'grant' then d.group_id end as "viaGroupId", d.ids, d.keys, d.is_itself as "isItself", d.examined_to as "examinedTo", d.too_many as "tooMany"
    from decided d
   where d.allowed or d.is_itself
   union all
  select q.req, q.found, false, null, null, null, null, null, null, null, null, null, null, null, false, q.examined_to, q.too_many
    from question q where q.kind is null;

-- permitted-users.list (server/features/permissions/lists/user-statements.ts)
with clock as materialized (select coalesce($10::timestamptz, clock_timestamp()) as now),
  target as materialized (
    select item.*, o.api_key_id, o.organization_id, o.has_group_grants, o.added_at is not null and r.kind is not null as found, r.chain, r.boundary_at, r.access_type,
           not (o.disabled or r.disabled) as is_open
      from unnest($1::int[], $2::uuid[], $3::resource_kind[], $4::text[], $5::access_type[], $6::access_role[], $7::access_role[], $8::text[], $9::int[]) with ordinality as item(req, organization_key, kind, resource_id, default_access_type, default_access_role, at_least, after_user_id, decisions, ord)
      left join organizations o on o.organization_key = item.organization_key
      left join lateral (
        select r.kind, r.kind = 'document' and r.disabled as disabled,
               case item.kind when 'document' then coalesce(f.path, array[r.organization_key]) || r.resource_key else r.path end as chain,
               case when item.kind <> 'document' then r.boundary_depth
                    when r.own_access_type is not null then coalesce(cardinality(f.path), 1) + 1
                    else coalesce(f.boundary_depth, 1) end as boundary_at,
               case item.kind when 'organization' then null
                    when 'folder' then coalesce(r.boundary_access_type, item.default_access_type)
                    else coalesce(r.own_access_type, f.boundary_access_type, item.default_access_type) end as access_type
          from resources r
          left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r on true
  ),
  candidate as materialized (
    select n.*, case when t.has_group_grants
                     then array(select chr(1) || m.group_id from user_group_members m
                                 where m.organization_key = t.organization_key and m.user_id = n.user_id
                                 order by m.group_id) end as groups
      from (select req, user_id, row_number() over (partition by req order by user_id) as nth,
                   max(own_live) as own_live, max(own_any) as own_any, max(member_until) as member_until, bool_or(was_member) as was_member
              from (select req, user_id, position << 39 | greatest(standing, case when live then temporary end) as own_live, position << 39 | greatest(standing, temporary) as own_any, case when position = 1 then case when standing is not null then 137438953471 when live then extract(epoch from expires_at)::bigint end end as member_until, position = 1 and greatest(standing, temporary) is not null as was_member
                      from (select position, expires_at, req, user_id, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (
            select t.req, c.position, g.user_id, g.standing_role, g.temporary_role, g.expires_at
              from target t
             cross join lateral unnest(t.chain) with ordinality as c(resource_key, position)
             cross join lateral (
                select g.principal as user_id, g.standing_role, g.temporary_role, g.expires_at from grants g
                 where g.organization_key = t.organization_key and g.resource_key = c.resource_key
                   and g.principal > greatest(t.after_user_id, ' ' collate "C")
                 order by g.principal limit t.decisions
              ) g
             where t.is_open and (c.position >= t.boundary_at or t.access_type = 'public' or t.access_type = 'organizationPrivate' and c.position = 1)) read where position is not null offset 0) ranked
                     union all
            select t.req, m.user_id, null, null, null, null
              from target t
             cross join lateral (
                select distinct g.principal
                  from unnest(t.chain) with ordinality as c(resource_key, position)
                 cross join lateral (
                    select g.principal from grants g
                     where g.organization_key = t.organization_key and g.resource_key = c.resource_key and g.principal < ' ' offset 0
                  ) g
                 where (c.position >= t.boundary_at or t.access_type = 'public' or t.access_type = 'organizationPrivate' and c.position = 1)
              ) held
             cross join lateral (
                select m.user_id from user_group_members m
                 where m.organization_key = t.organization_key and m.group_id = substr(held.principal, 2) and m.user_id > t.after_user_id
                 order by m.user_id limit t.decisions
              ) m
             where t.is_open and t.has_group_grants) both_ways
             group by req, user_id) n
      join target t on t.req = n.req and n.nth <= t.decisions
  ),
  class as materialized (
    select n.req, n.groups as list_groups, greatest(n.own_live, e.own_live) as own_live, greatest(n.own_any, e.own_any) as own_any,
           greatest(n.member_until, e.member_until) as own_member_until, coalesce(n.was_member, false) or coalesce(e.was_member, false) as own_was_member,
           json_agg(n.user_id) as user_ids, json_agg(n.nth) as places
      from candidate n
      join target t on t.req = n.req
      left join lateral (
        select true as is_disabled from disabled_users d where d.api_key_id = t.api_key_id and d.user_id = n.user_id limit 1
      ) disabled on true
      left join lateral (
        select max(position << 39 | greatest(standing, case when live then temporary end)) as own_live, max(position << 39 | greatest(standing, temporary)) as own_any,
               max(case when position = 1 then case when standing is not null then 137438953471 when live then extract(epoch from expires_at)::bigint end end) as member_until, bool_or(position = 1 and greatest(standing, temporary) is not null) as was_member from (select position, expires_at, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (
                select c.position, g.standing_role, g.temporary_role, g.expires_at
                  from unnest(t.chain) with ordinality as c(resource_key, position)
                 cross join lateral (
                    select g.standing_role, g.temporary_role, g.expires_at from grants g
                     where g.organization_key = t.organization_key and g.resource_key = c.resource_key and g.principal = n.user_id limit 1
                  ) g
                 where not (c.position >= t.boundary_at or t.access_type = 'public' or t.access_type = 'organizationPrivate' and c.position = 1)) elsewhere where position is not null offset 0) ranked
         where t.access_type = 'organizationPrivate' or t.has_group_grants
      ) e on true
     where disabled.is_disabled is null
     group by 1, 2, 3, 4, 5, 6
  ),
  reached as materialized (
    select n.req, n.user_id from candidate n join target t on t.req = n.req and t.decisions = n.nth
  ),
  question as (
    select t.req, t.organization_key, t.kind, t.resource_id, t.default_access_type, t.default_access_role, t.at_least, null::text as user_id, t.found, t.is_open,
           t.chain as list_chain, t.boundary_at as list_boundary_at, t.access_type as list_access_type, t.organization_id as list_organization_id,
           c.list_groups, c.own_live, c.own_any, c.own_member_until, c.own_was_member, c.user_ids, c.places,
           (select reached.user_id from reached where reached.req = t.req) as examined_to
      from target t
      join (select * from class
            union all
            select req, null, null, null, null, null, null, null from target) c on c.req = t.req
  ),
  ruled as (
    select item.*, target.*, held.member_until, case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end as live_rank, case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end as any_rank, case when held.of_groups is not null and case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end > coalesce(held.own_live, 0)
                then substr(target.groups[131071 - (held.of_groups[1] & 131071)], 2) end as group_id,
           case when target.chain is null then 'does_not_exist'
                when target.is_disabled then 'disabled'
                when target.is_user_disabled then 'user_disabled'
                when (case when held.of_groups is null then held.own_live else greatest(held.own_live, case when held.member_until is not null
                then (held.of_groups[1] >> 17 & ~137438953471::bigint) | least(held.of_groups[1] >> 17 & 137438953471, held.member_until) end) end) >> 39 >= target.boundary_at then 'grant'
                when item.kind = 'organization' then case when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) is null then 'no_grant' else 'grant_expired' end
                when target.access_type = 'public' then 'access_type'
                when target.access_type = 'organizationPrivate' and held.member_until is not null then 'membership'
                when (case when held.of_groups is null or not coalesce(held.was_member, false) then held.own_any
                else greatest(held.own_any, held.of_groups[2]) end) >> 39 >= target.boundary_at then 'grant_expired'
                when target.access_type = 'organizationPrivate' and held.was_member then 'grant_expired'
                else 'no_grant' end as rule
      from question item
      left join lateral (
        select item.list_chain as chain, item.list_boundary_at as boundary_at, item.list_access_type as access_type,
               false as is_disabled, false as is_user_disabled, item.list_organization_id as organization_id, item.list_groups as groups
      ) target on true
      left join lateral (
        select item.own_live, item.own_any, item.own_member_until as member_until, item.own_was_member as was_member,
               case when target.groups <> '{}' then (
                       select case when is_over or expires_at is not null then (
                 select array[max((position << 39 | greatest(standing, case when live then temporary end)) << 17 | 131071 - least(nth, 131071)) filter (where true), max(position << 39 | greatest(standing, temporary)) filter (where true)]
                   from (select position, expires_at, nth, expires_at > (select now from clock) as live,
                       case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end as standing, case temporary_role when 'editor' then 274877906944 when 'commenter' then 137438953472 else 0 end | extract(epoch from expires_at)::bigint as temporary
                  from (with of_any as materialized (
                               select c.position, case when cardinality(target.groups) <= 64 then array_position(target.groups, g.principal)::bigint
                                           else ((select jsonb_object_agg(principal, nth)
                                                    from unnest(target.groups) with ordinality as p(principal, nth)) -> g.principal)::bigint end as nth, g.standing_role, g.temporary_role, g.expires_at
                                 from unnest(target.chain) with ordinality as c(resource_key, position)
                                cross join lateral (
                                   select g.principal, g.standing_role, g.temporary_role, g.expires_at from grants g
                                    where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                      and g.principal < ' ' limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                                ) g
                                limit 4 * cardinality(target.chain) * cardinality(target.groups) + 1
                            ),
                            amount as materialized (
                               select count(*) > 4 * cardinality(target.chain) * cardinality(target.groups) as is_large from of_any
                            )
                            select position, nth, standing_role, temporary_role, expires_at
                              from of_any where nth is not null and not (select is_large from amount)
                            union all
                            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
                              from unnest(target.chain) with ordinality as c(resource_key, position)
                             cross join unnest(target.groups) with ordinality as p(principal, nth)
                             cross join lateral (
                                select g.standing_role, g.temporary_role, g.expires_at from grants g
                                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                   and g.principal = p.principal limit 1
                             ) g
                             where (select is_large from amount)) of_groups where position is not null offset 0) ranked)
                                   else array[(position << 39 | case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end) << 17 | 131071 - array_position(target.groups, principal), position << 39 | case standing_role when 'editor' then 274877906944 | 137438953471 when 'viewer' then 137438953471 when 'commenter' then 137438953472 | 137438953471 end] end
                         from (select * from unnest(target.chain) with ordinality as c(resource_key, position) order by position desc) c
                        cross join lateral (
                           select * from (
                              select g.principal, g.standing_role, g.expires_at, row_number() over (order by g.expires_at is not null desc, g.standing_role desc, g.principal) > case when cardinality(target.groups) <= 64 then 4 * cardinality(target.groups) else 0 end as is_over
                                from grants g
                               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal < ' '
                               order by g.expires_at is not null desc, g.standing_role desc, g.principal limit case when cardinality(target.groups) <= 64 then 4 * cardinality(target.groups) else 0 end + 1
                           ) g
                            where is_over or principal = any(target.groups) limit 1
                        ) g
                        order by position desc limit 1
                    ) end as of_groups
        offset 0
      ) held on true
  ),
  allowance as (
    select *, rule in ('grant', 'access_type', 'membership') and (at_least is null or nearest_role >= at_least) as allowed,
           case rule when 'grant' then live_rank >> 39 when 'access_type' then boundary_at when 'membership' then 1 end as via_at
      from (select *, case live_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else default_access_role end as nearest_role from ruled offset 0) r
    offset 0
  ),
  decided as (
    select r.*, case when r.allowed then r.nearest_role end as role,
           case when r.allowed or r.at_least is null or r.rule in ('disabled', 'user_disabled', 'does_not_exist', 'no_grant') then r.rule
                when case r.any_rank >> 37 & 3 when 0 then 'viewer' when 2 then 'editor' when 1 then 'commenter' else null::access_role end >= r.at_least then 'grant_expired'
                else 'no_grant' end as reason,
           case when r.allowed then nullif(least(r.live_rank & 137438953471, case r.rule when 'membership' then r.member_until end),
                                           137438953471) end as expires_at,
           case r.via_at when cardinality(r.chain) then r.kind when 1 then 'organization' else 'folder' end as via_kind,
           case r.via_at when cardinality(r.chain) then r.resource_id when 1 then r.organization_id else folder.id end as via_id,
           r.via_at < cardinality(r.chain) as inherited, moved.id as migrated_to
      from allowance r
      left join lateral (
        select f.id from resources f
         where r.allowed and r.via_at > 1 and r.via_at < cardinality(r.chain)
           and f.organization_key = r.organization_key and f.resource_key = r.chain[r.via_at] limit 1
      ) folder on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where r.rule = 'does_not_exist' and r.kind = 'document'
           and a.organization_key = r.organization_key and a.document_id = r.resource_id limit 1
      ) moved on true
  )
  select d.req, coalesce(d.found, false) as found, coalesce(d.is_open and d.access_type = 'public' and d.default_access_role >= coalesce(d.at_least, 'viewer'), false) as everyone, d.allowed, d.reason as reason, d.role as "accessRole",
         case when d.reason <> 'does_not_exist' then d.access_type end as "accessType",
         case when d.allowed then case when d.rule = 'access_type' and d.via_at = 1 then 'keyDefault' else d.via_kind::text end end as "viaType",
         case when d.allowed and not (d.rule = 'access_type' and d.via_at = 1) then d.via_id end as "viaId",
         case when d.allowed then d.inherited end as inherited, d.expires_at as "expiresAt",
         d.migrated_to as "migratedTo",
         case when d.allowed and d.rule = 'grant' then d.group_id end as "viaGroupId",
         d.user_ids as "userIds", d.places, d.examined_to as "examinedTo"
    from decided d where d.user_ids is null or d.allowed and d.live_rank is not null;

-- permitted-users.list-inside (server/features/permissions/lists/inside/statements.ts)
with scope as materialized (
    select r.path
      from resources r join organizations o on o.organization_key = r.organization_key
     where r.organization_key = $1 and r.resource_key = $2 and r.kind <> 'document' and not o.disabled
  ),
  folder as materialized (
    select f.resource_key, f.own_access_type
      from scope s
     cross join lateral (
        select f.resource_key, f.own_access_type from resources f
         where f.organization_key = $1 and f.path >= s.path and f.path < s.path || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid and f.resource_key <> $2
         order by f.path limit $6::int + 1
      ) f
  ),
  document as materialized (
    select d.resource_key, d.own_access_type, d.disabled
      from (select f.resource_key from folder f union all select $2::uuid from scope s where cardinality(s.path) > 1) p
     cross join lateral (
        select d.resource_key, d.own_access_type, d.disabled from resources d
         where d.organization_key = $1 and d.folder_key = p.resource_key and d.kind = 'document'
         order by d.id limit $6::int + 1
      ) d
     union all
    select d.resource_key, d.own_access_type, d.disabled
      from scope s
     cross join lateral (
        select d.resource_key, d.own_access_type, d.disabled from resources d
         where d.organization_key = $1 and d.folder_key is null and d.kind = 'document' and cardinality(s.path) = 1
         order by d.folder_key, d.id limit $6::int + 1
      ) d
     limit $6::int + 1
  ),
  amount as materialized (
    select (select count(*) from folder) + (select count(*) from document) > $6::int as too_much
  ),
  inside as materialized (
    select i.resource_key, i.own_access_type
      from (select f.resource_key, f.own_access_type from folder f
            union all
            select d.resource_key, d.own_access_type from document d where not d.disabled) i
     where not (select too_much from amount)
  ),
  source as materialized (
    select i.resource_key from inside i
     union all
    select $1::uuid where exists (select from inside i where i.own_access_type = 'organizationPrivate')
     union all
    select above.resource_key from scope s cross join unnest(s.path) as above(resource_key)
     where $7::access_role < 'editor' and exists (select from inside i where i.own_access_type = 'public')
  ),
  own_share as materialized (select least($5::int, 20000 / greatest(count(*), 1))::int as users from source),
  own as materialized (
    select g.user_id, g.nth, g.passes
      from source s
     cross join lateral (
        select g.principal as user_id, row_number() over (order by g.principal) as nth,
               case s.resource_key when $1 then (g.standing_role is not null or g.expires_at > coalesce($8::timestamptz, clock_timestamp())) else ((g.standing_role is not null or g.expires_at > coalesce($8::timestamptz, clock_timestamp())) and ($3::access_role is null or greatest(g.standing_role, case when g.expires_at > coalesce($8::timestamptz, clock_timestamp()) then g.temporary_role end) >= $3::access_role)) end as passes
          from (select g.principal, g.standing_role, g.temporary_role, g.expires_at from grants g
                 where g.organization_key = $1 and g.resource_key = s.resource_key
                   and g.principal > greatest($4::text, ' ' collate "C")
                 order by g.principal limit (select users from own_share)) g
      ) g
  ),
  held as materialized (
    select distinct g.principal
      from source s
     cross join lateral (
        select g.principal from grants g
         where g.organization_key = $1 and g.resource_key = s.resource_key and g.principal < ' ' and ((g.standing_role is not null or g.expires_at > coalesce($8::timestamptz, clock_timestamp())) and ($3::access_role is null or greatest(g.standing_role, case when g.expires_at > coalesce($8::timestamptz, clock_timestamp()) then g.temporary_role end) >= $3::access_role)) offset 0
      ) g
  ),
  group_share as materialized (select least($5::int, greatest(20000 / greatest(count(*), 1), 1))::int as users from held),
  of_group as materialized (
    select m.user_id, m.nth
      from held h
     cross join lateral (
        select m.user_id, row_number() over (order by m.user_id) as nth
          from (select m.user_id from user_group_members m
                 where m.organization_key = $1 and m.group_id = substr(h.principal, 2) and m.user_id > coalesce($4::text, '')
                 order by m.user_id limit (select users from group_share)) m
      ) m
  ),
  bound as materialized (
    select min(c.user_id) as user_id
      from (select o.user_id from own o where o.nth = (select users from own_share)
            union all
            select m.user_id from of_group m where m.nth = (select users from group_share)) c
  ),
  candidate as materialized (
    select c.user_id, row_number() over (order by c.user_id) as nth
      from (select o.user_id from own o where o.passes
             union
            select m.user_id from (select distinct m.user_id from of_group m) m
              where exists (select from grants g where g.organization_key = $1 and g.resource_key = $1 and g.principal = m.user_id and (g.standing_role is not null or g.expires_at > coalesce($8::timestamptz, clock_timestamp())))) c
     where c.user_id <= coalesce((select b.user_id from bound b), c.user_id)
     order by c.user_id limit $5::int
  )
  select c.user_id as "userId", (select too_much from amount) as "tooMuch",
         coalesce((select c.user_id from candidate c where c.nth = $5::int), (select b.user_id from bound b)) as "examinedTo"
    from (select) once left join candidate c on true
   order by c.user_id;

-- profiles.list (server/features/users/profile-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select user_id as "userId", profile from users
   where api_key_id = $1 and user_id > coalesce($2::text, '')
   order by user_id limit $3::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- profiles.list by name (server/features/users/profile-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select u.user_id as "userId", u.profile, jsonb_build_array(name_order(u.profile ->> 'name', u.user_id), u.user_id)::text as position from users u
   where u.api_key_id = $1 and (name_order(u.profile ->> 'name', u.user_id), u.user_id) > (coalesce($2::jsonb ->> 0, '') collate "C", coalesce($2::jsonb ->> 1, '') collate "C") order by name_order(u.profile ->> 'name', u.user_id) asc, u.user_id asc limit $3::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- profiles.list by name desc (server/features/users/profile-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select u.user_id as "userId", u.profile, jsonb_build_array(name_order(u.profile ->> 'name', u.user_id), u.user_id)::text as position from users u
   where u.api_key_id = $1 and (name_order(u.profile ->> 'name', u.user_id), u.user_id) < (coalesce($2::jsonb ->> 0, repeat(chr(1114111), 101)) collate "C", coalesce($2::jsonb ->> 1, repeat(chr(1114111), 101)) collate "C") order by name_order(u.profile ->> 'name', u.user_id) desc, u.user_id desc limit $3::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- resources.find (server/tenancy/existence.ts)
select o.added_at is not null as "organizationAdded", r.resource_key as "resourceKey", moved.id as "migratedTo"
    from organizations o
    left join lateral (
      select r.resource_key from resources r
       where r.organization_key = o.organization_key and r.kind = $2::resource_kind and r.id = $3 limit 1
    ) r on true
    left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where $2::resource_kind = 'document' and r.resource_key is null
           and a.organization_key = o.organization_key and a.document_id = $3 limit 1
      ) moved on true
   where o.organization_key = $1;

-- search.describe (server/features/search/statements.ts)
select item.kind, coalesce(r.id, item.id) as id,
         case item.kind when 'organization' then o.name when 'user' then u.profile ->> 'name' when 'userGroup' then g.name else r.name end as name,
         u.profile ->> 'email' as email, o.organization_id as "organizationId", o.name as "organizationName",
         f.id as "folderId", f.name as "folderName",
         case item.kind when 'organization' then o.disabled when 'user' then exists (select from disabled_users d where d.api_key_id = item.api_key_id and d.user_id = item.id)
              else coalesce(r.disabled, false) end as disabled,
         r.id is not null and r.added_at is null as declared
    from unnest($1::text[], $2::text[], $3::uuid[], $4::uuid[], $5::text[]) with ordinality as item(api_key_id, kind, organization_key, entry_key, id, ord)
    left join lateral (
      select o.organization_id, o.name, o.disabled from organizations o where o.organization_key = item.organization_key limit 1
    ) o on true
    left join lateral (
      select r.* from resources r
       where item.kind in ('folder', 'document') and r.organization_key = item.organization_key and r.resource_key = item.entry_key limit 1
    ) r on true
    left join lateral (
      select f.id, f.name from resources f
       where f.organization_key = item.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
    left join lateral (
      select u.profile from users u where item.kind = 'user' and u.api_key_id = item.api_key_id and u.user_id = item.id limit 1
    ) u on true
    left join lateral (
      select g.group_id, g.name from user_groups g
       where item.kind = 'userGroup' and g.organization_key = item.organization_key and g.group_id = item.id limit 1
    ) g on true
   where case item.kind when 'organization' then o.organization_id is not null when 'user' then u.profile is not null
                        when 'userGroup' then g.group_id is not null else r.id is not null end
   order by item.ord;

-- search.fold (server/features/search/statements.ts)
select search_fold($1::text) as folded;

-- search.look-up (server/features/search/statements.ts)
with sample as materialized (
    select e.words from search_entries e where e.api_key_id = $1 and e.kind = $2::search_kind order by e.place, e.entry_key limit 200
  ),
  gram as (
    select g.gram, n.sampled, row_number() over (partition by p.ord order by n.sampled) as nth
      from unnest($9::text[]) with ordinality as p(part, ord)
     cross join lateral (select distinct substr(p.part, i, 3) as gram from generate_series(1, length(p.part) - 2) i) g
     cross join lateral (select count(*) as sampled from sample s where position(g.gram in s.words) > 0) n
  ),
  found as materialized (
    select e.* from search_entries e
     where search_grams(e.api_key_id, e.kind, e.place, e.words) @>
           (search_grams($1, $2::search_kind, null, '')
            || array(select unnest(search_grams($1, $2::search_kind, null, gram)) from gram
                      where nth = 1 or (sampled < 50 and nth <= 6 / cardinality($9::text[]))))
     limit $8::int + 1
  )
  select n.found, d.*
    from (select count(*)::int as found from found) n
    left join lateral (
      select e.place, e.entry_key as "entryKey", e.id from found e
       where n.found <= $8 and e.api_key_id = $1 and e.kind = $2::search_kind and (e.place, e.entry_key) > ($3::uuid, $4::uuid) and (e.words like all ($5::text[]) and (e.words like $6::text) is not true) and true
       order by e.place, e.entry_key limit $7::int
    ) d on true
   order by d.place, d."entryKey";

-- search.look-up-members (server/features/search/statements.ts)
with sample as materialized (
    select e.words from search_entries e where e.api_key_id = $1 and e.kind = $2::search_kind order by e.place, e.entry_key limit 200
  ),
  gram as (
    select g.gram, n.sampled, row_number() over (partition by p.ord order by n.sampled) as nth
      from unnest($9::text[]) with ordinality as p(part, ord)
     cross join lateral (select distinct substr(p.part, i, 3) as gram from generate_series(1, length(p.part) - 2) i) g
     cross join lateral (select count(*) as sampled from sample s where position(g.gram in s.words) > 0) n
  ),
  found as materialized (
    select e.* from search_entries e
     where search_grams(e.api_key_id, e.kind, e.place, e.words) @>
           (search_grams($1, $2::search_kind, null, '')
            || array(select unnest(search_grams($1, $2::search_kind, null, gram)) from gram
                      where nth = 1 or (sampled < 50 and nth <= 6 / cardinality($9::text[]))))
     limit $8::int + 1
  )
  select n.found, d.*
    from (select count(*)::int as found from found) n
    left join lateral (
      select e.place, e.entry_key as "entryKey", e.id from found e
       where n.found <= $8 and e.api_key_id = $1 and e.kind = $2::search_kind and (e.place, e.entry_key) > ($3::uuid, $4::uuid) and (e.words like all ($5::text[]) and (e.words like $6::text) is not true) and exists (
              select from grants g where g.organization_key = $10::uuid and g.principal = e.id and (g.standing_role is not null or g.expires_at > coalesce($11::timestamptz, clock_timestamp())))
       order by e.place, e.entry_key limit $7::int
    ) d on true
   order by d.place, d."entryKey";

-- search.look-up-organization (server/features/search/statements.ts)
with sample as materialized (
    select e.words from search_entries e where e.api_key_id = $1 and e.kind = $2::search_kind and e.place = $10::uuid order by e.place, e.entry_key limit 200
  ),
  gram as (
    select g.gram, n.sampled, row_number() over (partition by p.ord order by n.sampled) as nth
      from unnest($9::text[]) with ordinality as p(part, ord)
     cross join lateral (select distinct substr(p.part, i, 3) as gram from generate_series(1, length(p.part) - 2) i) g
     cross join lateral (select count(*) as sampled from sample s where position(g.gram in s.words) > 0) n
  ),
  found as materialized (
    select e.* from search_entries e
     where search_grams(e.api_key_id, e.kind, e.place, e.words) @>
           (search_grams($1, $2::search_kind, $10::uuid, '')
            || array(select unnest(search_grams($1, $2::search_kind, null, gram)) from gram
                      where nth = 1 or (sampled < 50 and nth <= 6 / cardinality($9::text[]))))
     limit $8::int + 1
  )
  select n.found, d.*
    from (select count(*)::int as found from found) n
    left join lateral (
      select e.place, e.entry_key as "entryKey", e.id from found e
       where n.found <= $8 and e.api_key_id = $1 and e.kind = $2::search_kind and e.place = $10::uuid and (e.place, e.entry_key) > ($3::uuid, $4::uuid) and (e.words like all ($5::text[]) and (e.words like $6::text) is not true) and true
       order by e.place, e.entry_key limit $7::int
    ) d on true
   order by d.place, d."entryKey";

-- search.scan (server/features/search/statements.ts)
select e.place, e.entry_key as "entryKey", e.id, e.matches, e.nth = $8 as "isScanEnd"
    from (select e.*, (e.words like all ($5::text[]) and (e.words like $6::text) is not true) and true as matches, row_number() over (order by e.place, e.entry_key) as nth
            from (select * from search_entries e where e.api_key_id = $1 and e.kind = $2::search_kind and (e.place, e.entry_key) > ($3::uuid, $4::uuid) order by e.place, e.entry_key limit $8::int) e) e
   where e.matches or e.nth = $8
   order by e.place, e.entry_key limit $7::int;

-- search.scan-members (server/features/search/statements.ts)
select e.place, e.entry_key as "entryKey", e.id, e.matches, e.nth = $8 as "isScanEnd"
    from (select e.*, (e.words like all ($5::text[]) and (e.words like $6::text) is not true) and exists (
              select from grants g where g.organization_key = $9::uuid and g.principal = e.id and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp()))) as matches, row_number() over (order by e.place, e.entry_key) as nth
            from (select * from search_entries e where e.api_key_id = $1 and e.kind = $2::search_kind and (e.place, e.entry_key) > ($3::uuid, $4::uuid) order by e.place, e.entry_key limit $8::int) e) e
   where e.matches or e.nth = $8
   order by e.place, e.entry_key limit $7::int;

-- search.scan-organization (server/features/search/statements.ts)
select e.place, e.entry_key as "entryKey", e.id, e.matches, e.nth = $8 as "isScanEnd"
    from (select e.*, (e.words like all ($5::text[]) and (e.words like $6::text) is not true) and true as matches, row_number() over (order by e.place, e.entry_key) as nth
            from (select * from search_entries e where e.api_key_id = $1 and e.kind = $2::search_kind and e.place = $9::uuid and (e.place, e.entry_key) > ($3::uuid, $4::uuid) order by e.place, e.entry_key limit $8::int) e) e
   where e.matches or e.nth = $8
   order by e.place, e.entry_key limit $7::int;

-- signing-keys.delete-ended (server/features/signing-keys/statements.ts)
delete from signing_keys s where s.api_key_id = $1 and not (s.retired_at is null or s.retired_at > coalesce($2::timestamptz, clock_timestamp()));

-- signing-keys.get (server/features/signing-keys/statements.ts)
select kid, private_key_sealed as sealed from signing_keys
   where api_key_id = $1 and retired_at is null order by created_at desc, kid limit 1;

-- signing-keys.insert (server/features/signing-keys/statements.ts)
insert into signing_keys (api_key_id, kid, public_jwk, private_key_sealed) values ($1, $2, $3::jsonb, $4::bytea);

-- signing-keys.list (server/features/signing-keys/statements.ts)
select s.kid, s.public_jwk as "publicJwk", s.created_at as "createdAt", s.retired_at as "retiredAt"
    from signing_keys s where s.api_key_id = $1 and (s.retired_at is null or s.retired_at > coalesce($2::timestamptz, clock_timestamp()))
   order by s.retired_at is null desc, s.created_at desc, s.kid;

-- signing-keys.retire (server/features/signing-keys/statements.ts)
update signing_keys s
     set retired_at = least(s.retired_at, coalesce($3::timestamptz, clock_timestamp())
                        + make_interval(secs => coalesce($2::int, k.user_token_lifetime_seconds))),
         private_key_sealed = null
    from api_keys k where k.api_key_id = $1 and s.api_key_id = $1;

-- sso-config.get (server/features/single-sign-on/statements.ts)
select enabled, issuer, client_id as "clientId", client_secret_sealed as sealed, roles
    from sso_configs where workspace_id = $1;

-- sso-config.update (server/features/single-sign-on/statements.ts)
insert into sso_configs (workspace_id, enabled, issuer, client_id, client_secret_sealed, roles)
  values ($1, $2, $3, $4, $5::bytea, $6::jsonb)
  on conflict (workspace_id) do update
     set enabled = excluded.enabled, issuer = excluded.issuer, client_id = excluded.client_id,
         client_secret_sealed = excluded.client_secret_sealed, roles = excluded.roles;

-- sso-sign-ins.add (server/features/single-sign-on/statements.ts)
insert into sso_sign_ins (state_hash, browser_hash, workspace_id, issuer, client_id, expires_at)
  values ($1::bytea, $2::bytea, $3, $4, $5, coalesce($7::timestamptz, clock_timestamp()) + $6::int * interval '1 second');

-- sso-sign-ins.delete-old (server/features/single-sign-on/statements.ts)
with old as (
    select ctid from sso_sign_ins where expires_at <= coalesce($1::timestamptz, clock_timestamp()) order by expires_at limit 1000 for update skip locked
  ),
  deleted as (
    delete from sso_sign_ins s using old where s.ctid = old.ctid returning 1
  )
  select count(*) as count from deleted;

-- sso-sign-ins.use (server/features/single-sign-on/statements.ts)
delete from sso_sign_ins where state_hash = $1::bytea and browser_hash = $2::bytea and expires_at > coalesce($3::timestamptz, clock_timestamp())
  returning workspace_id as "workspaceId", issuer, client_id as "clientId";

-- thread-subscriptions.set (server/features/comments/subscriptions/statements.ts)
with thread as materialized (
    select t.organization_key, t.resource_key, t.annotation_id, d.id as document_id,
           u.subscription = $5::text and u.is_manual as is_same
      from (select distinct id from unnest($3::text[]) as asked (id)) asked
     cross join lateral (
        select t.organization_key, t.resource_key, t.annotation_id from threads t
         where t.organization_key = $1 and t.resource_key = $2::uuid and t.annotation_id = asked.id limit 1
     ) t
     cross join lateral (
        select d.id from resources d where d.organization_key = t.organization_key and d.resource_key = t.resource_key limit 1
     ) d
      left join lateral (
        select u.subscription, u.is_manual from thread_users u
         where u.organization_key = t.organization_key and u.resource_key = t.resource_key
           and u.annotation_id = t.annotation_id and u.user_id = $4::text limit 1
     ) u on true
  ),
  changed as materialized (select * from thread where is_same is not true),
  written as (
    insert into thread_users (organization_key, resource_key, annotation_id, user_id, subscription, is_manual)
    select organization_key, resource_key, annotation_id, $4::text, $5::text, true
      from changed order by organization_key, resource_key, annotation_id
    on conflict (organization_key, resource_key, annotation_id, user_id)
    do update set subscription = excluded.subscription, is_manual = true
  ),
  event as (
    select organization_key, row_number() over (order by annotation_id) as position, 'thread.' || $5::text as type,
           'document'::resource_kind as resource_kind, document_id as resource_id, $4::text as user_id, $6::jsonb as actor,
           null::jsonb as before, jsonb_build_object('annotationId', annotation_id) as after
      from changed
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select annotation_id as "annotationId" from thread;

-- threads.add (server/features/comments/threads/add-statements.ts)
with clock as materialized (select date_trunc('milliseconds', coalesce($13::timestamptz, clock_timestamp())) as now),
  named as materialized (
    select item.*, d.resource_key, moved.id as migrated_to,
           case when o.added_at is null then 'organization_does_not_exist'
                when d.resource_key is null then 'document_does_not_exist'
                when t.annotation_id is not null then 'already_exists'
                else 'ok' end as outcome
      from unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::jsonb[], $7::jsonb[], $8::jsonb[], $9::int[], $10::timestamptz[], $11::timestamptz[], $12::jsonb[]) with ordinality as item(req, organization_key, document_id, annotation_id, content, comments, users, mentioned, bytes, created_at, last_updated, actor, ord)
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key from resources r
         where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
           and r.added_at is not null limit 1
      ) d on true
      left join lateral (
        select t.annotation_id from threads t
         where t.organization_key = item.organization_key and t.resource_key = d.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t on true
      left join lateral (
        select moved.id
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where d.resource_key is null
           and a.organization_key = item.organization_key and a.document_id = item.document_id limit 1
      ) moved on true
  ),
  accepted as materialized (select * from named where outcome = 'ok'),
  comment as materialized (
    select a.organization_key, a.resource_key, a.annotation_id, a.ord, a.actor, a.content as thread, c.position::int,
           (c.value ->> 'commentId')::bigint as comment_id, c.value -> 'content' as content, (c.value ->> 'bytes')::int as bytes,
           coalesce((c.value ->> 'createdAt')::timestamptz, clock.now) as created_at,
           coalesce((c.value ->> 'lastUpdated')::timestamptz, clock.now) as last_updated,
           jsonb_strip_nulls(jsonb_build_object('notify', c.value -> 'notify', 'activity', c.value -> 'activity')) as asked
      from accepted a cross join clock cross join lateral jsonb_array_elements(a.comments) with ordinality as c(value, position)
  ),
  written as (
    insert into threads (organization_key, resource_key, annotation_id, created_at, last_updated, content, mentioned_user_ids,
                         comments_written, last_position, comment_count, bytes)
    select organization_key, resource_key, annotation_id, coalesce(created_at, clock.now), coalesce(last_updated, clock.now),
           content, json_texts(mentioned), jsonb_array_length(comments), jsonb_array_length(comments),
           jsonb_array_length(comments), bytes
      from accepted cross join clock order by organization_key, resource_key, annotation_id
  ),
  comments_written as (
    insert into thread_comments (organization_key, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes)
    select organization_key, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes
      from comment order by organization_key, resource_key, annotation_id, comment_id
  ),
  users_written as (
    insert into thread_users (organization_key, resource_key, annotation_id, user_id, subscription, contact, seen_through)
    select a.organization_key, a.resource_key, a.annotation_id, u.value ->> 'userId', u.value ->> 'subscription',
           nullif(u.value -> 'contact', 'null'), (u.value ->> 'seenThrough')::int
      from accepted a cross join lateral jsonb_array_elements(a.users) as u(value)
     order by a.organization_key, a.resource_key, a.annotation_id, u.value ->> 'userId'
  ),
  event as (
    select c.organization_key, c.ord * 10000 + c.position as position,
           case c.position when 1 then 'thread.added' else 'comment.added' end as type,
           'document'::resource_kind as resource_kind, a.document_id as resource_id, c.content -> 'from' ->> 'userId' as user_id, c.actor,
           null::jsonb as before,
           jsonb_build_object('annotationId', c.annotation_id, 'commentId', c.comment_id) || c.asked
             || case c.position when 1 then jsonb_strip_nulls(jsonb_build_object(
                  'statusId', c.thread -> 'status' -> 'id', 'priorityId', c.thread -> 'priority' -> 'id',
                  'visibility', c.thread -> 'visibility' -> 'type', 'assigned', case when c.thread ? 'assignedTo' then true end))
                else '{}' end as after
      from comment c join accepted a on a.ord = c.ord
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select req, annotation_id as "annotationId", outcome, migrated_to as "migratedTo" from named order by ord;

-- threads.choose (server/features/comments/threads/change-statements.ts)
select t.annotation_id as "annotationId" from threads t
   where t.organization_key = $1 and t.resource_key = $2::uuid
     and ($3::text[] is null or t.annotation_id = any($3::text[]))
     and ($4::text[] is null or t.location_id = any($4::text[])) and ($5::text[] is null or t.author_id = any($5::text[]))
     and ($6::text is null or t.agent_id = $6::text)
     and (not $7::boolean or t.agent_id is not null and t.suggestion_status = 'pending')
     and ($8::text[] is null or split_part(t.agent_url, '#', 1) = any($8::text[]))
   order by t.annotation_id;

-- threads.count (server/features/comments/seen/statements.ts)
select asked.id as "documentId", count(t.annotation_id)::int as total,
         count(t.annotation_id) filter (where coalesce(u.seen_through, 0) < t.last_position)::int as unread
    from unnest($2::text[]) as asked (id)
    left join lateral (
      select r.resource_key from resources r
       where r.organization_key = $1 and r.kind = 'document' and r.id = asked.id limit 1
    ) d on true
    left join lateral (
      select t.* from threads t
       where t.organization_key = $1 and t.resource_key = d.resource_key and ($4::text[] is null or t.status_id = any($4::text[]))
         and 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $3::text or $3::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $3::text and (g.standing_role is not null or g.expires_at > coalesce($5::timestamptz, clock_timestamp())) limit 1
                            ) g)) offset 0
    ) t on true
    left join lateral (
      select u.seen_through from thread_users u
       where u.organization_key = $1 and u.resource_key = d.resource_key and u.annotation_id = t.annotation_id and u.user_id = $3::text limit 1
    ) u on true
   group by asked.id;

-- threads.delete (server/features/comments/threads/change-statements.ts)
with named as materialized (
    select item.*, t.row, t.comment_count, t.visibility, case when t.row is not null then 'ok' end as outcome
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::text[]) with ordinality as item(organization_key, resource_key, annotation_id, document_id, actor, by_user_id, ord) 
     cross join lateral (
        select t.ctid as row, t.content, t.bytes, t.comment_count, t.visibility from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t
  ),
  thread as materialized (select * from named where outcome = 'ok'),
  deleted as (delete from threads t using thread n where t.ctid = n.row),
  event as (
    select organization_key, ord as position, 'thread.deleted' as type, 'document'::resource_kind as resource_kind,
           document_id as resource_id, by_user_id as user_id, actor,
           jsonb_build_object('annotationId', annotation_id, 'visibility', visibility, 'comments', comment_count) as before, null::jsonb as after
      from thread
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select null where false;

-- threads.find (server/features/comments/threads/read-statements.ts)
with found as materialized (
    select t.*, asked.nth
      from unnest($3::text[]) with ordinality as asked (annotation_id, nth)
     cross join lateral (
        select t.* from threads t where t.organization_key = $1 and t.annotation_id = asked.annotation_id offset 0
      ) t
     where ($2::uuid[] is null or t.resource_key = any($2::uuid[])) and ($4::text[] is null or t.location_id = any($4::text[])) and ($5::text[] is null or t.author_id = any($5::text[]))
           and ($6::text[] is null or t.mentioned_user_ids && $6::text[])
           and ($7::text is null or t.resolved_by = $7::text) and ($8::text[] is null or t.status_id = any($8::text[])) and ($9::text is null or t.status_id = $9::text)
           and ($10::timestamptz is null or t.last_updated > $10::timestamptz) and ($11::timestamptz is null or t.last_updated < $11::timestamptz)
           and ($12::timestamptz is null or t.created_at > $12::timestamptz) and ($13::timestamptz is null or t.created_at < $13::timestamptz)
           and ($14::text is null or t.agent_id = $14::text) and ($15::text is null or t.agent_execution_id = $15::text)
           and ($16::text is null
                or t.agent_id is not null and ($16::text = 'all' or t.suggestion_status = $16::text))
           and ($17::uuid is null or exists (
                  select from resources r where r.organization_key = t.organization_key and r.resource_key = t.resource_key
                                            and r.folder_key = $17::uuid)) and ($18::text is null or 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $18::text or $18::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $18::text and (g.standing_role is not null or g.expires_at > coalesce($19::timestamptz, clock_timestamp())) limit 1
                            ) g)))
  ),
  sized as (
    select found.*, lead(true) over (order by nth, resource_key) is not null as has_next,
           sum(bytes) over (order by nth, resource_key rows between unbounded preceding and 1 preceding) as bytes_before
      from found
  )
  select t.has_next as "hasNext", 
  t.annotation_id as "annotationId", t.resource_key as "resourceKey", d.id as "documentId", f.id as "folderId",
  t.created_at as "createdAt", t.last_updated as "lastUpdated", t.content, t.mentioned_user_ids as "mentionedUserIds",
  coalesce((select jsonb_agg(jsonb_build_object('commentId', c.comment_id, 'content', c.content,
                     'createdAt', (extract(epoch from c.created_at) * 1000)::bigint, 'lastUpdated', (extract(epoch from c.last_updated) * 1000)::bigint) order by c.position)
              from thread_comments c
             where c.organization_key = t.organization_key and c.resource_key = t.resource_key
               and c.annotation_id = t.annotation_id), '[]') as comments,
  coalesce((select jsonb_agg(jsonb_build_object('userId', u.user_id, 'state', u.subscription, 'isManual', u.is_manual,
                     'contact', u.contact) order by u.user_id)
              from thread_users u
             where u.organization_key = t.organization_key and u.resource_key = t.resource_key
               and u.annotation_id = t.annotation_id and u.subscription is not null), '[]') as subscriptions
    from sized t 
 cross join lateral (
    select d.id, d.folder_key from resources d
     where d.organization_key = t.organization_key and d.resource_key = t.resource_key limit 1
  ) d
  left join lateral (
    select f.id from resources f where f.organization_key = t.organization_key and f.resource_key = d.folder_key limit 1
  ) f on true
   where coalesce(t.bytes_before, 0) < 16777216
   order by t.nth, t.resource_key;

-- threads.find-chosen-naming (server/features/comments/people/replace-statements.ts)
with named as materialized (
    select asked.annotation_id from unnest($3::text[]) as asked (annotation_id)
     where asked.annotation_id > $5::text collate "C"
       and exists (select from unnest($4::text[]) as old (user_id)
                    cross join lateral (
                      select u.user_id from thread_users u
                       where u.organization_key = $1 and u.resource_key = $2::uuid and u.annotation_id = asked.annotation_id
                         and u.user_id = old.user_id limit 1
                    ) u)
     order by asked.annotation_id collate "C" limit 200
  ),
  sized as materialized (
    select t.*, sum(t.bytes) over (order by t.annotation_id rows between unbounded preceding and 1 preceding) as bytes_before
      from named n
     cross join lateral (
        select t.* from threads t
         where t.organization_key = $1 and t.resource_key = $2::uuid and t.annotation_id = n.annotation_id limit 1
      ) t
  )
  select t.annotation_id as "annotationId", t.content,
         (select jsonb_agg(jsonb_build_object('commentId', c.comment_id, 'bytes', c.bytes, 'content', c.content) order by c.position)
            from thread_comments c
           where c.organization_key = $1 and c.resource_key = $2::uuid and c.annotation_id = t.annotation_id) as comments
    from sized t
   where coalesce(t.bytes_before, 0) < 16777216
   order by t.annotation_id;

-- threads.find-documents (server/features/comments/threads/read-statements.ts)
select r.resource_key as "resourceKey"
    from unnest($1::uuid[], $2::text[]) with ordinality as item(organization_key, document_id, ord)
   cross join lateral (
      select r.resource_key from resources r
       where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id limit 1
    ) r
   order by item.ord;

-- threads.find-folder (server/features/comments/threads/read-statements.ts)
select resource_key as "folderKey" from resources
   where organization_key = $1 and kind = 'folder' and id = $2 and added_at is not null;

-- threads.find-memberships (server/features/comments/users/statements.ts)
select item.organization_key as "organizationKey"
    from unnest($1::uuid[], $2::text[]) with ordinality as item(organization_key, user_id, ord)
   cross join lateral (
      select from grants g
       where g.organization_key = item.organization_key and g.resource_key = item.organization_key
         and g.principal = item.user_id and (g.standing_role is not null or g.expires_at > coalesce($3::timestamptz, clock_timestamp())) limit 1
    ) g
   order by item.ord;

-- threads.find-naming (server/features/comments/people/statements.ts)
with named as materialized (
    select u.organization_key, u.resource_key, u.annotation_id, array_agg(u.user_id) as user_ids
      from unnest($1::uuid[], $2::text[]) with ordinality as item(organization_key, user_id, ord)
     cross join lateral (
        select u.* from thread_users u
         where u.organization_key = item.organization_key and u.user_id = item.user_id
         order by u.resource_key, u.annotation_id limit 200
      ) u
     group by u.organization_key, u.resource_key, u.annotation_id
     order by u.organization_key, u.resource_key, u.annotation_id limit 200
  ),
  sized as materialized (
    select n.user_ids, t.*, sum(t.bytes) over (order by t.organization_key, t.resource_key, t.annotation_id
                                                rows between unbounded preceding and 1 preceding) as bytes_before
      from named n
     cross join lateral (
        select t.* from threads t
         where t.organization_key = n.organization_key and t.resource_key = n.resource_key and t.annotation_id = n.annotation_id limit 1
      ) t
  )
  select t.organization_key as "organizationKey", t.resource_key as "resourceKey", t.annotation_id as "annotationId",
         d.id as "documentId", t.content, t.bytes, t.user_ids as "userIds",
         (select jsonb_agg(jsonb_build_object('commentId', c.comment_id, 'position', c.position, 'bytes', c.bytes, 'content', c.content))
            from thread_comments c
           where c.organization_key = t.organization_key and c.resource_key = t.resource_key
             and c.annotation_id = t.annotation_id) as comments
    from sized t
   cross join lateral (
      select d.id from resources d
       where d.organization_key = t.organization_key and d.resource_key = t.resource_key limit 1
    ) d
   where coalesce(t.bytes_before, 0) < 16777216
   order by t.organization_key, t.resource_key, t.annotation_id;

-- threads.find-profiles (server/features/comments/threads/read-statements.ts)
select u.user_id as "userId", u.profile from unnest($2::text[]) as asked (user_id)
   cross join lateral (
      select u.user_id, u.profile from users u where u.api_key_id = $1 and u.user_id = asked.user_id limit 1
    ) u;

-- threads.find-visible (server/features/comments/users/statements.ts)
select t.annotation_id as "annotationId", t.author_id = $4::text as "isOwn"
    from (select distinct id from unnest($3::text[]) as asked (id)) asked
   cross join lateral (
      select t.* from threads t
       where t.organization_key = $1 and t.resource_key = $2::uuid and t.annotation_id = asked.id limit 1
    ) t
   where 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $4::text or $4::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $4::text and (g.standing_role is not null or g.expires_at > coalesce($5::timestamptz, clock_timestamp())) limit 1
                            ) g));

-- threads.list (server/features/comments/threads/read-statements.ts)
with scanned as materialized (
    select t.* from threads t
     where t.organization_key = $1 and $2::uuid[] is null and ($22::text is null or 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $22::text or $22::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $22::text and (g.standing_role is not null or g.expires_at > coalesce($23::timestamptz, clock_timestamp())) limit 1
                            ) g)))
       and (t.last_updated, t.annotation_id, t.resource_key) < ($3::timestamptz, $4::text, $5::uuid)
     order by t.last_updated desc, t.annotation_id desc, t.resource_key desc limit $6
  ),
  numbered as (
    select t.*, row_number() over (order by last_updated desc, annotation_id desc, resource_key desc) as nth,
           ($8::text[] is null or t.location_id = any($8::text[])) and ($9::text[] is null or t.author_id = any($9::text[]))
           and ($10::text[] is null or t.mentioned_user_ids && $10::text[])
           and ($11::text is null or t.resolved_by = $11::text) and ($12::text[] is null or t.status_id = any($12::text[])) and ($13::text is null or t.status_id = $13::text)
           and ($14::timestamptz is null or t.last_updated > $14::timestamptz) and ($15::timestamptz is null or t.last_updated < $15::timestamptz)
           and ($16::timestamptz is null or t.created_at > $16::timestamptz) and ($17::timestamptz is null or t.created_at < $17::timestamptz)
           and ($18::text is null or t.agent_id = $18::text) and ($19::text is null or t.agent_execution_id = $19::text)
           and ($20::text is null
                or t.agent_id is not null and ($20::text = 'all' or t.suggestion_status = $20::text))
           and ($21::uuid is null or exists (
                  select from resources r where r.organization_key = t.organization_key and r.resource_key = t.resource_key
                                            and r.folder_key = $21::uuid)) as matches
      from scanned t
  ),
  found as (
    select * from numbered where matches or nth = $6 order by nth limit $7
  ),
  sized as (
    select found.*, lead(true) over (order by nth) is not null as has_next,
           sum(case when matches then bytes else 0 end) over (order by nth rows between unbounded preceding and 1 preceding) as bytes_before
      from found
  )
  select t.matches, t.nth = $6 as "isScanEnd", t.has_next as "hasNext", 
  t.annotation_id as "annotationId", t.resource_key as "resourceKey", d.id as "documentId", f.id as "folderId",
  t.created_at as "createdAt", t.last_updated as "lastUpdated", t.content, t.mentioned_user_ids as "mentionedUserIds",
  coalesce((select jsonb_agg(jsonb_build_object('commentId', c.comment_id, 'content', c.content,
                     'createdAt', (extract(epoch from c.created_at) * 1000)::bigint, 'lastUpdated', (extract(epoch from c.last_updated) * 1000)::bigint) order by c.position)
              from thread_comments c
             where c.organization_key = t.organization_key and c.resource_key = t.resource_key
               and c.annotation_id = t.annotation_id), '[]') as comments,
  coalesce((select jsonb_agg(jsonb_build_object('userId', u.user_id, 'state', u.subscription, 'isManual', u.is_manual,
                     'contact', u.contact) order by u.user_id)
              from thread_users u
             where u.organization_key = t.organization_key and u.resource_key = t.resource_key
               and u.annotation_id = t.annotation_id and u.subscription is not null), '[]') as subscriptions
    from sized t 
 cross join lateral (
    select d.id, d.folder_key from resources d
     where d.organization_key = t.organization_key and d.resource_key = t.resource_key limit 1
  ) d
  left join lateral (
    select f.id from resources f where f.organization_key = t.organization_key and f.resource_key = d.folder_key limit 1
  ) f on true
   where coalesce(t.bytes_before, 0) < 2097152
   order by t.nth;

-- threads.list asc (server/features/comments/threads/read-statements.ts)
with scanned as materialized (
    select t.* from threads t
     where t.organization_key = $1 and $2::uuid[] is null and ($22::text is null or 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $22::text or $22::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $22::text and (g.standing_role is not null or g.expires_at > coalesce($23::timestamptz, clock_timestamp())) limit 1
                            ) g)))
       and (t.last_updated, t.annotation_id, t.resource_key) > ($3::timestamptz, $4::text, $5::uuid)
     order by t.last_updated asc, t.annotation_id asc, t.resource_key asc limit $6
  ),
  numbered as (
    select t.*, row_number() over (order by last_updated asc, annotation_id asc, resource_key asc) as nth,
           ($8::text[] is null or t.location_id = any($8::text[])) and ($9::text[] is null or t.author_id = any($9::text[]))
           and ($10::text[] is null or t.mentioned_user_ids && $10::text[])
           and ($11::text is null or t.resolved_by = $11::text) and ($12::text[] is null or t.status_id = any($12::text[])) and ($13::text is null or t.status_id = $13::text)
           and ($14::timestamptz is null or t.last_updated > $14::timestamptz) and ($15::timestamptz is null or t.last_updated < $15::timestamptz)
           and ($16::timestamptz is null or t.created_at > $16::timestamptz) and ($17::timestamptz is null or t.created_at < $17::timestamptz)
           and ($18::text is null or t.agent_id = $18::text) and ($19::text is null or t.agent_execution_id = $19::text)
           and ($20::text is null
                or t.agent_id is not null and ($20::text = 'all' or t.suggestion_status = $20::text))
           and ($21::uuid is null or exists (
                  select from resources r where r.organization_key = t.organization_key and r.resource_key = t.resource_key
                                            and r.folder_key = $21::uuid)) as matches
      from scanned t
  ),
  found as (
    select * from numbered where matches or nth = $6 order by nth limit $7
  ),
  sized as (
    select found.*, lead(true) over (order by nth) is not null as has_next,
           sum(case when matches then bytes else 0 end) over (order by nth rows between unbounded preceding and 1 preceding) as bytes_before
      from found
  )
  select t.matches, t.nth = $6 as "isScanEnd", t.has_next as "hasNext", 
  t.annotation_id as "annotationId", t.resource_key as "resourceKey", d.id as "documentId", f.id as "folderId",
  t.created_at as "createdAt", t.last_updated as "lastUpdated", t.content, t.mentioned_user_ids as "mentionedUserIds",
  coalesce((select jsonb_agg(jsonb_build_object('commentId', c.comment_id, 'content', c.content,
                     'createdAt', (extract(epoch from c.created_at) * 1000)::bigint, 'lastUpdated', (extract(epoch from c.last_updated) * 1000)::bigint) order by c.position)
              from thread_comments c
             where c.organization_key = t.organization_key and c.resource_key = t.resource_key
               and c.annotation_id = t.annotation_id), '[]') as comments,
  coalesce((select jsonb_agg(jsonb_build_object('userId', u.user_id, 'state', u.subscription, 'isManual', u.is_manual,
                     'contact', u.contact) order by u.user_id)
              from thread_users u
             where u.organization_key = t.organization_key and u.resource_key = t.resource_key
               and u.annotation_id = t.annotation_id and u.subscription is not null), '[]') as subscriptions
    from sized t 
 cross join lateral (
    select d.id, d.folder_key from resources d
     where d.organization_key = t.organization_key and d.resource_key = t.resource_key limit 1
  ) d
  left join lateral (
    select f.id from resources f where f.organization_key = t.organization_key and f.resource_key = d.folder_key limit 1
  ) f on true
   where coalesce(t.bytes_before, 0) < 2097152
   order by t.nth;

-- threads.list-of-documents (server/features/comments/threads/read-statements.ts)
with scanned as materialized (
    select t.* from unnest($2::uuid[]) as document (resource_key)
     cross join lateral (
        select t.* from threads t
         where t.organization_key = $1 and t.resource_key = document.resource_key
           and (t.last_updated, t.annotation_id) <= ($3::timestamptz, $4::text)
           and (t.last_updated, t.annotation_id, t.resource_key) < ($3::timestamptz, $4::text, $5::uuid)
           and ($22::text is null or 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $22::text or $22::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $22::text and (g.standing_role is not null or g.expires_at > coalesce($23::timestamptz, clock_timestamp())) limit 1
                            ) g)))
         order by t.last_updated desc, t.annotation_id desc limit $6
      ) t
     order by t.last_updated desc, t.annotation_id desc, t.resource_key desc limit $6
  ),
  numbered as (
    select t.*, row_number() over (order by last_updated desc, annotation_id desc, resource_key desc) as nth,
           ($8::text[] is null or t.location_id = any($8::text[])) and ($9::text[] is null or t.author_id = any($9::text[]))
           and ($10::text[] is null or t.mentioned_user_ids && $10::text[])
           and ($11::text is null or t.resolved_by = $11::text) and ($12::text[] is null or t.status_id = any($12::text[])) and ($13::text is null or t.status_id = $13::text)
           and ($14::timestamptz is null or t.last_updated > $14::timestamptz) and ($15::timestamptz is null or t.last_updated < $15::timestamptz)
           and ($16::timestamptz is null or t.created_at > $16::timestamptz) and ($17::timestamptz is null or t.created_at < $17::timestamptz)
           and ($18::text is null or t.agent_id = $18::text) and ($19::text is null or t.agent_execution_id = $19::text)
           and ($20::text is null
                or t.agent_id is not null and ($20::text = 'all' or t.suggestion_status = $20::text))
           and ($21::uuid is null or exists (
                  select from resources r where r.organization_key = t.organization_key and r.resource_key = t.resource_key
                                            and r.folder_key = $21::uuid)) as matches
      from scanned t
  ),
  found as (
    select * from numbered where matches or nth = $6 order by nth limit $7
  ),
  sized as (
    select found.*, lead(true) over (order by nth) is not null as has_next,
           sum(case when matches then bytes else 0 end) over (order by nth rows between unbounded preceding and 1 preceding) as bytes_before
      from found
  )
  select t.matches, t.nth = $6 as "isScanEnd", t.has_next as "hasNext", 
  t.annotation_id as "annotationId", t.resource_key as "resourceKey", d.id as "documentId", f.id as "folderId",
  t.created_at as "createdAt", t.last_updated as "lastUpdated", t.content, t.mentioned_user_ids as "mentionedUserIds",
  coalesce((select jsonb_agg(jsonb_build_object('commentId', c.comment_id, 'content', c.content,
                     'createdAt', (extract(epoch from c.created_at) * 1000)::bigint, 'lastUpdated', (extract(epoch from c.last_updated) * 1000)::bigint) order by c.position)
              from thread_comments c
             where c.organization_key = t.organization_key and c.resource_key = t.resource_key
               and c.annotation_id = t.annotation_id), '[]') as comments,
  coalesce((select jsonb_agg(jsonb_build_object('userId', u.user_id, 'state', u.subscription, 'isManual', u.is_manual,
                     'contact', u.contact) order by u.user_id)
              from thread_users u
             where u.organization_key = t.organization_key and u.resource_key = t.resource_key
               and u.annotation_id = t.annotation_id and u.subscription is not null), '[]') as subscriptions
    from sized t 
 cross join lateral (
    select d.id, d.folder_key from resources d
     where d.organization_key = t.organization_key and d.resource_key = t.resource_key limit 1
  ) d
  left join lateral (
    select f.id from resources f where f.organization_key = t.organization_key and f.resource_key = d.folder_key limit 1
  ) f on true
   where coalesce(t.bytes_before, 0) < 2097152
   order by t.nth;

-- threads.list-of-documents asc (server/features/comments/threads/read-statements.ts)
with scanned as materialized (
    select t.* from unnest($2::uuid[]) as document (resource_key)
     cross join lateral (
        select t.* from threads t
         where t.organization_key = $1 and t.resource_key = document.resource_key
           and (t.last_updated, t.annotation_id) >= ($3::timestamptz, $4::text)
           and (t.last_updated, t.annotation_id, t.resource_key) > ($3::timestamptz, $4::text, $5::uuid)
           and ($22::text is null or 
                 (t.access_context is null or t.access_context = '{}')
                 and (t.visibility = 'public' or t.author_id = $22::text or $22::text = any(t.visibility_user_ids)
                      or t.visibility = 'organizationPrivate' and exists (
                           select from unnest(t.visibility_organization_keys) as o (key)
                            cross join lateral (
                               select from grants g where g.organization_key = o.key and g.resource_key = o.key
                                  and g.principal = $22::text and (g.standing_role is not null or g.expires_at > coalesce($23::timestamptz, clock_timestamp())) limit 1
                            ) g)))
         order by t.last_updated asc, t.annotation_id asc limit $6
      ) t
     order by t.last_updated asc, t.annotation_id asc, t.resource_key asc limit $6
  ),
  numbered as (
    select t.*, row_number() over (order by last_updated asc, annotation_id asc, resource_key asc) as nth,
           ($8::text[] is null or t.location_id = any($8::text[])) and ($9::text[] is null or t.author_id = any($9::text[]))
           and ($10::text[] is null or t.mentioned_user_ids && $10::text[])
           and ($11::text is null or t.resolved_by = $11::text) and ($12::text[] is null or t.status_id = any($12::text[])) and ($13::text is null or t.status_id = $13::text)
           and ($14::timestamptz is null or t.last_updated > $14::timestamptz) and ($15::timestamptz is null or t.last_updated < $15::timestamptz)
           and ($16::timestamptz is null or t.created_at > $16::timestamptz) and ($17::timestamptz is null or t.created_at < $17::timestamptz)
           and ($18::text is null or t.agent_id = $18::text) and ($19::text is null or t.agent_execution_id = $19::text)
           and ($20::text is null
                or t.agent_id is not null and ($20::text = 'all' or t.suggestion_status = $20::text))
           and ($21::uuid is null or exists (
                  select from resources r where r.organization_key = t.organization_key and r.resource_key = t.resource_key
                                            and r.folder_key = $21::uuid)) as matches
      from scanned t
  ),
  found as (
    select * from numbered where matches or nth = $6 order by nth limit $7
  ),
  sized as (
    select found.*, lead(true) over (order by nth) is not null as has_next,
           sum(case when matches then bytes else 0 end) over (order by nth rows between unbounded preceding and 1 preceding) as bytes_before
      from found
  )
  select t.matches, t.nth = $6 as "isScanEnd", t.has_next as "hasNext", 
  t.annotation_id as "annotationId", t.resource_key as "resourceKey", d.id as "documentId", f.id as "folderId",
  t.created_at as "createdAt", t.last_updated as "lastUpdated", t.content, t.mentioned_user_ids as "mentionedUserIds",
  coalesce((select jsonb_agg(jsonb_build_object('commentId', c.comment_id, 'content', c.content,
                     'createdAt', (extract(epoch from c.created_at) * 1000)::bigint, 'lastUpdated', (extract(epoch from c.last_updated) * 1000)::bigint) order by c.position)
              from thread_comments c
             where c.organization_key = t.organization_key and c.resource_key = t.resource_key
               and c.annotation_id = t.annotation_id), '[]') as comments,
  coalesce((select jsonb_agg(jsonb_build_object('userId', u.user_id, 'state', u.subscription, 'isManual', u.is_manual,
                     'contact', u.contact) order by u.user_id)
              from thread_users u
             where u.organization_key = t.organization_key and u.resource_key = t.resource_key
               and u.annotation_id = t.annotation_id and u.subscription is not null), '[]') as subscriptions
    from sized t 
 cross join lateral (
    select d.id, d.folder_key from resources d
     where d.organization_key = t.organization_key and d.resource_key = t.resource_key limit 1
  ) d
  left join lateral (
    select f.id from resources f where f.organization_key = t.organization_key and f.resource_key = d.folder_key limit 1
  ) f on true
   where coalesce(t.bytes_before, 0) < 2097152
   order by t.nth;

-- threads.read (server/features/comments/seen/statements.ts)
insert into thread_users as k (organization_key, resource_key, annotation_id, user_id, seen_through)
  select t.organization_key, t.resource_key, t.annotation_id, $4::text, coalesce(c.position, t.last_position)
    from (select distinct id from unnest($3::text[]) as asked (id)) asked
   cross join lateral (
      select t.organization_key, t.resource_key, t.annotation_id, t.last_position from threads t
       where t.organization_key = $1 and t.resource_key = $2::uuid and t.annotation_id = asked.id limit 1
   ) t
    left join lateral (
      select c.position from thread_comments c
       where c.organization_key = $1 and c.resource_key = $2::uuid and c.annotation_id = asked.id and c.comment_id = $5::bigint limit 1
   ) c on true
   where $5::bigint is null or c.position is not null
   order by t.organization_key, t.resource_key, t.annotation_id
  on conflict (organization_key, resource_key, annotation_id, user_id)
  do update set seen_through = greatest(k.seen_through, excluded.seen_through)
  returning annotation_id as "annotationId";

-- threads.read-acted (server/features/comments/acts/statements.ts)
select item.ord, t.document_name as "documentName", t.document_metadata as "documentMetadata", o.name as "organizationName",
         o.metadata as "organizationMetadata", t.annotation_id as "annotationId", t.resource_key as "resourceKey", d.id as "documentId", f.id as "folderId",
  t.created_at as "createdAt", t.last_updated as "lastUpdated", t.content, t.mentioned_user_ids as "mentionedUserIds",
  coalesce((select jsonb_agg(jsonb_build_object('commentId', c.comment_id, 'content', c.content,
                     'createdAt', (extract(epoch from c.created_at) * 1000)::bigint, 'lastUpdated', (extract(epoch from c.last_updated) * 1000)::bigint) order by c.position)
              from (
               select c.*, c.position = min(c.position) over () as is_root,
                      sum(c.bytes) over (order by c.position desc rows between unbounded preceding and 1 preceding) as bytes_after
                 from thread_comments c
                where c.organization_key = t.organization_key and c.resource_key = t.resource_key
                  and c.annotation_id = t.annotation_id
             ) c
             where c.is_root or c.comment_id = item.comment_id or coalesce(c.bytes_after, 0) < 524288), '[]') as comments,
  coalesce((select jsonb_agg(jsonb_build_object('userId', u.user_id, 'state', u.subscription, 'isManual', u.is_manual,
                     'contact', u.contact) order by u.user_id)
              from thread_users u
             where u.organization_key = t.organization_key and u.resource_key = t.resource_key
               and u.annotation_id = t.annotation_id and u.subscription is not null), '[]') as subscriptions
    from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) with ordinality as item(organization_key, document_id, annotation_id, comment_id, ord)
   cross join lateral (
      select t.*, r.name as document_name, r.metadata as document_metadata
        from (
          (select r.resource_key, r.name, r.metadata from resources r
            where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id limit 1)
          union all
          (select r.resource_key, r.name, r.metadata from document_aliases a
             join resources r on r.organization_key = a.organization_key and r.resource_key = a.resource_key
            where a.organization_key = item.organization_key and a.document_id = item.document_id limit 1)
        ) r
       cross join lateral (
          select t.* from threads t
           where t.organization_key = item.organization_key and t.resource_key = r.resource_key
             and t.annotation_id = item.annotation_id limit 1
       ) t
       limit 1
   ) t
   cross join lateral (
      select o.name, o.metadata from organizations o where o.organization_key = item.organization_key limit 1
   ) o cross join lateral (
    select d.id, d.folder_key from resources d
     where d.organization_key = t.organization_key and d.resource_key = t.resource_key limit 1
  ) d
  left join lateral (
    select f.id from resources f where f.organization_key = t.organization_key and f.resource_key = d.folder_key limit 1
  ) f on true;

-- threads.take-users (server/features/comments/people/replace-statements.ts)
with found as materialized (
    select u.ctid as row from unnest($3::text[]) as asked (annotation_id) cross join unnest($4::text[]) as named (user_id)
     cross join lateral (
        select u.ctid from thread_users u
         where u.organization_key = $1 and u.resource_key = $2::uuid and u.annotation_id = asked.annotation_id
           and u.user_id = named.user_id limit 1
      ) u
  )
  delete from thread_users u using found f where u.ctid = f.row
  returning u.annotation_id as "annotationId", u.user_id as "userId", u.subscription, u.is_manual as "isManual", u.contact,
            u.seen_through as "seenThrough";

-- threads.update (server/features/comments/threads/change-statements.ts)
with clock as materialized (select date_trunc('milliseconds', coalesce($14::timestamptz, clock_timestamp())) as now),
  named as materialized (
    select item.*, request.document_id, request.changes, request.created_at, request.last_updated, request.fields, request.users,
           request.actor, request.by_user_id, t.row, t.content, t.bytes,
           (t.content || case when t.content ->> 'type' = 'suggestion' then request.changes else request.changes - 'suggestion' end)
             - json_texts(request.cleared)
             - case when request.changes -> 'status' ->> 'type' <> 'terminal' then array['resolvedByUserId'] else '{}' end as merged
      from unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[]) with ordinality as item(req, organization_key, resource_key, annotation_id, ord)
      join (select ord - 1 as req, shared.* from unnest($5::text[], $6::jsonb[], $7::jsonb[], $8::timestamptz[], $9::timestamptz[], $10::jsonb[], $11::jsonb[], $12::jsonb[], $13::text[]) with ordinality as shared(document_id, changes, cleared, created_at, last_updated, fields, users, actor, by_user_id, ord)) request on request.req = item.req 
     cross join lateral (
        select t.ctid as row, t.content, t.bytes, t.comment_count, t.visibility from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t
  ),
  listed as materialized (
    select n.*, case when n.merged -> 'visibility' ->> 'type' = 'public' or n.merged -> 'visibility' -> 'userIds' ? (n.merged -> 'from' ->> 'userId')
                     then n.merged
                     else jsonb_set(n.merged, '{visibility,userIds}',
                            coalesce(n.merged -> 'visibility' -> 'userIds', '[]') || jsonb_build_array(n.merged -> 'from' ->> 'userId'))
                end as new_content
      from named n
  ),
  changed as materialized (
    select *, content -> 'status' as old_status, new_content -> 'status' as new_status,
           content -> 'priority' as old_priority, new_content -> 'priority' as new_priority,
           content -> 'visibility' as old_visibility, new_content -> 'visibility' as new_visibility,
           content -> 'suggestion' ->> 'status' as old_suggestion, new_content -> 'suggestion' ->> 'status' as new_suggestion,
           content -> 'assignedTo' ->> 'userId' as old_assignee, new_content -> 'assignedTo' ->> 'userId' as new_assignee
      from listed where new_content <> content or created_at is not null or last_updated is not null
  ),
  written as (
    update threads t
       set content = n.new_content, created_at = coalesce(n.created_at, t.created_at),
           last_updated = coalesce(n.last_updated, clock.now),
           bytes = t.bytes + octet_length(n.new_content::text) - octet_length(n.content::text)
      from changed n cross join clock where t.ctid = n.row
  ),
  users_written as (
    insert into thread_users (organization_key, resource_key, annotation_id, user_id)
    select c.organization_key, c.resource_key, c.annotation_id, u.id
      from changed c cross join lateral jsonb_array_elements_text(c.users) as u(id)
     order by c.organization_key, c.resource_key, c.annotation_id, u.id
    on conflict (organization_key, resource_key, annotation_id, user_id) do nothing
  ),
  event as (
    select c.organization_key, c.ord * 10 + e.nth as position, e.type, 'document'::resource_kind as resource_kind,
           c.document_id as resource_id, coalesce(c.by_user_id, case e.nth when 1 then c.changes ->> 'statusUpdatedByUserId' end) as user_id, c.actor,
           case when e.before is not null then jsonb_build_object('annotationId', c.annotation_id) || e.before end as before,
           jsonb_build_object('annotationId', c.annotation_id) || e.after as after
      from changed c
     cross join lateral (values
        (1, 'thread.status_changed', c.old_status -> 'id' is distinct from c.new_status -> 'id', jsonb_build_object('statusId', c.old_status -> 'id', 'statusName', c.old_status -> 'name', 'statusType', c.old_status -> 'type'),
         jsonb_build_object('statusId', c.new_status -> 'id', 'statusName', c.new_status -> 'name', 'statusType', c.new_status -> 'type')),
        (2, 'thread.assigned', c.old_assignee is distinct from c.new_assignee,
         jsonb_build_object('assigned', c.old_assignee is not null), jsonb_build_object('assigned', c.new_assignee is not null)),
        (3, 'thread.priority_changed', c.old_priority -> 'id' is distinct from c.new_priority -> 'id', jsonb_build_object('priorityId', c.old_priority -> 'id', 'priorityName', c.old_priority -> 'name'),
         jsonb_build_object('priorityId', c.new_priority -> 'id', 'priorityName', c.new_priority -> 'name')),
        (4, 'thread.visibility_changed', c.old_visibility <> c.new_visibility,
         jsonb_build_object('visibility', c.old_visibility -> 'type'), jsonb_build_object('visibility', c.new_visibility -> 'type')),
        (5, 'thread.suggestion_' || c.new_suggestion,
         c.new_suggestion in ('accepted', 'rejected') and c.new_suggestion is distinct from c.old_suggestion, null, '{}'),
        (6, 'thread.updated', c.fields <> '[]', null, jsonb_build_object('fields', c.fields))
      ) as e(nth, type, happened, before, after)
     where e.happened
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select null where false;

-- threads.write-renamed (server/features/comments/people/replace-statements.ts)
with clock as materialized (select date_trunc('milliseconds', coalesce($11::timestamptz, clock_timestamp())) as now),
  named as materialized (
    select item.*, t.row, case when t.row is not null then 'ok' end as outcome
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::jsonb[], $7::jsonb[], $8::jsonb[], $9::int[], $10::jsonb[]) with ordinality as item(organization_key, resource_key, document_id, annotation_id, content, comments, users, mentioned, bytes, actor, ord)
      left join lateral (
        select t.ctid as row from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t on true
  ),
  thread as materialized (select * from named where outcome = 'ok'),
  comment as materialized (
    select c.row, n.value -> 'content' as content, (n.value ->> 'bytes')::int as bytes
      from thread t cross join lateral jsonb_array_elements(t.comments) as n(value)
     cross join lateral (
        select c.ctid as row from thread_comments c
         where c.organization_key = t.organization_key and c.resource_key = t.resource_key
           and c.annotation_id = t.annotation_id and c.comment_id = (n.value ->> 'commentId')::bigint limit 1
      ) c
  ),
  written as (
    update threads t
       set content = n.content, mentioned_user_ids = json_texts(n.mentioned), bytes = n.bytes, last_updated = clock.now
      from thread n cross join clock where t.ctid = n.row
  ),
  comments_written as (
    update thread_comments c set content = n.content, bytes = n.bytes from comment n where c.ctid = n.row
  ),
  users_written as (
    insert into thread_users (organization_key, resource_key, annotation_id, user_id, subscription, is_manual, contact, seen_through)
    select t.organization_key, t.resource_key, t.annotation_id, u.value ->> 'userId', u.value ->> 'subscription',
           (u.value ->> 'isManual')::boolean, nullif(u.value -> 'contact', 'null'), (u.value ->> 'seenThrough')::int
      from thread t cross join lateral jsonb_array_elements(t.users) as u(value)
     order by t.organization_key, t.resource_key, t.annotation_id, u.value ->> 'userId'
  ),
  event as (
    select organization_key, ord as position, 'thread.updated' as type, 'document'::resource_kind as resource_kind,
           document_id as resource_id, null::text as user_id, actor, null::jsonb as before,
           jsonb_build_object('annotationId', annotation_id, 'fields', '["users"]'::jsonb) as after
      from thread
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select null where false;

-- transactions.name (server/tenancy/writes/steps.ts)
select set_config('application_name', $1, true);

-- user-access-revocations.claim (server/features/user-access/revocation-statements.ts)
with clock as materialized (select clock_timestamp() as now),
  due as (
    select ctid as row from user_access_revocations
     where true and finished_at is null and due_at <= (select now from clock)
     order by due_at limit $1::int for update skip locked
  )
  update user_access_revocations t set due_at = clock.now + interval '2 seconds', claimed_at = clock.now, claims = t.claims + 1
    from due cross join clock where t.ctid = due.row
  returning t.api_key_id as "apiKeyId", t.job_id as "jobId", t.claims;

-- user-access-revocations.count (server/features/user-access/revocation-statements.ts)
with clock as materialized (select clock_timestamp() as now)
  select count(*) filter (where due_at <= now)::int as ready,
         count(*) filter (where due_at > now and claimed_at is null)::int as deferred,
         count(*) filter (where due_at > now and claimed_at is not null)::int as active
    from (select due_at, claimed_at from user_access_revocations
           where true and finished_at is null order by due_at limit 10000) unfinished
   cross join clock;

-- user-access-revocations.extend (server/features/user-access/revocation-statements.ts)
update user_access_revocations set due_at = clock_timestamp() + interval '2 seconds' where api_key_id = $1 and job_id = $2;

-- user-access-revocations.get (server/features/user-access/revocation-statements.ts)
select tasks_count as "tasksCount", tasks_done as "tasksDone", created_at as "createdAt",
         last_task_completed_at as "lastTaskCompletedAt", finished_at as "finishedAt",
         removed_grants as grants, removed_temporary_grants as "temporaryGrants", removed_user_groups as "userGroups"
    from user_access_revocations where api_key_id = $1 and job_id = $2::uuid;

-- user-access-revocations.pass (server/features/user-access/revocation-statements.ts)
update user_access_revocations
     set passed_organization_id = $3, tasks_done = tasks_done + $4::int, last_task_completed_at = clock_timestamp(),
         due_at = clock_timestamp() + interval '2 seconds'
   where api_key_id = $1 and job_id = $2;

-- user-access-revocations.release (server/features/user-access/revocation-statements.ts)
update user_access_revocations set due_at = clock_timestamp() + make_interval(secs => $4::float8), claimed_at = null
   where api_key_id = $1 and job_id = $2
     and claims = $3::int;

-- user-access-revocations.renew-claim (server/features/user-access/revocation-statements.ts)
update user_access_revocations t set due_at = clock_timestamp() + interval '2 seconds'
    from (select ctid from user_access_revocations where api_key_id = $1 and job_id = $2
     and claims = $3::int for update skip locked) mine
   where t.ctid = mine.ctid and t.claimed_at is not null and t.finished_at is null;

-- user-access.add-revocation (server/features/user-access/revocation-statements.ts)
insert into user_access_revocations (api_key_id, job_id, user_ids, actor, tasks_count)
  values ($1, gen_random_uuid(), $2, $3::jsonb, $4)
  returning job_id as "jobId";

-- user-access.count-held (server/features/user-access/preview-statements.ts)
select item.organization_key as "organizationKey", item.organization_id as "organizationId", item.user_id as "userId",
         held.resources, held.grants, held.temporary as "temporaryGrants", grouped.user_groups as "userGroups"
    from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as item(organization_key, organization_id, user_id, ord)
   cross join lateral (
      select count(*)::int as resources, (count(g.standing_role) + count(g.temporary_role))::int as grants,
             count(g.temporary_role)::int as temporary
        from (select g.standing_role, g.temporary_role from grants g
               where g.organization_key = item.organization_key and g.principal = item.user_id
               limit 10000) g
   ) held
   cross join lateral (
      select count(*)::int as user_groups
        from (select from user_group_members m
               where m.organization_key = item.organization_key and m.user_id = item.user_id
               limit 10000) m
   ) grouped
   where held.resources > 0 or grouped.user_groups > 0
   order by item.ord;

-- user-access.count-removed (server/features/user-access/revocation-statements.ts)
update user_access_revocations
     set removed_grants = removed_grants + $3::int, removed_temporary_grants = removed_temporary_grants + $4::int,
         removed_user_groups = removed_user_groups + $5::int
   where api_key_id = $1 and job_id = $2;

-- user-access.find-disabled (server/features/user-access/preview-statements.ts)
select d.user_id as "userId" from unnest($1::text[], $2::text[]) with ordinality as item(api_key_id, user_id, ord)
   cross join lateral (
      select d.user_id from disabled_users d where d.api_key_id = item.api_key_id and d.user_id = item.user_id limit 1
   ) d;

-- user-access.find-held (server/features/user-access/revocation-statements.ts)
with organization as materialized (
    select organization_key, organization_id from organizations
     where api_key_id = $1 and organization_id > $2 and true
     order by organization_id limit $4::int
  )
  select o.organization_key as "organizationKey", o.organization_id as "organizationId", known."userIds", known.rows
    from organization o cross join lateral (
      select coalesce(array_agg(held.user_id) filter (where held.rows > 0), '{}') as "userIds", sum(held.rows)::int as rows
        from (select asked.user_id,
                     (select count(*) from (select from grants t
                                where t.organization_key = o.organization_key
                                  and t.principal = asked.user_id limit 2000) in_grants)
                   + (select count(*) from (select from user_group_members t
                                where t.organization_key = o.organization_key
                                  and t.user_id = asked.user_id limit 2000) in_user_group_members) as rows
                from unnest($3::text[]) as asked (user_id)) held
    ) known
   order by o.organization_id;

-- user-access.finish-revocation (server/features/user-access/revocation-statements.ts)
update user_access_revocations
     set tasks_done = tasks_count, last_task_completed_at = clock_timestamp(), finished_at = clock_timestamp(),
         user_ids = '{}', passed_organization_id = ''
   where api_key_id = $1 and job_id = $2;

-- user-access.first-grants (server/features/user-access/preview-statements.ts)
select item.organization_id as "organizationId", item.user_id as "userId", held.type, held.id, held.role as "accessRole",
         held.expires_at as "expiresAt"
    from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as item(organization_key, organization_id, user_id, ord)
   cross join lateral (
      select g.kind as type, g.resource_key, r.id, each_grant.is_temporary, each_grant.role, each_grant.expires_at
        from grants g
       cross join lateral (
          select r.id from resources r where r.organization_key = g.organization_key and r.resource_key = g.resource_key limit 1
       ) r
 cross join lateral (
    select * from (values (false, g.standing_role, null::timestamptz), (true, g.temporary_role, g.expires_at))
                     as each_grant(is_temporary, role, expires_at)
     where role is not null
  ) each_grant
       where g.organization_key = item.organization_key and g.principal = item.user_id
       order by g.kind, g.resource_key, each_grant.is_temporary limit 10
   ) held
   order by item.ord, held.type, held.resource_key, held.is_temporary;

-- user-access.first-user-groups (server/features/user-access/preview-statements.ts)
select item.organization_id as "organizationId", item.user_id as "userId", joined.group_id as "groupId", joined.name as "groupName"
    from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as item(organization_key, organization_id, user_id, ord)
   cross join lateral (
      select m.group_id, t.name
        from user_group_members m
       cross join lateral (
          select t.name from user_groups t where t.organization_key = m.organization_key and t.group_id = m.group_id limit 1
       ) t
       where m.organization_key = item.organization_key and m.user_id = item.user_id
       order by m.group_id limit 10
   ) joined
   order by item.ord, joined.group_id;

-- user-access.leave-user-groups (server/features/user-access/removal-statements.ts)
with page as materialized (
    select m.*, item.actor, row_number() over (order by item.ord, m.group_id) as ord
      from unnest($1::uuid[], $2::text[], $3::jsonb[]) with ordinality as item(organization_key, user_id, actor, ord)
     cross join lateral (
        select m.organization_key, m.group_id, m.user_id from user_group_members m
         where m.organization_key = item.organization_key and m.user_id = item.user_id
         order by m.group_id limit 2000
     ) m
     order by ord limit 2000
  ),
  deleted as (
    delete from user_group_members m using page p
     where m.organization_key = p.organization_key and m.group_id = p.group_id and m.user_id = p.user_id
  ),
  event as (
    select organization_key, ord as position, 'user_group.user_removed' as type, null::resource_kind as resource_kind,
           group_id as resource_id, user_id, actor, '{}'::jsonb as before, null::jsonb as after
      from page
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select count(*)::int as "userGroups" from page;

-- user-access.list-organizations (server/features/user-access/preview-statements.ts)
select o.organization_key as "organizationKey", o.organization_id as "organizationId", open.is_public is not null as "isPublic"
    from (select organization_key, organization_id from organizations
           where api_key_id = $1 and organization_id > $2 order by organization_id limit $3::int) o
    left join lateral (
      select true as is_public from resources r
       where r.organization_key = o.organization_key and r.own_access_type = 'public' limit 1
    ) open on true
   order by o.organization_id;

-- user-access.lock-revocation (server/features/user-access/revocation-statements.ts)
select user_ids as "userIds", passed_organization_id as "passedOrganizationId", actor
    from user_access_revocations
   where api_key_id = $1 and job_id = $2 and finished_at is null for update;

-- user-access.revoke-grants (server/features/user-access/removal-statements.ts)
with clock as materialized (select coalesce($4::timestamptz, clock_timestamp()) as now),
  page as materialized (
    select g.*, item.actor, row_number() over (order by item.ord, g.kind, g.resource_key) as ord
      from unnest($1::uuid[], $2::text[], $3::jsonb[]) with ordinality as item(organization_key, user_id, actor, ord)
     cross join lateral (
        select g.organization_key, g.resource_key, g.principal, g.kind, g.standing_role, g.temporary_role, g.expires_at, g.expiry_event_at
          from grants g
         where g.organization_key = item.organization_key and g.principal = item.user_id
         order by g.kind, g.resource_key limit 2000
     ) g
     order by ord limit 2000
  ),
  deleted as (
    delete from grants g using page p
     where g.organization_key = p.organization_key and g.resource_key = p.resource_key and g.principal = p.principal
  ),
  removed as materialized (
    select p.*, r.id as resource_id, p.expires_at <= (select now from clock) and p.expiry_event_at is null as expiry_unreported
      from page p
     cross join lateral (
        select r.id from resources r where r.organization_key = p.organization_key and r.resource_key = p.resource_key limit 1
     ) r
  ),
  event as (
    select organization_key, 1 + 3 * ord as position, 'permission.removed' as type, kind as resource_kind, resource_id, case when not starts_with(principal, chr(1)) then principal end as user_id, actor,
           case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', standing_role, 'expiresAt', null)
                else jsonb_build_object('accessRole', standing_role, 'expiresAt', null) end as before, null::jsonb as after
      from removed where standing_role is not null
    union all
    select organization_key, 2 + 3 * ord, 'permission.removed', kind, resource_id, case when not starts_with(principal, chr(1)) then principal end, actor,
           case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint)
                else jsonb_build_object('accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint) end, null
      from removed where temporary_role is not null
    union all
    select organization_key, 3 * ord as position, 'permission.expired' as type, kind as resource_kind, resource_id, case when not starts_with(principal, chr(1)) then principal end as user_id,
           '{"system": "expiry"}'::jsonb as actor,
           case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint)
                else jsonb_build_object('accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint) end as before,
           null::jsonb as after
      from removed where expiry_unreported
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select count(*)::int as rows, (count(standing_role) + count(temporary_role))::int as grants,
         count(temporary_role)::int as "temporaryGrants"
    from removed;

-- user-data-deletions.claim (server/features/user-data/deletion-statements.ts)
with clock as materialized (select clock_timestamp() as now),
  due as (
    select ctid as row from user_data_deletions
     where true and finished_at is null and due_at <= (select now from clock)
     order by due_at limit $1::int for update skip locked
  )
  update user_data_deletions t set due_at = clock.now + interval '2 seconds', claimed_at = clock.now, claims = t.claims + 1
    from due cross join clock where t.ctid = due.row
  returning t.api_key_id as "apiKeyId", t.job_id as "jobId", t.claims;

-- user-data-deletions.count (server/features/user-data/deletion-statements.ts)
with clock as materialized (select clock_timestamp() as now)
  select count(*) filter (where due_at <= now)::int as ready,
         count(*) filter (where due_at > now and claimed_at is null)::int as deferred,
         count(*) filter (where due_at > now and claimed_at is not null)::int as active
    from (select due_at, claimed_at from user_data_deletions
           where true and finished_at is null order by due_at limit 10000) unfinished
   cross join clock;

-- user-data-deletions.extend (server/features/user-data/deletion-statements.ts)
update user_data_deletions set due_at = clock_timestamp() + interval '2 seconds' where api_key_id = $1 and job_id = $2;

-- user-data-deletions.get (server/features/user-data/deletion-statements.ts)
select tasks_count as "tasksCount", tasks_done as "tasksDone", created_at as "createdAt",
         last_task_completed_at as "lastTaskCompletedAt", finished_at as "finishedAt"
    from user_data_deletions where api_key_id = $1 and job_id = $2::uuid;

-- user-data-deletions.pass (server/features/user-data/deletion-statements.ts)
update user_data_deletions
     set passed_organization_id = $3, tasks_done = tasks_done + $4::int, last_task_completed_at = clock_timestamp(),
         due_at = clock_timestamp() + interval '2 seconds'
   where api_key_id = $1 and job_id = $2;

-- user-data-deletions.release (server/features/user-data/deletion-statements.ts)
update user_data_deletions set due_at = clock_timestamp() + make_interval(secs => $4::float8), claimed_at = null
   where api_key_id = $1 and job_id = $2
     and claims = $3::int;

-- user-data-deletions.renew-claim (server/features/user-data/deletion-statements.ts)
update user_data_deletions t set due_at = clock_timestamp() + interval '2 seconds'
    from (select ctid from user_data_deletions where api_key_id = $1 and job_id = $2
     and claims = $3::int for update skip locked) mine
   where t.ctid = mine.ctid and t.claimed_at is not null and t.finished_at is null;

-- user-data.add-deletion (server/features/user-data/deletion-statements.ts)
insert into user_data_deletions (api_key_id, job_id, user_ids, organization_ids, actor, tasks_count, salt)
  values ($1, gen_random_uuid(), $2, $3, $4::jsonb, $5, gen_random_uuid())
  returning job_id as "jobId";

-- user-data.begin-pass (server/features/user-data/deletion-statements.ts)
update user_data_deletions
     set is_settled = is_settled or passed_organization_id = '' and pg_snapshot_xmin(pg_current_snapshot()) >= waits_for
   where api_key_id = $1 and job_id = $2 and finished_at is null
  returning is_settled or passed_organization_id <> '' as "isSettled", last_task_completed_at is null as "isFirst";

-- user-data.comments (server/features/user-data/reading-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select c.resource_key as "resourceKey", d.id as "documentId", c.annotation_id as "annotationId", c.comment_id::text as "commentId",
         c.created_at as "createdAt", c.last_updated as "lastUpdated", c.content
    from (select * from thread_comments
           where organization_key = $1 and author_id = $2
             and (resource_key, annotation_id, comment_id) > ($3::uuid, $4, $5::bigint)
           order by resource_key, annotation_id, comment_id limit $6::int) c
   cross join lateral (
      select d.id from resources d where d.organization_key = $1 and d.resource_key = c.resource_key limit 1
    ) d
   order by c.resource_key, c.annotation_id, c.comment_id) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- user-data.delete-mails (server/features/user-data/erasure-statements.ts)
with found as materialized (
    select m.ctid from unnest($2::text[]) as asked (user_id)
     cross join lateral (
        select m.ctid from mails m
         where m.api_key_id = $1 and m.user_id = asked.user_id and ($3::uuid[] is null or m.stream = any($3::uuid[]))
         offset 0 for update
     ) m
  )
  delete from mails m using found where m.ctid = found.ctid;

-- user-data.delete-profiles (server/features/user-data/erasure-statements.ts)
with held as materialized (
    select u.api_key_id, u.user_id from users u
     where (u.api_key_id, u.user_id) in (select api_key_id, user_id from unnest($1::text[], $2::text[]) with ordinality as item(api_key_id, user_id, ord))
     order by u.api_key_id, u.user_id for update
  )
  delete from users u using held where u.api_key_id = held.api_key_id and u.user_id = held.user_id
  returning u.user_id as "userId";

-- user-data.erase-activities (server/features/user-data/erasure-statements.ts)
with item as materialized (select * from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as item(organization_key, user_id, pseudonym, ord)),
  page as materialized (
    select a.row, item.pseudonym from item
     cross join lateral (select ctid as row from activities a
                          where a.organization_key = item.organization_key and a.actor_id = item.user_id limit 2000) a
     limit 2000
  ),
  erased as (
    update activities a
       set actor_id = page.pseudonym, content = jsonb_build_object('actionUser', jsonb_build_object('userId', page.pseudonym))
      from page where a.ctid = page.row
    returning 1
  )
  select count(*)::int as erased from erased;

-- user-data.erase-events (server/features/user-data/erasure-statements.ts)
with item as materialized (select * from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as item(stream, user_id, pseudonym, ord)),
  page as materialized (
    select e.stream, e.sequence, item.pseudonym from item
     cross join lateral (select stream, sequence from events e where e.stream = item.stream and e.user_id = item.user_id
                          order by sequence limit 2000) e
     limit 2000
  ),
  erased as (
    update events e
       set user_id = page.pseudonym,
           before = case when (e.type like 'permission.%' or e.type = 'user.removed') or e.before is null then e.before else '{}' end,
           after = case when (e.type like 'permission.%' or e.type = 'user.removed') or e.after is null then e.after else '{}' end
      from page where e.stream = page.stream and e.sequence = page.sequence
    returning 1
  )
  select count(*)::int as erased from erased;

-- user-data.erase-threads (server/features/comments/people/statements.ts)
with named as materialized (
    select item.*, t.row, t.visibility, case when t.row is not null then 'ok' end as outcome
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::jsonb[], $7::jsonb[], $8::jsonb[], $9::jsonb[], $10::int[], $11::int[], $12::int[], $13::text[], $14::text[], $15::jsonb[]) with ordinality as item(organization_key, resource_key, annotation_id, document_id, content, comments, deleted, users, mentioned, last_position, comment_count, bytes, pseudonym, job_id, actor, ord)
      left join lateral (
        select t.ctid as row, t.visibility from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t on true
  ),
  thread as materialized (select * from named where outcome = 'ok'),
  changed_comment as materialized (
    select c.row, n.value -> 'content' as content, (n.value ->> 'bytes')::int as bytes
      from thread t cross join lateral jsonb_array_elements(t.comments) as n(value)
     cross join lateral (
        select c.ctid as row from thread_comments c
         where c.organization_key = t.organization_key and c.resource_key = t.resource_key
           and c.annotation_id = t.annotation_id and c.comment_id = (n.value ->> 'commentId')::bigint limit 1
      ) c
  ),
  deleted_comment as materialized (
    select t.ord, c.* from thread t cross join lateral jsonb_array_elements_text(t.deleted) as n(id)
     cross join lateral (
        select c.ctid as comment_row, c.comment_id from thread_comments c
         where c.organization_key = t.organization_key and c.resource_key = t.resource_key
           and c.annotation_id = t.annotation_id and c.comment_id = n.id::bigint limit 1
      ) c
  ),
  forgotten_user as materialized (
    select u.row from thread t cross join lateral jsonb_array_elements_text(t.users) as n(id)
     cross join lateral (
        select u.ctid as row from thread_users u
         where u.organization_key = t.organization_key and u.resource_key = t.resource_key
           and u.annotation_id = t.annotation_id and u.user_id = n.id limit 1
      ) u
  ),
  users_deleted as (delete from thread_users u using forgotten_user f where u.ctid = f.row),
  comments_deleted as (delete from thread_comments c using deleted_comment d where c.ctid = d.comment_row),
  comments_changed as (
    update thread_comments c set content = n.content, bytes = n.bytes from changed_comment n where c.ctid = n.row
  ),
  deleted_threads as (delete from threads t using thread n where t.ctid = n.row and n.content is null),
  changed_threads as (
    update threads t
       set content = n.content, mentioned_user_ids = json_texts(n.mentioned), last_position = n.last_position,
           comment_count = n.comment_count, bytes = n.bytes
      from thread n where t.ctid = n.row and n.content is not null
  ),
  event as (
    select organization_key, ord * 10000 as position,
           case when content is null then 'thread.deleted' else 'thread.updated' end as type,
           'document'::resource_kind as resource_kind, document_id as resource_id, pseudonym as user_id, actor,
           case when content is null
                then jsonb_build_object('annotationId', annotation_id, 'visibility', visibility, 'comments', jsonb_array_length(deleted)) end as before,
           case when content is null then jsonb_build_object('jobId', job_id)
                else jsonb_build_object('annotationId', annotation_id, 'fields', '["users"]'::jsonb, 'jobId', job_id) end as after
      from thread
    union all
    select t.organization_key, t.ord * 10000 + row_number() over (partition by t.ord order by d.comment_id), 'comment.deleted',
           'document', t.document_id, t.pseudonym, t.actor,
           jsonb_build_object('annotationId', t.annotation_id, 'commentId', d.comment_id), jsonb_build_object('jobId', t.job_id)
      from thread t join deleted_comment d on d.ord = t.ord where t.content is not null
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select null where false;

-- user-data.events (server/features/user-data/reading-statements.ts)
select sequence::text, type, changed_at as "changedAt", organization_id as "organizationId",
         resource_kind as "resourceType", resource_id as "resourceId", before, after
    from events e where stream = $1 and user_id = $2 and sequence > $3::bigint
   order by e.sequence limit $4::int;

-- user-data.find-accepted-addresses (server/features/user-data/erasure-statements.ts)
select distinct item.organization_key as "organizationKey", item.user_id as "userId", i.address
    from unnest($1::uuid[], $2::text[]) with ordinality as item(organization_key, user_id, ord)
   cross join lateral (
      select i.address from invitations i
       where i.organization_key = item.organization_key and i.invitee = item.user_id offset 0
   ) i;

-- user-data.find-addresses (server/features/user-data/erasure-statements.ts)
select u.profile->>'email' as email from users u
   where u.api_key_id = $1 and u.user_id = any($2::text[]) and u.profile ? 'email';

-- user-data.find-knowing (server/features/user-data/erasure-statements.ts)
with organization as materialized (
    select organization_key, organization_id from organizations
     where api_key_id = $1 and organization_id > $2 and true
     order by organization_id limit $4::int
  )
  select o.organization_key as "organizationKey", o.organization_id as "organizationId", known."userIds", known.rows
    from organization o cross join lateral (
      select coalesce(array_agg(held.user_id) filter (where held.rows > 0), '{}') as "userIds", sum(held.rows)::int as rows
        from (select asked.user_id,
                     (select count(*) from (select from user_group_members t
                                where t.organization_key = o.organization_key
                                  and t.user_id = asked.user_id limit 2000) in_user_group_members)
                   + (select count(*) from (select from invitations t
                                where t.organization_key = o.organization_key
                                  and t.invitee = asked.user_id limit 2000) in_invitations)
                   + (select count(*) from (select from invitations t
                                where t.organization_key = o.organization_key
                                  and t.inviter = asked.user_id limit 2000) in_invitations)
                   + (select count(*) from (select from grants t
                                where t.organization_key = o.organization_key
                                  and t.principal = asked.user_id limit 2000) in_grants)
                   + (select count(*) from (select from notification_recipients t
                                where t.organization_key = o.organization_key
                                  and t.user_id = asked.user_id limit 2000) in_notification_recipients)
                   + (select count(*) from (select from notifications t
                                where t.organization_key = o.organization_key
                                  and t.actor_id = asked.user_id limit 2000) in_notifications)
                   + (select count(*) from (select from comment_mail_items t
                                where t.organization_key = o.organization_key
                                  and t.user_id = asked.user_id limit 2000) in_comment_mail_items)
                   + (select count(*) from (select from thread_users t
                                where t.organization_key = o.organization_key
                                  and t.user_id = asked.user_id limit 2000) in_thread_users)
                   + (select count(*) from (select from notification_preferences t
                                where t.organization_key = o.organization_key
                                  and t.user_id = asked.user_id limit 2000) in_notification_preferences)
                   + (select count(*) from (select from activities t
                                where t.organization_key = o.organization_key
                                  and t.actor_id = asked.user_id limit 2000) in_activities)
                   + (select count(*) from (select from events t
                                where t.stream = o.organization_key
                                  and t.user_id = asked.user_id limit 2000) in_events) as rows
                from unnest($3::text[]) as asked (user_id)) held
    ) known
   order by o.organization_id;

-- user-data.find-named (server/features/user-data/deletion-statements.ts)
select o.organization_id as "organizationId" from unnest($1::uuid[]) with ordinality as item(organization_key, ord)
    join organizations o on o.organization_key = item.organization_key and o.added_at is not null;

-- user-data.find-named-knowing (server/features/user-data/erasure-statements.ts)
with organization as materialized (
    select organization_key, organization_id from organizations
     where api_key_id = $1 and organization_id > $2 and organization_id = any($5::text[])
     order by organization_id limit $4::int
  )
  select o.organization_key as "organizationKey", o.organization_id as "organizationId", known."userIds", known.rows
    from organization o cross join lateral (
      select coalesce(array_agg(held.user_id) filter (where held.rows > 0), '{}') as "userIds", sum(held.rows)::int as rows
        from (select asked.user_id,
                     (select count(*) from (select from user_group_members t
                                where t.organization_key = o.organization_key
                                  and t.user_id = asked.user_id limit 2000) in_user_group_members)
                   + (select count(*) from (select from invitations t
                                where t.organization_key = o.organization_key
                                  and t.invitee = asked.user_id limit 2000) in_invitations)
                   + (select count(*) from (select from invitations t
                                where t.organization_key = o.organization_key
                                  and t.inviter = asked.user_id limit 2000) in_invitations)
                   + (select count(*) from (select from grants t
                                where t.organization_key = o.organization_key
                                  and t.principal = asked.user_id limit 2000) in_grants)
                   + (select count(*) from (select from notification_recipients t
                                where t.organization_key = o.organization_key
                                  and t.user_id = asked.user_id limit 2000) in_notification_recipients)
                   + (select count(*) from (select from notifications t
                                where t.organization_key = o.organization_key
                                  and t.actor_id = asked.user_id limit 2000) in_notifications)
                   + (select count(*) from (select from comment_mail_items t
                                where t.organization_key = o.organization_key
                                  and t.user_id = asked.user_id limit 2000) in_comment_mail_items)
                   + (select count(*) from (select from thread_users t
                                where t.organization_key = o.organization_key
                                  and t.user_id = asked.user_id limit 2000) in_thread_users)
                   + (select count(*) from (select from notification_preferences t
                                where t.organization_key = o.organization_key
                                  and t.user_id = asked.user_id limit 2000) in_notification_preferences)
                   + (select count(*) from (select from activities t
                                where t.organization_key = o.organization_key
                                  and t.actor_id = asked.user_id limit 2000) in_activities)
                   + (select count(*) from (select from events t
                                where t.stream = o.organization_key
                                  and t.user_id = asked.user_id limit 2000) in_events) as rows
                from unnest($3::text[]) as asked (user_id)) held
    ) known
   order by o.organization_id;

-- user-data.finish-deletion (server/features/user-data/deletion-statements.ts)
update user_data_deletions
     set tasks_done = tasks_count, last_task_completed_at = clock_timestamp(), finished_at = clock_timestamp(),
         user_ids = '{}', organization_ids = null, salt = null, passed_organization_id = ''
   where api_key_id = $1 and job_id = $2;

-- user-data.forget-inviters (server/features/user-data/erasure-statements.ts)
with item as materialized (select * from unnest($1::uuid[], $2::text[]) with ordinality as item(organization_key, user_id, ord)),
  forgotten as (
    update invitations i set inviter = null, invited_by = null
      from (select sent.row from item
             cross join lateral (
               select i.ctid as row from invitations i
                where i.organization_key = item.organization_key and i.inviter = item.user_id offset 0
             ) sent) found
     where i.ctid = found.row
  )
  select null where false;

-- user-data.grants (server/features/user-data/reading-statements.ts)
select g.kind as type, g.resource_key as "resourceKey", r.id, each_grant.is_temporary as "isTemporary",
         each_grant.role as "accessRole", each_grant.expires_at as "expiresAt"
    from grants g join resources r on r.organization_key = g.organization_key and r.resource_key = g.resource_key
 cross join lateral (
    select * from (values (false, g.standing_role, null::timestamptz), (true, g.temporary_role, g.expires_at))
                     as each_grant(is_temporary, role, expires_at)
     where role is not null
  ) each_grant
   where g.organization_key = $1 and g.principal = $2 and (g.kind, g.resource_key) >= ($3::resource_kind, $4::uuid)
     and (g.kind, g.resource_key, each_grant.is_temporary) > ($3::resource_kind, $4::uuid, $6::boolean)
   order by g.kind, g.resource_key, each_grant.is_temporary limit $5::int;

-- user-data.invitations (server/features/user-data/reading-statements.ts)
select 
         i.invitation_id as "invitationId", i.kind, r.id as "resourceId", i.invitee, i.email, i.status,
         i.access_role as "accessRole", i.organization_name as "organizationName", i.folder_name as "folderName",
         i.document_name as "documentName", i.invited_by as "invitedBy", i.created_at as "createdAt",
         i.updated_at as "updatedAt"
    from (select * from invitations
           where organization_key = $1 and invitee = any(array[$2, $3]::text[]) and invitation_id > $4::uuid
           order by invitation_id limit $5::int) i
   cross join lateral (
      select r.id from resources r where r.organization_key = i.organization_key and r.resource_key = i.resource_key limit 1
    ) r
   order by i.invitation_id;

-- user-data.lock-deletion (server/features/user-data/deletion-statements.ts)
select d.user_ids as "userIds", d.organization_ids as "organizationIds", d.passed_organization_id as "passedOrganizationId",
         d.is_settled as "isSettled", d.salt, d.actor, k.workspace_id as "workspaceId"
    from user_data_deletions d join api_keys k on k.api_key_id = d.api_key_id
   where d.api_key_id = $1 and d.job_id = $2 and d.finished_at is null for update of d;

-- user-data.notifications (server/features/user-data/reading-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.content is null then 0
                  when pg_column_compression(p.content) is null and pg_column_size(p.content) < 500
                    then pg_column_size(p.content)
                  else octet_length(p.content::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select n.notification_id as id, d.id as "documentId", n.notification_source as "notificationSource",
         floor(extract(epoch from n.notified_at) * 1000)::float8 as timestamp, n.target_annotation_id as "targetAnnotationId",
         r.is_named as "isNamed", floor(extract(epoch from r.read_at) * 1000)::float8 as "readAt", n.content
    from (select * from notification_recipients
           where organization_key = $1 and user_id = $2 and notification_id > $3
           order by notification_id limit $4::int) r
   cross join lateral (
      select * from notifications n where n.organization_key = $1 and n.notification_id = r.notification_id limit 1
    ) n
   cross join lateral (
      select d.id from resources d where d.organization_key = $1 and d.resource_key = n.resource_key limit 1
    ) d
   order by n.notification_id) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- user-data.profile (server/features/user-data/reading-statements.ts)
select (select profile from users where api_key_id = $1 and user_id = $2) as profile, exists (select from disabled_users d where d.api_key_id = $1 and d.user_id = $2) as disabled;

-- user-data.remove-users (server/features/user-data/erasure-statements.ts)
with item as materialized (select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::jsonb[]) with ordinality as item(organization_key, user_id, pseudonym, job_id, actor, ord)),
  deleted_user_group_members as (
    delete from user_group_members t
     using item cross join lateral (
        select h.ctid as row from user_group_members h
         where h.organization_key = item.organization_key and h.user_id = item.user_id offset 0
     ) held
     where t.ctid = held.row
    returning t.organization_key, item.user_id
  ),
  deleted_invitations as (
    delete from invitations t
     using item cross join lateral (
        select h.ctid as row from invitations h
         where h.organization_key = item.organization_key and h.invitee = item.user_id offset 0
     ) held
     where t.ctid = held.row
    returning t.organization_key, item.user_id
  ),
  deleted_grants as (
    delete from grants t
     using item cross join lateral (
        select h.ctid as row from grants h
         where h.organization_key = item.organization_key and h.principal = item.user_id offset 0
     ) held
     where t.ctid = held.row
    returning t.organization_key, item.user_id
  ),
  deleted_notification_recipients as (
    delete from notification_recipients t
     using item cross join lateral (
        select h.ctid as row from notification_recipients h
         where h.organization_key = item.organization_key and h.user_id = item.user_id offset 0
     ) held
     where t.ctid = held.row
    returning t.organization_key, item.user_id
  ),
  deleted_notifications as (
    delete from notifications t
     using item cross join lateral (
        select h.ctid as row from notifications h
         where h.organization_key = item.organization_key and h.actor_id = item.user_id offset 0
     ) held
     where t.ctid = held.row
    returning t.organization_key, item.user_id
  ),
  deleted_comment_mail_items as (
    delete from comment_mail_items t
     using item cross join lateral (
        select h.ctid as row from comment_mail_items h
         where h.organization_key = item.organization_key and h.user_id = item.user_id offset 0
     ) held
     where t.ctid = held.row
    returning t.organization_key, item.user_id
  ),
  deleted_thread_users as (
    delete from thread_users t
     using item cross join lateral (
        select h.ctid as row from thread_users h
         where h.organization_key = item.organization_key and h.user_id = item.user_id offset 0
     ) held
     where t.ctid = held.row
    returning t.organization_key, item.user_id
  ),
  deleted_notification_preferences as (
    delete from notification_preferences t
     using item cross join lateral (
        select h.ctid as row from notification_preferences h
         where h.organization_key = item.organization_key and h.user_id = item.user_id offset 0
     ) held
     where t.ctid = held.row
    returning t.organization_key, item.user_id
  ),
  had as (
    select organization_key, user_id, count(*) filter (where held = 'grants') as permissions,
           count(*) filter (where held = 'user_group_members') as user_groups,
           count(*) filter (where held = 'invitations') as invitations
      from (select *, 'user_group_members' as held from deleted_user_group_members
            union all select *, 'invitations' as held from deleted_invitations
            union all select *, 'grants' as held from deleted_grants
            union all select *, 'notification_recipients' as held from deleted_notification_recipients
            union all select *, 'notifications' as held from deleted_notifications
            union all select *, 'comment_mail_items' as held from deleted_comment_mail_items
            union all select *, 'thread_users' as held from deleted_thread_users
            union all select *, 'notification_preferences' as held from deleted_notification_preferences) gone
     group by organization_key, user_id
  ),
  event as (
    select item.organization_key, item.ord as position, 'user.removed' as type, null::resource_kind as resource_kind,
           null::text as resource_id, item.pseudonym as user_id, item.actor,
           jsonb_build_object('permissions', had.permissions, 'userGroups', had.user_groups, 'invitations', had.invitations) as before,
           jsonb_build_object('jobId', item.job_id) as after
      from item join had on had.organization_key = item.organization_key and had.user_id = item.user_id
     where not starts_with(item.user_id, chr(2)) -- an address of the user, who has an event already
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select null where false;

-- user-data.repeat-pass (server/features/user-data/deletion-statements.ts)
update user_data_deletions set passed_organization_id = '' where api_key_id = $1 and job_id = $2;

-- user-data.set-horizon (server/features/user-data/deletion-statements.ts)
update user_data_deletions set waits_for = pg_snapshot_xmax(pg_current_snapshot())
   where api_key_id = $1 and job_id = $2 and waits_for is null and finished_at is null;

-- user-data.user-groups (server/features/user-data/reading-statements.ts)
select m.group_id as "groupId", g.name as "groupName"
    from user_group_members m join user_groups g on g.organization_key = m.organization_key and g.group_id = m.group_id
   where m.organization_key = $1 and m.user_id = $2 and m.group_id > $3
   order by m.group_id limit $4::int;

-- user-group-users.add (server/features/user-groups/user-statements.ts)
with named as materialized (
    select item.*
      from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[]) with ordinality as item(organization_key, group_id, user_id, actor, ord)
     cross join lateral (
        select from grants g
         where g.organization_key = item.organization_key and g.resource_key = item.organization_key and g.principal = item.user_id
           and g.kind = 'organization' and (g.standing_role is not null or g.expires_at > coalesce($5::timestamptz, clock_timestamp())) limit 1
      ) member
  ),
  written as (
    insert into user_group_members (organization_key, group_id, user_id)
    select organization_key, group_id, user_id from named order by organization_key, group_id, user_id
    on conflict (organization_key, group_id, user_id) do nothing
    returning user_id
  ),
  event as (
    select organization_key, ord as position, 'user_group.user_added' as type, null::resource_kind as resource_kind,
           group_id as resource_id, user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from named where user_id in (select user_id from written)
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select user_id as "userId" from named;

-- user-group-users.delete (server/features/user-groups/user-statements.ts)
with removed as (
    delete from user_group_members m using (select * from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[]) with ordinality as item(organization_key, group_id, user_id, actor, ord)) item
     where m.organization_key = item.organization_key and m.group_id = item.group_id and m.user_id = item.user_id
    returning item.*
  ),
  event as (
    select organization_key, ord as position, 'user_group.user_removed' as type, null::resource_kind as resource_kind,
           group_id as resource_id, user_id, actor, '{}'::jsonb as before, null::jsonb as after
      from removed
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select user_id as "userId" from removed;

-- user-group-users.delete-all (server/features/user-groups/user-statements.ts)
with removed as (
    delete from user_group_members m using (select * from unnest($1::uuid[], $2::text[], $3::jsonb[]) with ordinality as item(organization_key, group_id, actor, ord)) item
     where m.organization_key = item.organization_key and m.group_id = item.group_id
    returning item.*
  ),
  event as (
    select organization_key, ord as position, 'user_group.emptied' as type, null::resource_kind as resource_kind,
           group_id as resource_id, null::text as user_id, actor, jsonb_build_object('users', count(*)) as before,
           null::jsonb as after
      from removed group by organization_key, ord, group_id, actor
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select null where false;

-- user-groups.add (server/features/user-groups/statements.ts)
with named as materialized (
    select item.*, o.added_at is not null as organization_added,
           case when o.added_at is null and not item.create_organization then 'organization_does_not_exist'
                when held.group_id is not null then 'already_exists'
                else 'ok' end as outcome
      from unnest($1::uuid[], $2::boolean[], $3::text[], $4::text[], $5::jsonb[]) with ordinality as item(organization_key, create_organization, group_id, name, actor, ord)
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select t.group_id from user_groups t
         where t.organization_key = item.organization_key and t.group_id = item.group_id limit 1
      ) held on true
  ),
  accepted as (select * from named where outcome = 'ok'),
  opening as (select distinct organization_key from accepted where not organization_added),
  
  root as (
    insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
    select o.organization_key, o.organization_key, 'organization'::resource_kind, o.organization_id, clock_timestamp(),
           array[o.organization_key], 1, o.organization_key
      from organizations o
     where o.organization_key in (select organization_key from opening)
  ),
  written as (
    insert into user_groups (organization_key, group_id, name)
    select organization_key, group_id, name from accepted order by organization_key, group_id
  ),
  event as (
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind,
           null as resource_id, null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from (select distinct on (organization_key) * from accepted where not organization_added order by organization_key, ord) first
    union all
    select organization_key, ord, 'user_group.added', null, group_id, null, actor, null, jsonb_build_object('groupName', name)
      from accepted
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select group_id as "groupId", outcome from named order by ord;

-- user-groups.delete (server/features/user-groups/statements.ts)
with item as materialized (select * from unnest($1::uuid[], $2::text[], $3::jsonb[]) with ordinality as item(organization_key, group_id, actor, ord)),
  emptied as (
    delete from user_group_members m using item
     where m.organization_key = item.organization_key and m.group_id = item.group_id
    returning item.ord
  ),
  users as materialized (select ord, count(*) as users from emptied group by ord),
  revoked as (
    delete from grants g using item
     where g.organization_key = item.organization_key and g.principal = chr(1) || item.group_id
    returning item.ord
  ),
  permissions as materialized (select ord, count(*) as permissions from revoked group by ord),
  deleted as (
    delete from user_groups t using item
     where t.organization_key = item.organization_key and t.group_id = item.group_id
    returning item.*, t.name
  ),
  event as (
    select organization_key, ord as position, 'user_group.deleted' as type, null::resource_kind as resource_kind,
           group_id as resource_id, null::text as user_id, actor,
           jsonb_build_object('groupName', name, 'users', coalesce(users.users, 0),
                              'permissions', coalesce(permissions.permissions, 0)) as before, null::jsonb as after
      from deleted left join users using (ord) left join permissions using (ord)
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select group_id as "groupId" from deleted;

-- user-groups.find (server/tenancy/existence.ts)
select group_id as "groupId" from user_groups where organization_key = $1 and group_id = $2;

-- user-groups.get (server/features/user-groups/statements.ts)
select t.group_id as "groupId", t.name
    from unnest($1::uuid[], $2::text[]) with ordinality as item(organization_key, group_id, ord)
   cross join lateral (
      select t.group_id, t.name from user_groups t
       where t.organization_key = item.organization_key and t.group_id = item.group_id limit 1
    ) t;

-- user-groups.list (server/features/user-groups/statements.ts)
select group_id as "groupId", name from user_groups
   where organization_key = $1 and group_id > $2 order by group_id limit $3::int;

-- user-groups.list by name (server/features/user-groups/statements.ts)
select g.group_id as "groupId", g.name, jsonb_build_array(name_order(g.name, g.group_id), g.group_id)::text as position from user_groups g
   where g.organization_key = $1 and (name_order(g.name, g.group_id), g.group_id) > (coalesce($2::jsonb ->> 0, '') collate "C", coalesce($2::jsonb ->> 1, '') collate "C") order by name_order(g.name, g.group_id) asc, g.group_id asc limit $3::int;

-- user-groups.list by name desc (server/features/user-groups/statements.ts)
select g.group_id as "groupId", g.name, jsonb_build_array(name_order(g.name, g.group_id), g.group_id)::text as position from user_groups g
   where g.organization_key = $1 and (name_order(g.name, g.group_id), g.group_id) < (coalesce($2::jsonb ->> 0, repeat(chr(1114111), 101)) collate "C", coalesce($2::jsonb ->> 1, repeat(chr(1114111), 101)) collate "C") order by name_order(g.name, g.group_id) desc, g.group_id desc limit $3::int;

-- user-groups.update (server/features/user-groups/statements.ts)
with named as materialized (
    select item.*, t.name as old_name
      from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[]) with ordinality as item(organization_key, group_id, name, actor, ord)
     cross join lateral (
        select t.name from user_groups t
         where t.organization_key = item.organization_key and t.group_id = item.group_id limit 1
      ) t
  ),
  changed as (select * from named where name is distinct from old_name),
  written as (
    update user_groups t set name = c.name from changed c
     where t.organization_key = c.organization_key and t.group_id = c.group_id
  ),
  event as (
    select organization_key, ord as position, 'user_group.updated' as type, null::resource_kind as resource_kind,
           group_id as resource_id, null::text as user_id, actor,
           jsonb_build_object('groupName', old_name) as before, jsonb_build_object('groupName', name) as after
      from changed
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select group_id as "groupId" from named;

-- user-jobs.count-organizations (server/tenancy/user-jobs/statements.ts)
select count(*)::int as count from organizations where api_key_id = $1;

-- user-tokens.check (server/features/user-tokens/statements.ts)
select item.req, k.workspace_id as "workspaceId", k.default_access_type as "defaultAccessType",
         k.default_access_role as "defaultAccessRole", k.has_commenter as "hasCommenter", k.has_disabled_users as "hasDisabledUsers", k.disabled_at is not null as disabled,
         k.allowed_domains as "allowedDomains", case when k.use_permission_provider then k.xmin::text end as "providerVersion", s.public_jwk as "publicJwk", u.tokens_since as "tokensSince",
         k.has_disabled_users and exists (select from disabled_users d where d.api_key_id = item.api_key_id and d.user_id = item.user_id) as "userDisabled", coalesce($5::timestamptz, clock_timestamp()) as now
    from unnest($1::int[], $2::text[], $3::text[], $4::text[]) with ordinality as item(req, api_key_id, kid, user_id, ord)
    join api_keys k on k.api_key_id = item.api_key_id
    left join signing_keys s on s.api_key_id = item.api_key_id and s.kid = item.kid
                            and (s.retired_at is null or s.retired_at > coalesce($5::timestamptz, clock_timestamp()))
    left join users u on u.api_key_id = item.api_key_id and u.user_id = item.user_id;

-- user-tokens.revoke (server/features/user-tokens/statements.ts)
with held as materialized (
    select u.api_key_id, u.user_id from users u
     where (u.api_key_id, u.user_id) in (select api_key_id, user_id from unnest($1::text[], $2::text[]) with ordinality as item(api_key_id, user_id, ord))
     order by u.api_key_id, u.user_id for no key update
  )
  update users u set tokens_since = greatest(u.tokens_since + interval '1 millisecond', date_trunc('milliseconds', coalesce($3::timestamptz, clock_timestamp())))
    from held where u.api_key_id = held.api_key_id and u.user_id = held.user_id
  returning u.user_id as "userId", u.tokens_since as "tokensSince";

-- user-tokens.times (server/features/user-tokens/statements.ts)
select coalesce($3::timestamptz, clock_timestamp()) as now, u.tokens_since as "tokensSince",
         k.user_token_lifetime_seconds as "lifetimeSeconds",
         k.require_auto_org_user as "requireAutoOrgUser", k.has_disabled_users and exists (select from disabled_users d where d.api_key_id = u.api_key_id and d.user_id = u.user_id) as "userDisabled",
         is_being_erased(u.api_key_id, null, u.user_id) as "isBeingErased"
    from users u join api_keys k on k.api_key_id = u.api_key_id
   where u.api_key_id = $1 and u.user_id = $2;

-- users.add-missing (server/features/users/profile-statements.ts)
insert into users (api_key_id, user_id)
  select api_key_id, user_id from unnest($1::text[], $2::text[]) with ordinality as item(api_key_id, user_id, ord)
   where not exists (select from users u where u.api_key_id = item.api_key_id and u.user_id = item.user_id)
   order by api_key_id, user_id
  on conflict (api_key_id, user_id) do nothing
  returning user_id as "userId";

-- users.count (server/features/users/count-statements.ts)
select count(*) as count from grants g where g.organization_key = $1 and g.resource_key = $2
     and g.principal > ' ' and (g.standing_role is not null or g.expires_at > coalesce($3::timestamptz, clock_timestamp()));

-- users.count-named (server/features/users/count-statements.ts)
select count(*) as count from grants g
   where g.organization_key = $1 and g.resource_key = $2 and g.principal = $3 and (g.standing_role is not null or g.expires_at > coalesce($4::timestamptz, clock_timestamp()));

-- users.count-named-of-documents (server/features/users/count-statements.ts)
select count(*) as count
    from (select from grants g where g.organization_key = $1 and g.principal = $2 and g.kind = 'document'
             and (g.standing_role is not null or g.expires_at > coalesce($3::timestamptz, clock_timestamp())) limit 1) u;

-- users.count-of-documents (server/features/users/count-statements.ts)
select count(*) as count
    from (select from grants g where g.organization_key = $1 and g.kind = 'document'
             and g.principal > ' ' and (g.standing_role is not null or g.expires_at > coalesce($2::timestamptz, clock_timestamp())) group by g.principal) u;

-- users.delete (server/features/users/statements.ts)
with named as materialized (select * from unnest($1::uuid[], $2::text[], $3::jsonb[]) with ordinality as item(organization_key, user_id, actor, ord)),
  removed as (
    delete from grants g using named n
     where g.organization_key = n.organization_key and g.principal = n.user_id
    returning n.ord, g.kind, coalesce(greatest(g.standing_role, case when g.expires_at > coalesce($4::timestamptz, clock_timestamp()) then g.temporary_role end), g.temporary_role) as role, g.standing_role, g.expires_at
  ),
  left_groups as (
    delete from user_group_members m using named n
     where m.organization_key = n.organization_key and m.user_id = n.user_id
    returning n.ord
  ),
  granted as materialized (
    select ord, count(*) as permissions, max(role) filter (where kind = 'organization') as role,
           max(case when removed.standing_role is distinct from removed.role then removed.expires_at end) filter (where kind = 'organization') as expires_at
      from removed group by ord
  ),
  grouped as materialized (select ord, count(*) as user_groups from left_groups group by ord),
  gone as materialized (
    select n.*, coalesce(permissions, 0) as permissions, coalesce(user_groups, 0) as user_groups, role, expires_at
      from named n left join granted using (ord) left join grouped using (ord)
     where permissions > 0 or user_groups > 0
  ),
  event as (
    select organization_key, ord as position, 'user.removed' as type, null::resource_kind as resource_kind,
           null::text as resource_id, user_id, actor,
           jsonb_build_object('accessRole', role, 'expiresAt', extract(epoch from expires_at)::bigint,
                              'permissions', permissions, 'userGroups', user_groups) as before,
           null::jsonb as after
      from gone
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select user_id as "userId" from gone order by ord;

-- users.delete-grants (server/features/users/statements.ts)
with clock as materialized (select coalesce($6::timestamptz, clock_timestamp()) as now),
  removed as (
    delete from grants g
     using (select * from unnest($1::uuid[], $2::resource_kind[], $3::text[], $4::text[], $5::jsonb[]) with ordinality as item(organization_key, kind, resource_id, user_id, actor, ord)) item
     cross join lateral (
        select r.resource_key from resources r
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r
     where g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.principal = item.user_id
    returning item.*, g.principal, g.standing_role, g.temporary_role, g.expires_at,
              g.expires_at <= (select now from clock) and g.expiry_event_at is null as expiry_unreported
  ),
  event as (
    select organization_key, 1 + 3 * ord as position, 'permission.removed' as type, kind as resource_kind, resource_id, case when not starts_with(principal, chr(1)) then principal end as user_id, actor,
           case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', standing_role, 'expiresAt', null)
                else jsonb_build_object('accessRole', standing_role, 'expiresAt', null) end as before, null::jsonb as after
      from removed where standing_role is not null
    union all
    select organization_key, 2 + 3 * ord, 'permission.removed', kind, resource_id, case when not starts_with(principal, chr(1)) then principal end, actor,
           case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint)
                else jsonb_build_object('accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint) end, null
      from removed where temporary_role is not null
    union all
    select organization_key, 3 * ord as position, 'permission.expired' as type, kind as resource_kind, resource_id, case when not starts_with(principal, chr(1)) then principal end as user_id,
           '{"system": "expiry"}'::jsonb as actor,
           case when starts_with(principal, chr(1))
                then jsonb_build_object('groupId', substr(principal, 2), 'accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint)
                else jsonb_build_object('accessRole', temporary_role, 'expiresAt', extract(epoch from expires_at)::bigint) end as before,
           null::jsonb as after
      from removed where expiry_unreported
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select user_id as "userId" from removed order by ord;

-- users.disable (server/features/users/disabling-statements.ts)
insert into disabled_users (api_key_id, user_id, disabled_at)
  select api_key_id, user_id, coalesce($3::timestamptz, clock_timestamp()) from unnest($1::text[], $2::text[]) with ordinality as item(api_key_id, user_id, ord) order by api_key_id, user_id
  on conflict (api_key_id, user_id) do nothing
  returning user_id as "userId";

-- users.list (server/features/users/list-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select c.user_id as "userId", u.profile, c.standing_role as "standingRole", c.temporary_role as "temporaryRole",
         c.expires_at as "expiresAt", exists (select from disabled_users d where d.api_key_id = $2 and d.user_id = c.user_id) as disabled, m.matches,
         c.nth = $5 as "isScanEnd"
    from (select candidate.*, row_number() over (order by user_id) as nth from (
      select g.principal as user_id, g.standing_role, case when g.expires_at > coalesce($10::timestamptz, clock_timestamp()) then g.temporary_role end as temporary_role, case when g.expires_at > coalesce($10::timestamptz, clock_timestamp()) then g.expires_at end as expires_at, (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())) as live
        from grants g where g.organization_key = $1 and g.resource_key = $9 and g.principal > greatest($3, ' ' collate "C")
       order by g.principal limit $5) candidate) c
    left join lateral (
      select u.profile from users u where u.api_key_id = $2 and u.user_id = c.user_id limit 1
    ) u on true
    left join lateral (
      select true as found
        from user_group_members m
       cross join lateral (
          select from grants g
           where g.organization_key = m.organization_key and g.resource_key = m.organization_key and g.principal = m.user_id
             and g.kind = 'organization' and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())) limit 1
        ) member
       where $7::text[] is not null and m.organization_key = $1 and m.user_id = c.user_id
         and array_position($7::text[], m.group_id) is not null limit 1
    ) grouped on true
   cross join lateral (
      select c.live and ($7::text[] is null or grouped.found is not null)
         and ($8::boolean is null or $8 = exists (select from disabled_users d where d.api_key_id = $2 and d.user_id = c.user_id))
         and ($6::text is null or c.user_id ~ $6 or u.profile ->> 'name' ~ $6 or u.profile ->> 'email' ~ $6) is true as matches
    ) m
   where m.matches or c.nth = $5
   order by user_id limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- users.list-by-document (server/features/users/list-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select c.user_id as "userId", u.profile, c.standing_role as "standingRole", c.temporary_role as "temporaryRole",
         c.expires_at as "expiresAt", exists (select from disabled_users d where d.api_key_id = $2 and d.user_id = c.user_id) as disabled, m.matches,
         c.nth = $5 as "isScanEnd", c.resource_key as "resourceKey", r.id as "documentId"
    from (select candidate.*, row_number() over (order by resource_key, user_id) as nth from (
      select g.resource_key, g.principal as user_id, g.standing_role, case when g.expires_at > coalesce($10::timestamptz, clock_timestamp()) then g.temporary_role end as temporary_role, case when g.expires_at > coalesce($10::timestamptz, clock_timestamp()) then g.expires_at end as expires_at, (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())) as live
        from grants g
       where g.organization_key = $1 and (g.resource_key, g.principal) > ($9::uuid, $3) and g.principal > ' '
         and g.kind is not distinct from 'document' -- with = the planner may read the other index and sort all rows
       order by g.resource_key, g.principal limit $5) candidate) c
    left join lateral (
      select u.profile from users u where u.api_key_id = $2 and u.user_id = c.user_id limit 1
    ) u on true
    left join lateral (
      select true as found
        from user_group_members m
       cross join lateral (
          select from grants g
           where g.organization_key = m.organization_key and g.resource_key = m.organization_key and g.principal = m.user_id
             and g.kind = 'organization' and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())) limit 1
        ) member
       where $7::text[] is not null and m.organization_key = $1 and m.user_id = c.user_id
         and array_position($7::text[], m.group_id) is not null limit 1
    ) grouped on true
   cross join lateral (
      select r.id from resources r where r.organization_key = $1 and r.resource_key = c.resource_key limit 1
    ) r
   cross join lateral (
      select c.live and ($7::text[] is null or grouped.found is not null)
         and ($8::boolean is null or $8 = exists (select from disabled_users d where d.api_key_id = $2 and d.user_id = c.user_id))
         and ($6::text is null or c.user_id ~ $6 or u.profile ->> 'name' ~ $6 or u.profile ->> 'email' ~ $6) is true as matches
    ) m
   where m.matches or c.nth = $5
   order by resource_key, user_id limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- users.list-named (server/features/users/list-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select c.user_id as "userId", u.profile, c.standing_role as "standingRole", c.temporary_role as "temporaryRole",
         c.expires_at as "expiresAt", exists (select from disabled_users d where d.api_key_id = $2 and d.user_id = c.user_id) as disabled, m.matches,
         c.nth = $5 as "isScanEnd"
    from (select candidate.*, row_number() over (order by user_id) as nth from (
      select n.user_id, held.standing_role, held.temporary_role, held.expires_at, held.live is true as live
        from (
        select distinct user_id from (
          select user_id collate "C" as user_id from unnest($9::text[]) as n(user_id)
          union all
          select m.user_id
            from (select distinct group_id from unnest($7::text[]) as n(group_id)) n
           cross join lateral (
              select m.user_id from user_group_members m
               where m.organization_key = $1 and m.group_id = n.group_id and m.user_id > $3 order by m.user_id limit $5
            ) m
           where $9::text[] is null
        ) named where user_id > $3 order by user_id limit $5) n
        left join lateral (
          select g.standing_role, case when g.expires_at > coalesce($11::timestamptz, clock_timestamp()) then g.temporary_role end as temporary_role, case when g.expires_at > coalesce($11::timestamptz, clock_timestamp()) then g.expires_at end as expires_at, (g.standing_role is not null or g.expires_at > coalesce($11::timestamptz, clock_timestamp())) as live from grants g
           where g.organization_key = $1 and g.resource_key = $10 and g.principal = n.user_id limit 1
        ) held on true
       order by n.user_id) candidate) c
    left join lateral (
      select u.profile from users u where u.api_key_id = $2 and u.user_id = c.user_id limit 1
    ) u on true
    left join lateral (
      select true as found
        from user_group_members m
       cross join lateral (
          select from grants g
           where g.organization_key = m.organization_key and g.resource_key = m.organization_key and g.principal = m.user_id
             and g.kind = 'organization' and (g.standing_role is not null or g.expires_at > coalesce($11::timestamptz, clock_timestamp())) limit 1
        ) member
       where $7::text[] is not null and m.organization_key = $1 and m.user_id = c.user_id
         and array_position($7::text[], m.group_id) is not null limit 1
    ) grouped on true
   cross join lateral (
      select c.live and ($7::text[] is null or grouped.found is not null)
         and ($8::boolean is null or $8 = exists (select from disabled_users d where d.api_key_id = $2 and d.user_id = c.user_id))
         and ($6::text is null or c.user_id ~ $6 or u.profile ->> 'name' ~ $6 or u.profile ->> 'email' ~ $6) is true as matches
    ) m
   where m.matches or c.nth = $5
   order by user_id limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- users.list-named-by-document (server/features/users/list-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select c.user_id as "userId", u.profile, c.standing_role as "standingRole", c.temporary_role as "temporaryRole",
         c.expires_at as "expiresAt", exists (select from disabled_users d where d.api_key_id = $2 and d.user_id = c.user_id) as disabled, m.matches,
         c.nth = $5 as "isScanEnd", c.resource_key as "resourceKey", r.id as "documentId"
    from (select candidate.*, row_number() over (order by resource_key, user_id) as nth from (
      select g.*
        from (select distinct user_id collate "C" as user_id from unnest($10::text[]) as n(user_id)) n
       cross join lateral (
          select g.resource_key, g.principal as user_id, g.standing_role, case when g.expires_at > coalesce($11::timestamptz, clock_timestamp()) then g.temporary_role end as temporary_role, case when g.expires_at > coalesce($11::timestamptz, clock_timestamp()) then g.expires_at end as expires_at, true as live from grants g
           where g.organization_key = $1 and g.principal = n.user_id and g.kind = 'document' and g.resource_key >= $9::uuid
             and (g.resource_key, g.principal) > ($9::uuid, $3) and (g.standing_role is not null or g.expires_at > coalesce($11::timestamptz, clock_timestamp()))
           order by g.resource_key limit $4
        ) g
       order by g.resource_key, g.user_id limit $5) candidate) c
    left join lateral (
      select u.profile from users u where u.api_key_id = $2 and u.user_id = c.user_id limit 1
    ) u on true
    left join lateral (
      select true as found
        from user_group_members m
       cross join lateral (
          select from grants g
           where g.organization_key = m.organization_key and g.resource_key = m.organization_key and g.principal = m.user_id
             and g.kind = 'organization' and (g.standing_role is not null or g.expires_at > coalesce($11::timestamptz, clock_timestamp())) limit 1
        ) member
       where $7::text[] is not null and m.organization_key = $1 and m.user_id = c.user_id
         and array_position($7::text[], m.group_id) is not null limit 1
    ) grouped on true
   cross join lateral (
      select r.id from resources r where r.organization_key = $1 and r.resource_key = c.resource_key limit 1
    ) r
   cross join lateral (
      select c.live and ($7::text[] is null or grouped.found is not null)
         and ($8::boolean is null or $8 = exists (select from disabled_users d where d.api_key_id = $2 and d.user_id = c.user_id))
         and ($6::text is null or c.user_id ~ $6 or u.profile ->> 'name' ~ $6 or u.profile ->> 'email' ~ $6) is true as matches
    ) m
   where m.matches or c.nth = $5
   order by resource_key, user_id limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- users.list-named-of-documents (server/features/users/list-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select c.user_id as "userId", u.profile, c.standing_role as "standingRole", c.temporary_role as "temporaryRole",
         c.expires_at as "expiresAt", exists (select from disabled_users d where d.api_key_id = $2 and d.user_id = c.user_id) as disabled, m.matches,
         c.nth = $5 as "isScanEnd"
    from (select candidate.*, row_number() over (order by user_id) as nth from (
      select n.user_id, null::access_role as standing_role, null::access_role as temporary_role, null::timestamptz as expires_at, held.live is true as live
        from (
        select distinct user_id from (
          select user_id collate "C" as user_id from unnest($9::text[]) as n(user_id)
          union all
          select m.user_id
            from (select distinct group_id from unnest($7::text[]) as n(group_id)) n
           cross join lateral (
              select m.user_id from user_group_members m
               where m.organization_key = $1 and m.group_id = n.group_id and m.user_id > $3 order by m.user_id limit $5
            ) m
           where $9::text[] is null
        ) named where user_id > $3 order by user_id limit $5) n
        left join lateral (
          select true as live from grants g
           where g.organization_key = $1 and g.principal = n.user_id and g.kind = 'document' and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())) limit 1
        ) held on true
       order by n.user_id) candidate) c
    left join lateral (
      select u.profile from users u where u.api_key_id = $2 and u.user_id = c.user_id limit 1
    ) u on true
    left join lateral (
      select true as found
        from user_group_members m
       cross join lateral (
          select from grants g
           where g.organization_key = m.organization_key and g.resource_key = m.organization_key and g.principal = m.user_id
             and g.kind = 'organization' and (g.standing_role is not null or g.expires_at > coalesce($10::timestamptz, clock_timestamp())) limit 1
        ) member
       where $7::text[] is not null and m.organization_key = $1 and m.user_id = c.user_id
         and array_position($7::text[], m.group_id) is not null limit 1
    ) grouped on true
   cross join lateral (
      select c.live and ($7::text[] is null or grouped.found is not null)
         and ($8::boolean is null or $8 = exists (select from disabled_users d where d.api_key_id = $2 and d.user_id = c.user_id))
         and ($6::text is null or c.user_id ~ $6 or u.profile ->> 'name' ~ $6 or u.profile ->> 'email' ~ $6) is true as matches
    ) m
   where m.matches or c.nth = $5
   order by user_id limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- users.list-of-documents (server/features/users/list-statements.ts)
select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(
             case when p.profile is null then 0
                  when pg_column_compression(p.profile) is null and pg_column_size(p.profile) < 500
                    then pg_column_size(p.profile)
                  else octet_length(p.profile::text) end) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (
  select c.user_id as "userId", u.profile, c.standing_role as "standingRole", c.temporary_role as "temporaryRole",
         c.expires_at as "expiresAt", exists (select from disabled_users d where d.api_key_id = $2 and d.user_id = c.user_id) as disabled, m.matches,
         c.nth = $5 as "isScanEnd"
    from (select candidate.*, row_number() over (order by user_id) as nth from (
      select w.user_id, null::access_role as standing_role, null::access_role as temporary_role, null::timestamptz as expires_at, held.live is true as live
        from (select distinct g.principal as user_id from grants g
               where g.organization_key = $1 and g.principal > greatest($3, ' ' collate "C") and g.kind = 'document'
               order by g.principal limit $5) w
        left join lateral (
          select true as live from grants g
           where g.organization_key = $1 and g.principal = w.user_id and g.kind = 'document' and (g.standing_role is not null or g.expires_at > coalesce($9::timestamptz, clock_timestamp())) limit 1
        ) held on true
       order by w.user_id) candidate) c
    left join lateral (
      select u.profile from users u where u.api_key_id = $2 and u.user_id = c.user_id limit 1
    ) u on true
    left join lateral (
      select true as found
        from user_group_members m
       cross join lateral (
          select from grants g
           where g.organization_key = m.organization_key and g.resource_key = m.organization_key and g.principal = m.user_id
             and g.kind = 'organization' and (g.standing_role is not null or g.expires_at > coalesce($9::timestamptz, clock_timestamp())) limit 1
        ) member
       where $7::text[] is not null and m.organization_key = $1 and m.user_id = c.user_id
         and array_position($7::text[], m.group_id) is not null limit 1
    ) grouped on true
   cross join lateral (
      select c.live and ($7::text[] is null or grouped.found is not null)
         and ($8::boolean is null or $8 = exists (select from disabled_users d where d.api_key_id = $2 and d.user_id = c.user_id))
         and ($6::text is null or c.user_id ~ $6 or u.profile ->> 'name' ~ $6 or u.profile ->> 'email' ~ $6) is true as matches
    ) m
   where m.matches or c.nth = $5
   order by user_id limit $4::int) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < 2097152;

-- users.lock (server/features/users/profile-statements.ts)
select u.user_id as "userId" from users u
   where (u.api_key_id, u.user_id) in (select api_key_id, user_id from unnest($1::text[], $2::text[]) with ordinality as item(api_key_id, user_id, ord))
   order by u.api_key_id, u.user_id for no key update;

-- users.merge (server/features/users/profile-statements.ts)
with item as materialized (select * from unnest($1::text[], $2::text[], $3::jsonb[]) with ordinality as item(api_key_id, user_id, profile, ord)),
  held as materialized (
    select u.api_key_id, u.user_id, u.profile from users u
     where (u.api_key_id, u.user_id) in (select api_key_id, user_id from item)
     order by u.api_key_id, u.user_id for no key update
  ),
  merged as materialized (
    select held.api_key_id, held.user_id, held.profile as before,
           (select coalesce(jsonb_object_agg(key, value), '{}')
              from jsonb_each(held.profile || item.profile) where value <> 'null') as after
      from item join held on held.api_key_id = item.api_key_id and held.user_id = item.user_id
  ),
  checked as materialized (select *, (octet_length(after::text) <= 73728
    and (select count(*) from jsonb_object_keys(after)) <= 120) as fits from merged),
  written as (
    update users u set profile = j.after from checked j
     where j.fits and j.before <> j.after and u.api_key_id = j.api_key_id and u.user_id = j.user_id
  )
  select user_id as "userId", before, after,
         case when not fits then 'too_large' when before <> after then 'updated' else 'unchanged' end as outcome
    from checked;

-- users.record-events (server/features/users/statements.ts)
with event as (
    select organization_key, ord as position, type, null::resource_kind as resource_kind, null::text as resource_id,
           user_id, actor, before, after
      from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[], $5::jsonb[], $6::jsonb[]) with ordinality as item(organization_key, type, user_id, actor, before, after, ord)
  ),
  
  counted as (
    update organizations o
       set event_count = o.event_count + n.events, event_tick = greatest(o.event_tick, pg_current_xact_id()::text::bigint), added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - n.events as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id
  ),
  
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      join counted c on c.organization_key = e.organization_key
  )
  select null where false;

-- users.revoke-tokens-of-disabled (server/features/users/disabling-statements.ts)
with held as materialized (
    select u.api_key_id, u.user_id from users u
     where (u.api_key_id, u.user_id) in (select d.api_key_id, d.user_id from unnest($1::text[], $2::text[]) with ordinality as item(api_key_id, user_id, ord)
                                           join disabled_users d on d.api_key_id = item.api_key_id and d.user_id = item.user_id)
     order by u.api_key_id, u.user_id for no key update
  )
  update users u set tokens_since = greatest(u.tokens_since + interval '1 millisecond', date_trunc('milliseconds', coalesce($3::timestamptz, clock_timestamp())))
    from held where u.api_key_id = held.api_key_id and u.user_id = held.user_id;

-- users.set-has-disabled (server/features/users/disabling-statements.ts)
with disabled as materialized (select exists (select from disabled_users where api_key_id = $1) as is_there)
  update api_keys k set has_disabled_users = disabled.is_there
    from disabled where k.api_key_id = $1 and k.has_disabled_users <> disabled.is_there;

-- webhook-attempts.delete-old (server/features/webhooks/delivery/outcome-statements.ts)
with oldest as materialized (
    select attempt_key, attempted_at from webhook_attempts order by attempt_key limit $2::int
  ),
  deleted as (
    delete from webhook_attempts a using oldest o
     where a.attempt_key = o.attempt_key
       and o.attempted_at < coalesce($3::timestamptz, clock_timestamp()) - make_interval(days => $1::int)
    returning 1
  )
  select count(*) as deleted from deleted;

-- webhook-attempts.list (server/features/webhooks/messages/message-statements.ts)
select 
  a.attempt_key as position, a.stream, a.sequence, a.is_act as "isAct", a.event_type as "eventType", a.attempt, a.attempted_at as "attemptedAt",
  a.http_status as "httpStatus", a.error, a.duration_ms as "durationMs", a.excerpt, a.next_attempt_at as "nextAttemptAt" from unnest($4::boolean[]) o (delivered)
   cross join lateral (
     select * from webhook_attempts a
      where a.endpoint_key = $1 and coalesce(a.http_status between 200 and 299, false) = o.delivered and a.attempt_key < coalesce($2::bigint, 9223372036854775807)
      order by a.attempt_key desc limit $3::int
   ) a
   order by a.attempt_key desc limit $3::int;

-- webhook-attempts.list-of-message (server/features/webhooks/messages/message-statements.ts)
select 
  a.attempt_key as position, a.stream, a.sequence, a.is_act as "isAct", a.event_type as "eventType", a.attempt, a.attempted_at as "attemptedAt",
  a.http_status as "httpStatus", a.error, a.duration_ms as "durationMs", a.excerpt, a.next_attempt_at as "nextAttemptAt" from webhook_attempts a
   where a.endpoint_key = $1 and a.stream = $4 and a.sequence = $5 and a.is_act = $6 and a.attempt_key < coalesce($2::bigint, 9223372036854775807)
   order by a.attempt_key desc limit $3::int;

-- webhook-attempts.list-waiting (server/features/webhooks/messages/message-statements.ts)
select 
  a.attempt_key as position, a.stream, a.sequence, a.is_act as "isAct", a.event_type as "eventType", a.attempt, a.attempted_at as "attemptedAt",
  a.http_status as "httpStatus", a.error, a.duration_ms as "durationMs", a.excerpt, a.next_attempt_at as "nextAttemptAt"
    from (
      select d.stream, d.sequence, d.is_act, d.position from webhook_deliveries d
       where d.endpoint_key = $1 and d.attempts > 0 and d.position < coalesce($2::bigint, 9223372036854775807)
       order by d.position desc limit $3::int
    ) d
   cross join lateral (
     select d.position as attempt_key, a.stream, a.sequence, a.is_act, a.event_type, a.attempt, a.attempted_at, a.http_status, a.error,
            a.duration_ms, a.excerpt, a.next_attempt_at
       from webhook_attempts a
      where a.endpoint_key = $1 and a.stream = d.stream and a.sequence = d.sequence and a.is_act = d.is_act
      order by a.attempt_key desc limit 1
   ) a
   order by d.position desc;

-- webhook-config.get (server/features/service-configs/statements.ts)
select use_webhook_service as enabled, webhook_service_config as config, webhook_service_token_sealed as sealed
    from api_keys where api_key_id = $1;

-- webhook-config.update (server/features/service-configs/statements.ts)
update api_keys set use_webhook_service = $2, webhook_service_config = $3::jsonb, webhook_service_token_sealed = $4::bytea
   where api_key_id = $1;

-- webhook-deliveries.claim (server/features/webhooks/delivery/claim-statements.ts)
with moment as materialized (select coalesce($4::timestamptz, clock_timestamp()) as now),
  ready as materialized (
    select e.*, a.slots, make_interval(secs => a.pause_ms / 1000.0) as pause
      from unnest($1::bigint[], $2::int[], $3::int[]) as a (endpoint_key, slots, pause_ms)
     cross join lateral (select * from webhook_endpoints e where e.endpoint_key = a.endpoint_key limit 1) e
  ),
  taken as materialized (
    select r.endpoint_key, d.stream, d.sequence, d.is_act
      from ready r cross join moment m
     cross join lateral (
       select d.stream, d.sequence, d.is_act from webhook_deliveries d
        where d.endpoint_key = r.endpoint_key and d.due_at <= m.now
        order by d.due_at, d.position limit least(r.slots, r.rate_limit)
     ) d
  ),
  leased as (
    update webhook_deliveries d set due_at = m.now + interval '30 seconds', claims = d.claims + 1
      from taken t cross join moment m
     where d.endpoint_key = t.endpoint_key and d.stream = t.stream and d.sequence = t.sequence and d.is_act = t.is_act
    returning d.*
  ),
  turn as (
    select r.endpoint_key, r.pause, t.count,
           (select d.due_at from webhook_deliveries d where d.endpoint_key = r.endpoint_key
             order by d.due_at, d.position offset t.count limit 1) as next
      from ready r
     cross join lateral (select count(*) as count from taken t where t.endpoint_key = r.endpoint_key) t
  ),
  turned as (
    update webhook_endpoints e
       set paced_until = case when e.rate_limit is not null and t.count > 0
                              then m.now + make_interval(secs => t.count::float8 / e.rate_limit) else e.paced_until end,
           due_at = case when t.count > 0 or t.next is not null
                         then greatest(case when t.count > 0 then least(t.next, m.now + interval '30 seconds') else t.next end, m.now + t.pause,
                                       case when e.rate_limit is not null and t.count > 0
                                            then m.now + make_interval(secs => t.count::float8 / e.rate_limit)
                                            else e.paced_until end) end
      from turn t cross join moment m
     where e.endpoint_key = t.endpoint_key
  )
  select l.endpoint_key as "endpointKey", l.stream, l.sequence, l.is_act as "isAct", l.attempts, l.claims, m.now, r.failing_since is not null as "isFailing",
         r.endpoint_id as "endpointId", r.kind, r.url, r.api_key_id as "apiKeyId", k.workspace_id as "workspaceId",
         r.secret_sealed as "secretSealed",
         case when r.previous_secret_until > m.now then r.previous_secret_sealed end as "previousSecretSealed",
         case when r.kind <> 'signed' then k.webhook_service_token_sealed end as "authTokenSealed",
         case when r.kind = 'signed' then s.encode_data else (k.webhook_service_config->>'encodeData')::boolean end as "encodeData",
         case when r.kind = 'signed' then s.encrypt_data else (k.webhook_service_config->>'encryptData')::boolean end as "encryptData",
         case when r.kind = 'signed' then s.public_key else k.webhook_service_config->>'publicKey' end as "publicKey",
         v.type, v.organization_id as "organizationId", v.resource_kind as "resourceKind", v.resource_id as "resourceId",
         v.user_id as "userId", v.actor, v.before, v.after, v.changed_at as "changedAt"
    from leased l cross join moment m
    join ready r on r.endpoint_key = l.endpoint_key
   cross join lateral (select * from api_keys k where k.api_key_id = r.api_key_id limit 1) k
    left join lateral (select * from webhook_settings s where s.api_key_id = r.api_key_id limit 1) s on true
    left join lateral (select * from events v where v.stream = l.stream and v.sequence = l.sequence limit 1) v on true
   order by l.position;

-- webhook-deliveries.count-due (server/features/webhooks/delivery/delivery-statements.ts)
with moment as materialized (select coalesce($1::timestamptz, clock_timestamp()) as now)
  select lane.endpoints, coalesce(sum(due.count), 0)::int as count,
         coalesce(extract(epoch from max(m.now - due.oldest)), 0)::float8 as "oldestSeconds"
    from moment m
   cross join (values ('working', true), ('failing', false)) lane (endpoints, works)
    left join lateral (
      select e.endpoint_key from webhook_endpoints e
       where (e.failing_since is null) = lane.works and e.due_at <= m.now order by e.due_at limit 1000
    ) e on true
    left join lateral (
      select count(*) as count, min(d.due_at) as oldest
        from (select d.due_at from webhook_deliveries d
               where d.endpoint_key = e.endpoint_key and d.due_at <= m.now order by d.due_at, d.position limit 1000) d
    ) due on true
   group by lane.endpoints;

-- webhook-deliveries.drop (server/features/webhooks/endpoints/endpoint-statements.ts)
delete from webhook_deliveries d
   using webhook_endpoints e
   where e.api_key_id = $1 and not e.active and d.endpoint_key = e.endpoint_key;

-- webhook-deliveries.enqueue (server/features/webhooks/delivery/delivery-statements.ts)
with moment as materialized (select coalesce($8::timestamptz, clock_timestamp()) as now),
  subscribed as materialized (
    select e.endpoint_key, item.stream, item.sequence, m.is_act, item.ord
      from unnest($1::text[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::timestamptz[], $7::jsonb[]) with ordinality as item(api_key_id, stream, sequence, type, organization_id, changed_at, after, ord) cross join lateral (
      select false as is_act, item.type as type, null::text as word, false as basic_only
      union all
      select true, a.type, a.word, a.basic_only
        from (values
            ('thread.added', 'comment_annotation.add', 'newlyAdded', 'notify', false),
            ('comment.added', 'comment.add', 'added', 'notify', false),
            ('comment.updated', 'comment.update', 'updated', 'notify', false),
            ('comment.deleted', 'comment.delete', 'deleted', null, false),
            ('thread.deleted', 'comment_annotation.delete', 'deleted', null, false),
            ('thread.assigned', 'comment_annotation.assign', 'assigned', 'assigned', false),
            ('thread.status_changed', 'comment_annotation.status_change', 'statusChanged', null, false),
            ('thread.priority_changed', 'comment_annotation.priority_change', 'priorityChanged', null, false),
            ('thread.visibility_changed', 'comment_annotation.access_mode_change', 'accessModeChanged', null, true),
            ('thread.subscribed', 'comment_annotation.subscribe', 'subscribed', null, false),
            ('thread.unsubscribed', 'comment_annotation.unsubscribe', 'unsubscribed', null, false),
            ('thread.suggestion_accepted', 'comment_annotation.suggestion_accept', 'suggestionAccepted', null, false),
            ('thread.suggestion_rejected', 'comment_annotation.suggestion_reject', 'suggestionRejected', null, false)
        ) a (event_type, type, word, only_if, basic_only)
       where a.event_type = item.type and (a.only_if is null or (item.after ->> a.only_if)::boolean)
   ) m
     cross join lateral (
       select e.endpoint_key from webhook_endpoints e
        where e.api_key_id = item.api_key_id and e.active and item.changed_at >= date_trunc('milliseconds', e.active_since)
          and (e.channels is null or item.organization_id = any (e.channels))
          and (e.filter_types is null or m.type = any (e.filter_types))
          and case when not m.is_act then e.kind = 'signed' or m.type not like 'thread.%' and m.type not like 'comment.%'
                   else (e.kind <> 'signed' or not m.basic_only)
                        and (select coalesce(((k.webhook_service_config #> '{triggers,comment}') ->> m.type)::boolean, ((k.webhook_service_config #> '{triggers,comment}') ->> m.word)::boolean, m.word not like 'suggestion%') from api_keys k where k.api_key_id = e.api_key_id limit 1) end offset 0
     ) e
  ),
  enqueued as (
    insert into webhook_deliveries (endpoint_key, stream, sequence, is_act, due_at)
    select s.endpoint_key, s.stream, s.sequence, s.is_act, m.now
      from subscribed s cross join moment m order by s.ord, s.endpoint_key, s.is_act
    on conflict do nothing
    returning endpoint_key
  ),
  woken as (
    update webhook_endpoints e set due_at = greatest(least(e.due_at, m.now), e.paced_until)
      from (select distinct endpoint_key from enqueued) n cross join moment m
     where e.endpoint_key = n.endpoint_key
  )
  select count(*) as enqueued from enqueued;

-- webhook-deliveries.find-ready (server/features/webhooks/delivery/claim-statements.ts)
with moment as materialized (select coalesce($1::timestamptz, clock_timestamp()) as now)
  select from moment m
   where exists (select from webhook_endpoints e where e.failing_since is null and e.due_at <= m.now)
      or exists (select from webhook_endpoints e where e.failing_since is not null and e.due_at <= m.now);

-- webhook-deliveries.lock (server/features/webhooks/delivery/claim-statements.ts)
with moment as materialized (select coalesce($4::timestamptz, clock_timestamp()) as now)
  select e.endpoint_key as "endpointKey", lane.works, k.workspace_id as "workspaceId", e.url from moment m
   cross join (values (true, $2::int), (false, $3::int)) lane (works, most)
   cross join lateral (
     select e.endpoint_key, e.api_key_id, e.url from webhook_endpoints e
      where (e.failing_since is null) = lane.works and e.due_at <= m.now and e.endpoint_key <> all ($1::bigint[])
      order by e.due_at limit lane.most
        for no key update skip locked
   ) e
   cross join lateral (select k.workspace_id from api_keys k where k.api_key_id = e.api_key_id limit 1) k;

-- webhook-deliveries.name (server/features/webhooks/messages/name-statements.ts)
select item.ord, o.name as "organizationName", r.name as "resourceName", u.profile->>'name' as "userName", u.profile->>'email' as "userEmail"
    from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) with ordinality as item(api_key_id, organization_key, organization_id, resource_kind, resource_id, user_id, ord)
    left join lateral (
      select o.name from organizations o where item.organization_id is not null and o.organization_key = item.organization_key limit 1
    ) o on true
    left join lateral (
      select r.name from resources r
       where r.organization_key = item.organization_key and r.kind = item.resource_kind::resource_kind and r.id = item.resource_id limit 1
    ) r on true
    left join lateral (
      select u.profile from users u where u.api_key_id = item.api_key_id and u.user_id = item.user_id limit 1
    ) u on true;

-- webhook-deliveries.record (server/features/webhooks/delivery/outcome-statements.ts)
with moment as materialized (select coalesce($16::timestamptz, clock_timestamp()) as now),
  result as materialized (
    select item.*, m.now + make_interval(secs => item.wait_ms / 1000.0) as next_at from unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::boolean[], $5::int[], $6::text[], $7::text[], $8::int[], $9::timestamptz[], $10::int[], $11::text[], $12::int[], $13::text[], $14::bigint[], $15::bigint[]) with ordinality as item(endpoint_key, stream, sequence, is_act, claims, outcome, event_type, attempt, attempted_at, http_status, error, duration_ms, excerpt, wait_ms, pause_ms, ord) cross join moment m
  ),
  held as materialized (
    select e.endpoint_key from webhook_endpoints e where e.endpoint_key in (select endpoint_key from result)
     order by e.endpoint_key for no key update
  ),
  done as (
    delete from webhook_deliveries d using result r
     where d.endpoint_key = r.endpoint_key and d.stream = r.stream and d.sequence = r.sequence and d.is_act = r.is_act and d.claims = r.claims
       and r.next_at is null
  ),
  waiting as (
    update webhook_deliveries d
       set attempts = case when r.outcome = 'released' then d.attempts else r.attempt end, due_at = r.next_at
      from result r
     where d.endpoint_key = r.endpoint_key and d.stream = r.stream and d.sequence = r.sequence and d.is_act = r.is_act and d.claims = r.claims
       and r.next_at is not null
  ),
  logged as (
    insert into webhook_attempts (endpoint_key, stream, sequence, is_act, event_type, attempt, attempted_at, http_status, error,
                                  duration_ms, excerpt, next_attempt_at)
    select r.endpoint_key, r.stream, r.sequence, r.is_act, r.event_type, r.attempt, r.attempted_at, r.http_status, r.error,
           r.duration_ms, r.excerpt, r.next_at
      from result r join held h on h.endpoint_key = r.endpoint_key
     where r.outcome not in ('released', 'dropped')
     order by r.ord
  ),
  of_endpoint as (
    select endpoint_key, min(next_at) as next_at, max(pause_ms) as pause_ms,
           bool_or(outcome = 'delivered') as delivered, bool_or(outcome in ('failed', 'exhausted', 'gone')) as failed,
           max(ord) filter (where outcome in ('failed', 'exhausted', 'gone')) as last_failed
      from result group by endpoint_key
  ),
  noted as (
    update webhook_endpoints e
       set failing_since = case when o.delivered then null when o.failed then coalesce(e.failing_since, m.now)
                                else e.failing_since end,
           last_success_at = case when o.delivered then m.now else e.last_success_at end,
           last_failure_at = case when o.failed then m.now else e.last_failure_at end,
           last_failure_status = case when o.failed then f.http_status else e.last_failure_status end,
           last_failure_error = case when o.failed then f.error else e.last_failure_error end,
           paced_until = case when o.pause_ms > 0
                              then greatest(e.paced_until, m.now + make_interval(secs => o.pause_ms / 1000.0))
                              else e.paced_until end,
           due_at = case when e.active and o.next_at is null and o.pause_ms = 0 then e.due_at
                         when e.active then greatest(least(e.due_at, o.next_at), e.paced_until,
                                   case when o.pause_ms > 0 then m.now + make_interval(secs => o.pause_ms / 1000.0) end)
                         end
      from of_endpoint o left join result f on f.ord = o.last_failed cross join moment m
     where (select count(*) from held) >= 0 -- locks them first
       and e.endpoint_key = o.endpoint_key and (e.active or o.delivered)
       and (o.failed or o.next_at is not null or o.pause_ms > 0
            or o.delivered and (e.failing_since is not null
                                or coalesce(e.last_success_at, '-infinity') < m.now - interval '1 second'))
    returning e.endpoint_key, e.active, extract(epoch from m.now - e.failing_since)::float8 / 86400 as failing_days
  )
  select endpoint_key as "endpointKey", failing_days as "failingDays" from noted where active and failing_days is not null;

-- webhook-endpoints.count (server/features/webhooks/endpoints/endpoint-statements.ts)
select count(*) as count from webhook_endpoints where api_key_id = $1 and kind = 'signed';

-- webhook-endpoints.count-active (server/features/webhooks/delivery/delivery-statements.ts)
select coalesce(max(found.count), 0)::int as count
    from unnest($1::text[]) as named (api_key_id)
   cross join lateral (
     select count(*) as count from webhook_endpoints e where e.api_key_id = named.api_key_id and e.active
   ) found;

-- webhook-endpoints.create (server/features/webhooks/endpoints/endpoint-statements.ts)
insert into webhook_endpoints (api_key_id, endpoint_id, kind, url, description, filter_types, channels, disabled, active,
                                 rate_limit, uid, metadata, secret_sealed, created_at, updated_at)
  select $1, $2, 'signed', $3, $4, $5::text[], $6::text[], $7::boolean, not $7::boolean, $8, $9, $10::jsonb, $11::bytea, now, now
    from (select coalesce($12::timestamptz, clock_timestamp()) as now) moment
  on conflict (api_key_id, uid) where uid is not null do nothing
  returning 
  endpoint_key as "endpointKey", endpoint_id as id, url, description, filter_types as "filterTypes", channels,
  rate_limit as "rateLimit", uid, metadata, disabled, active, created_at as "createdAt", updated_at as "updatedAt";

-- webhook-endpoints.delete (server/features/webhooks/endpoints/endpoint-statements.ts)
delete from webhook_endpoints where endpoint_key = $1;

-- webhook-endpoints.disable (server/features/webhooks/delivery/outcome-statements.ts)
with disabled as (
    update webhook_endpoints e
       set disabled = true, active = false, due_at = null, updated_at = coalesce($2::timestamptz, clock_timestamp())
      from unnest($1::bigint[]) with ordinality as item(endpoint_key, ord) where e.endpoint_key = item.endpoint_key and e.active
    returning e.*
  ),
  dropped as (
    delete from webhook_deliveries d using unnest($1::bigint[]) with ordinality as item(endpoint_key, ord) where d.endpoint_key = item.endpoint_key
  )
  select endpoint_key as "endpointKey", endpoint_id as "endpointId", url, failing_since as "failingSince" from disabled;

-- webhook-endpoints.get (server/features/webhooks/endpoints/endpoint-statements.ts)
select 
  endpoint_key as "endpointKey", endpoint_id as id, url, description, filter_types as "filterTypes", channels,
  rate_limit as "rateLimit", uid, metadata, disabled, active, created_at as "createdAt", updated_at as "updatedAt" from webhook_endpoints
   where api_key_id = $1 and kind = 'signed' and endpoint_id > $2 order by endpoint_id limit $3::int;

-- webhook-endpoints.get-before (server/features/webhooks/endpoints/endpoint-statements.ts)
select 
  endpoint_key as "endpointKey", endpoint_id as id, url, description, filter_types as "filterTypes", channels,
  rate_limit as "rateLimit", uid, metadata, disabled, active, created_at as "createdAt", updated_at as "updatedAt" from webhook_endpoints
   where api_key_id = $1 and kind = 'signed' and endpoint_id < $2 order by endpoint_id desc limit $3::int;

-- webhook-endpoints.get-one (server/features/webhooks/endpoints/endpoint-statements.ts)
select 
  endpoint_key as "endpointKey", endpoint_id as id, url, description, filter_types as "filterTypes", channels,
  rate_limit as "rateLimit", uid, metadata, disabled, active, created_at as "createdAt", updated_at as "updatedAt", kind, secret_sealed as "secretSealed" from webhook_endpoints where api_key_id = $1 and endpoint_id = $2;

-- webhook-endpoints.health (server/features/webhooks/endpoints/health-statements.ts)
with moment as materialized (select coalesce($2::timestamptz, clock_timestamp()) as now)
  select e.endpoint_key as "endpointKey", 
  case when not e.active then 'disabled'
       when e.failing_since is not null or e.last_failure_at > coalesce(e.last_success_at, '-infinity') then 'failing'
       when d.waiting > 0 and coalesce(e.last_success_at, '-infinity') < m.now - interval '1 minute' then 'waiting'
       when e.last_success_at is not null then 'delivering'
       else 'never_called' end as status, a.attempts, a.failures,
         e.last_success_at as "lastSuccessAt", e.last_failure_at as "lastFailureAt",
         e.last_failure_status as "lastFailureStatus", e.last_failure_error as "lastFailureError",
         e.failing_since as "failingSince", d.waiting, greatest(d.first_due_at, e.paced_until) as "nextAttemptAt"
    from unnest($1::bigint[]) named (endpoint_key) cross join moment m
   cross join lateral (select * from webhook_endpoints e where e.endpoint_key = named.endpoint_key limit 1) e
   cross join lateral (
     select count(*)::int as attempts, (count(*) filter (where not recent.delivered))::int as failures
       from (
         select a.attempted_at, o.delivered from (values (true), (false)) o (delivered)
          cross join lateral (
            select a.attempted_at, a.attempt_key from webhook_attempts a
             where a.endpoint_key = e.endpoint_key and coalesce(a.http_status between 200 and 299, false) = o.delivered
             order by a.attempt_key desc limit 100
          ) a
          order by a.attempt_key desc limit 100
       ) recent
      where recent.attempted_at > m.now - interval '24 hours'
   ) a
   cross join lateral (
     select count(*)::int as waiting, min(d.due_at) as first_due_at
       from (select d.due_at from webhook_deliveries d where d.endpoint_key = e.endpoint_key
              order by d.due_at, d.position limit 1000) d
   ) d;

-- webhook-endpoints.lock (server/features/webhooks/messages/message-statements.ts)
select active from webhook_endpoints where endpoint_key = $1 for no key update;

-- webhook-endpoints.lock-active (server/features/webhooks/delivery/delivery-statements.ts)
with found as materialized (
    select e.endpoint_key from unnest($1::text[]) with ordinality as item(api_key_id, ord)
     cross join lateral (
       select e.endpoint_key from webhook_endpoints e where e.api_key_id = item.api_key_id and e.active offset 0
     ) e
  )
  select from webhook_endpoints e where e.endpoint_key in (select endpoint_key from found)
   order by e.endpoint_key for no key update;

-- webhook-endpoints.need-events (server/features/webhooks/endpoints/endpoint-statements.ts)
select exists (select from webhook_settings s where s.api_key_id = $1 and s.is_enabled)
      or exists (select from webhook_endpoints e where e.api_key_id = $1 and e.kind <> 'signed' and e.active) as needed;

-- webhook-endpoints.set-basic (server/features/webhooks/endpoints/endpoint-statements.ts)
with configured as materialized (select * from unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) with ordinality as item(api_key_id, kind, url, active, ord)),
  before as materialized (
    select e.kind, e.disabled from configured w
     cross join lateral (
       select * from webhook_endpoints e where e.api_key_id = w.api_key_id and e.endpoint_id = w.kind limit 1
     ) e
  ),
  changed as (
    insert into webhook_endpoints as e (api_key_id, endpoint_id, kind, url, active)
    select api_key_id, kind, kind, url, active from configured
     where active or exists (select from before b where b.kind = configured.kind)
    on conflict (api_key_id, endpoint_id) do update
       set url = excluded.url, disabled = false, active = excluded.active, due_at = case when excluded.active then e.due_at end,
         active_since = case when e.active then e.active_since else clock_timestamp() end,
           failing_since = case when e.disabled or e.url <> excluded.url then null else e.failing_since end,
           updated_at = clock_timestamp()
     where e.url <> excluded.url or e.disabled or e.active <> excluded.active
  )
  select kind from before where disabled;

-- webhook-endpoints.statuses (server/features/webhooks/endpoints/health-statements.ts)
with moment as materialized (select coalesce($2::timestamptz, clock_timestamp()) as now)
  select e.endpoint_id as "endpointId", e.failing_since as "failingSince",
         
  case when not e.active then 'disabled'
       when e.failing_since is not null or e.last_failure_at > coalesce(e.last_success_at, '-infinity') then 'failing'
       when exists (select from webhook_deliveries d where d.endpoint_key = e.endpoint_key) and coalesce(e.last_success_at, '-infinity') < m.now - interval '1 minute' then 'waiting'
       when e.last_success_at is not null then 'delivering'
       else 'never_called' end as status
    from webhook_endpoints e cross join moment m where e.api_key_id = $1 and e.url <> '' order by e.endpoint_id;

-- webhook-endpoints.switch (server/features/webhooks/endpoints/endpoint-statements.ts)
update webhook_endpoints set active = (not disabled and $2::boolean), due_at = case when (not disabled and $2::boolean) then due_at end,
         active_since = case when active then active_since else clock_timestamp() end
   where api_key_id = $1 and kind = 'signed' and active <> (not disabled and $2::boolean);

-- webhook-endpoints.update (server/features/webhooks/endpoints/endpoint-statements.ts)
update webhook_endpoints
     set url = $2, description = $3, filter_types = $4::text[], channels = $5::text[], rate_limit = $6, metadata = $7::jsonb,
         failing_since = case when $8::boolean or disabled then null else failing_since end,
         paced_until = case when rate_limit is not distinct from $6 then paced_until end,
         disabled = $8::boolean, active = not $8::boolean, due_at = case when not $8::boolean then due_at end,
         active_since = case when active then active_since else clock_timestamp() end, updated_at = coalesce($9::timestamptz, clock_timestamp())
   where endpoint_key = $1
  returning 
  endpoint_key as "endpointKey", endpoint_id as id, url, description, filter_types as "filterTypes", channels,
  rate_limit as "rateLimit", uid, metadata, disabled, active, created_at as "createdAt", updated_at as "updatedAt";

-- webhook-messages.last (server/features/webhooks/messages/message-statements.ts)
select event_count as sequence from event_streams where stream = $1;

-- webhook-messages.replay (server/features/webhooks/messages/message-statements.ts)
with moment as materialized (select coalesce($8::timestamptz, clock_timestamp()) as now),
  found as materialized (
    select v.stream, v.sequence, v.is_act, row_number() over (order by v.tick, v.stream, v.sequence, v.is_act) as position
      from (select * from webhook_endpoints where endpoint_key = $1) e
     cross join lateral (
       select v.tick, v.stream, v.sequence, m.is_act from events v cross join lateral (
      select false as is_act, v.type as type, null::text as word, false as basic_only
      union all
      select true, a.type, a.word, a.basic_only
        from (values
            ('thread.added', 'comment_annotation.add', 'newlyAdded', 'notify', false),
            ('comment.added', 'comment.add', 'added', 'notify', false),
            ('comment.updated', 'comment.update', 'updated', 'notify', false),
            ('comment.deleted', 'comment.delete', 'deleted', null, false),
            ('thread.deleted', 'comment_annotation.delete', 'deleted', null, false),
            ('thread.assigned', 'comment_annotation.assign', 'assigned', 'assigned', false),
            ('thread.status_changed', 'comment_annotation.status_change', 'statusChanged', null, false),
            ('thread.priority_changed', 'comment_annotation.priority_change', 'priorityChanged', null, false),
            ('thread.visibility_changed', 'comment_annotation.access_mode_change', 'accessModeChanged', null, true),
            ('thread.subscribed', 'comment_annotation.subscribe', 'subscribed', null, false),
            ('thread.unsubscribed', 'comment_annotation.unsubscribe', 'unsubscribed', null, false),
            ('thread.suggestion_accepted', 'comment_annotation.suggestion_accept', 'suggestionAccepted', null, false),
            ('thread.suggestion_rejected', 'comment_annotation.suggestion_reject', 'suggestionRejected', null, false)
        ) a (event_type, type, word, only_if, basic_only)
       where a.event_type = v.type and (a.only_if is null or (v.after ->> a.only_if)::boolean)
   ) m
        where v.api_key_id = e.api_key_id and v.changed_at >= $2::timestamptz and v.changed_at < $3::timestamptz
          and v.tick between coalesce($6::bigint, -9223372036854775808) and coalesce($7::bigint, 9223372036854775807)
          and v.type <> $5
          and (e.filter_types is null or m.type = any (e.filter_types))
          and case when not m.is_act then e.kind = 'signed' or m.type not like 'thread.%' and m.type not like 'comment.%'
                   else (e.kind <> 'signed' or not m.basic_only)
                        and (select coalesce(((k.webhook_service_config #> '{triggers,comment}') ->> m.type)::boolean, ((k.webhook_service_config #> '{triggers,comment}') ->> m.word)::boolean, m.word not like 'suggestion%') from api_keys k where k.api_key_id = e.api_key_id limit 1) end
          and (e.channels is null or v.organization_id = any (e.channels))
        order by v.tick, v.stream, v.sequence, m.is_act limit $4::int + 1
     ) v
  ),
  chosen as materialized (select * from found where (select count(*) from found) <= $4::int),
  
  enqueued as (
    insert into webhook_deliveries as d (endpoint_key, stream, sequence, is_act, due_at)
    select $1, c.stream, c.sequence, c.is_act, m.now from chosen c cross join moment m order by c.position
    on conflict (endpoint_key, stream, sequence, is_act) do update
       set attempts = 0, claims = d.claims + 1, due_at = excluded.due_at
    returning 1
  ),
  woken as (
    update webhook_endpoints e set due_at = greatest(least(e.due_at, m.now), e.paced_until)
      from moment m where e.endpoint_key = $1 and exists (select from enqueued)
  )
  select count(*) as messages from found;

-- webhook-messages.resend (server/features/webhooks/messages/message-statements.ts)
with moment as materialized (select coalesce($6::timestamptz, clock_timestamp()) as now),
  chosen as materialized (
    select v.stream, v.sequence, m.is_act, m.type, 1 as position from events v cross join lateral (
      select false as is_act, v.type as type, null::text as word, false as basic_only
      union all
      select true, a.type, a.word, a.basic_only
        from (values
            ('thread.added', 'comment_annotation.add', 'newlyAdded', 'notify', false),
            ('comment.added', 'comment.add', 'added', 'notify', false),
            ('comment.updated', 'comment.update', 'updated', 'notify', false),
            ('comment.deleted', 'comment.delete', 'deleted', null, false),
            ('thread.deleted', 'comment_annotation.delete', 'deleted', null, false),
            ('thread.assigned', 'comment_annotation.assign', 'assigned', 'assigned', false),
            ('thread.status_changed', 'comment_annotation.status_change', 'statusChanged', null, false),
            ('thread.priority_changed', 'comment_annotation.priority_change', 'priorityChanged', null, false),
            ('thread.visibility_changed', 'comment_annotation.access_mode_change', 'accessModeChanged', null, true),
            ('thread.subscribed', 'comment_annotation.subscribe', 'subscribed', null, false),
            ('thread.unsubscribed', 'comment_annotation.unsubscribe', 'unsubscribed', null, false),
            ('thread.suggestion_accepted', 'comment_annotation.suggestion_accept', 'suggestionAccepted', null, false),
            ('thread.suggestion_rejected', 'comment_annotation.suggestion_reject', 'suggestionRejected', null, false)
        ) a (event_type, type, word, only_if, basic_only)
       where a.event_type = v.type and (a.only_if is null or (v.after ->> a.only_if)::boolean)
   ) m
     where v.stream = $2 and v.sequence = $3 and v.api_key_id = $4 and m.is_act = $5::boolean
  ),
  
  enqueued as (
    insert into webhook_deliveries as d (endpoint_key, stream, sequence, is_act, due_at)
    select $1, c.stream, c.sequence, c.is_act, m.now from chosen c cross join moment m order by c.position
    on conflict (endpoint_key, stream, sequence, is_act) do update
       set attempts = 0, claims = d.claims + 1, due_at = excluded.due_at
    returning 1
  ),
  woken as (
    update webhook_endpoints e set due_at = greatest(least(e.due_at, m.now), e.paced_until)
      from moment m where e.endpoint_key = $1 and exists (select from enqueued)
  )
  select type from chosen;

-- webhook-secrets.rotate (server/features/webhooks/endpoints/endpoint-statements.ts)
update webhook_endpoints
     set previous_secret_sealed = case when $3::int > 0 then secret_sealed end,
         previous_secret_until = coalesce($4::timestamptz, clock_timestamp()) + make_interval(secs => $3::int),
         secret_sealed = $2::bytea, updated_at = coalesce($4::timestamptz, clock_timestamp())
   where endpoint_key = $1;

-- workspace-tokens.check (server/features/workspace-tokens/statements.ts)
select item.req, t.workspace_token_id as "tokenId", t.name as "tokenName", (t.last_used_at is null or t.last_used_at <= coalesce($4::timestamptz, clock_timestamp()) - interval '1 minute') as "isUnrecorded"
    from unnest($1::int[], $2::text[], $3::bytea[]) with ordinality as item(req, workspace_id, token_hash, ord)
    join workspace_tokens t on t.token_hash = item.token_hash and t.workspace_id = item.workspace_id
   where t.revoked_at is null and (t.expires_at is null or t.expires_at > coalesce($4::timestamptz, clock_timestamp()));

-- workspace-tokens.count (server/features/workspace-tokens/statements.ts)
select count(*) as count from unnest($1::text[]) with ordinality as item(workspace_id, ord) join workspace_tokens t on t.workspace_id = item.workspace_id where t.revoked_at is null and (t.expires_at is null or t.expires_at > coalesce($2::timestamptz, clock_timestamp()));

-- workspace-tokens.create (server/features/workspace-tokens/statements.ts)
insert into workspace_tokens (token_hash, workspace_id, name, token_sealed, expires_at, origin)
  values ($1::bytea, $2, $3, $4::bytea, $5::timestamptz, $6::jsonb)
  returning workspace_token_id as id, name, created_at as "createdAt", expires_at as "expiresAt",
            last_used_at as "lastUsedAt", origin;

-- workspace-tokens.expire-login-links (server/features/workspace-tokens/statements.ts)
update login_links l set expires_at = least(l.expires_at, coalesce($2::timestamptz, clock_timestamp()))
    from unnest($1::text[]) with ordinality as item(workspace_id, ord) where l.workspace_id = item.workspace_id;

-- workspace-tokens.get (server/features/workspace-tokens/statements.ts)
select t.workspace_token_id as id, t.name, t.created_at as "createdAt", t.expires_at as "expiresAt",
         t.last_used_at as "lastUsedAt", t.origin, t.token_sealed as sealed
    from unnest($1::text[]) with ordinality as item(workspace_id, ord) join workspace_tokens t on t.workspace_id = item.workspace_id
   where t.revoked_at is null and (t.expires_at is null or t.expires_at > coalesce($2::timestamptz, clock_timestamp()))
   order by t.created_at, t.token_hash;

-- workspace-tokens.get-sealed (server/features/workspace-tokens/statements.ts)
select token_sealed as sealed from workspace_tokens where workspace_id = $1 and workspace_token_id = $2::uuid;

-- workspace-tokens.record-use (server/features/workspace-tokens/statements.ts)
update workspace_tokens t set last_used_at = coalesce($2::timestamptz, clock_timestamp())
    from unnest($1::bytea[]) with ordinality as item(token_hash, ord) where t.token_hash = item.token_hash and (t.last_used_at is null or t.last_used_at <= coalesce($2::timestamptz, clock_timestamp()) - interval '1 minute');

-- workspace-tokens.reset (server/features/workspace-tokens/statements.ts)
update workspace_tokens t
     set expires_at = least(t.expires_at, ended.at), revoked_at = case when ended.grace_period_seconds = 0 then ended.at end,
         replaced_at = coalesce(t.replaced_at, coalesce($3::timestamptz, clock_timestamp()))
    from (select item.*, coalesce($3::timestamptz, clock_timestamp()) + make_interval(secs => grace_period_seconds) as at from unnest($1::text[], $2::int[]) with ordinality as item(workspace_id, grace_period_seconds, ord)) ended
   where t.workspace_id = ended.workspace_id and t.revoked_at is null;

-- workspace-tokens.revoke (server/features/workspace-tokens/statements.ts)
with named as materialized (
    select t.token_hash, t.workspace_token_id, t.name, t.revoked_at is null and (t.expires_at is null or t.expires_at > coalesce($3::timestamptz, clock_timestamp())) as was_valid,
           t.expires_at is null and t.revoked_at is null
           and not exists (select from workspace_tokens other
                            where other.workspace_id = t.workspace_id and other.token_hash <> t.token_hash
                              and other.revoked_at is null and other.expires_at is null) as is_last
      from unnest($1::text[], $2::text[]) with ordinality as item(workspace_id, token_id, ord)
      join workspace_tokens t on t.workspace_id = item.workspace_id and t.workspace_token_id::text = item.token_id
  ),
  revoked as (
    update workspace_tokens t set revoked_at = coalesce($3::timestamptz, clock_timestamp())
      from named where named.was_valid and not named.is_last and t.token_hash = named.token_hash
  )
  select workspace_token_id as id, name, was_valid as "wasValid", is_last as "isLast" from named;

-- workspaces.check-caller (server/tenancy/writes/workspace.ts)
select coalesce(t.revoked_at is null and (t.expires_at is null or t.expires_at > coalesce($4::timestamptz, clock_timestamp())) and t.token_hash is not null, false) as "isValid",
         t.replaced_at is not null as "isReplaced", o.role
    from unnest($1::text[], $2::uuid[], $3::uuid[]) with ordinality as item(workspace_id, token_id, operator_id, ord)
    left join workspace_tokens t on t.workspace_id = item.workspace_id and t.workspace_token_id = item.token_id
    left join operators o on o.workspace_id = item.workspace_id and o.operator_id = item.operator_id;

-- workspaces.count (server/features/workspaces/statements.ts)
select count(*) as count from workspaces where owner_id = $1;

-- workspaces.create (server/features/workspaces/statements.ts)
insert into workspaces (workspace_id, name, owner_id, owner_email, owner_name, owner_avatar)
  values ($1, $2, $3, $4, $5, $6);

-- workspaces.get (server/features/workspaces/statements.ts)
select w.name, w.owner_id as "ownerId", w.owner_email as "ownerEmail", w.owner_name as "ownerName",
         w.owner_avatar as "ownerAvatar",
         coalesce((select jsonb_agg(jsonb_build_object('id', api_key_id, 'apiKeyName', name, 'type', type,
                                                       'disabled', disabled_at is not null) order by api_key_id)
                     from api_keys k where k.workspace_id = w.workspace_id), '[]') as "apiKeys"
    from workspaces w where w.workspace_id = $1;

-- workspaces.has-any (server/features/workspaces/statements.ts)
select exists (select from workspaces) as found;

-- workspaces.hold (server/tenancy/writes/workspace.ts)
select from workspaces where workspace_id = $1 for share;

-- workspaces.lock (server/tenancy/writes/workspace.ts)
select from workspaces where workspace_id = $1 for no key update;

-- workspaces.lock-owner (server/features/workspaces/statements.ts)
select pg_advisory_xact_lock(hashtextextended($1, 0));
