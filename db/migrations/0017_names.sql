-- Lists in the order of names (ADR 0051).

-- Returns where something stands among others in the order of names, regardless of case and accents: by its id if it has no name. The
-- first 100 characters decide, so that the longest fit an index. The body is bound to the function that it calls, since indexes are built
-- without the search path in which that would be found.
create function name_order(name text, id text) returns text language sql immutable parallel safe
  return left(search_fold(coalesce(nullif(name, ''), id)), 100) collate "C";

create index organizations__name__idx on organizations (api_key_id, name_order(name, organization_id), organization_id);
-- Of the folders and of the documents directly in a folder, or at the top level.
create index resources__name__idx on resources (organization_key, folder_key, kind, name_order(name, id), id);
create index users__name__idx on users (api_key_id, name_order(profile ->> 'name', user_id), user_id);
create index user_groups__name__idx on user_groups (organization_key, name_order(name, group_id), group_id);
