-- Search by name, id and e-mail address (ADR 0045). The functions are the same on every version of PostgreSQL, in every locale: they
-- use no `lower` of the locale and no extension.

-- Returns the first 256 characters of a text as search compares them: without case, accents and repeated white space. Case and
-- letters without a decomposition are folded for Latin, Greek, Cyrillic and Armenian.
create function search_fold(given text) returns text language sql immutable parallel safe as $$
  select btrim(regexp_replace(lower(
           case when octet_length(given) = length(given) then left(given, 256)
                else replace(replace(replace(replace(
                       translate(regexp_replace(normalize(left(given, 256), NFKD), '[\u0300-\u036f]+', '', 'g'),
                         'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖĐĦŁØŊŦđħłøŧðıςÐÆŒÞẞ',
                         'αβγδεζηθικλμνξοπρστυφχψωабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆdhloŋtdhlotdiσdæœþß'),
                       'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
           end collate "C"), '[\u0001-\u0020]+', ' ', 'g'))
$$;

-- Returns what a search compares: id, name and e-mail address between empty lines, so that the beginning of each is found as a part.
create function search_words(id text, name text, email text) returns text language sql immutable parallel safe as $$
  select E'\n\n' || search_fold(id) || E'\n\n' || coalesce(search_fold(name) || E'\n\n', '') || coalesce(search_fold(email) || E'\n\n', '')
$$;

-- Returns the first 128 bits of a SHA-256 as a uuid.
create function search_key(given text) returns uuid language sql immutable parallel safe as $$
  select encode(substr(sha256(convert_to(given, 'UTF8')), 1, 16), 'hex')::uuid
$$;

create type search_kind as enum ('organization', 'user', 'userGroup', 'folder', 'document');

-- Returns a number for each three characters in a row, and one for the place unless it is null. The numbers of two API keys, and of
-- two kinds, differ, so that an index of them finds the entries of one tenant, whatever others store.
create function search_grams(api_key_id text, kind search_kind, place uuid, words text) returns bigint[]
  language sql immutable parallel safe as $$
  select array(
    select hashtextextended(substr(words, i, 3), seed) from generate_series(1, length(words) - 2) i
    union all
    select hashtextextended(place::text, seed) where place is not null)
    from (select hashtextextended(api_key_id || ' ' || kind::text, 0) as seed offset 0) tenant
$$;

-- What can be found: a row for each organization, folder, document, user and user group. Triggers alone write it, in the
-- transaction and the statement of the change, so it is right whatever version of the server makes the change.
create table search_entries (
  api_key_id text collate "C" not null,
  kind search_kind not null,
  -- The key of the organization. Users, who are those of the whole API key, have zeros.
  place uuid not null,
  -- Of the resource or organization; for users and groups a hash of the id. In no order that a tenant could choose.
  entry_key uuid not null,
  id text collate "C" not null,
  words text collate "C" not null,
  primary key (api_key_id, kind, place, entry_key)
);
alter table search_entries alter column api_key_id set (n_distinct = 10);

-- Servers of the previous version may still write: without the lock, what they commit before the triggers exist would have no entry.
lock table organizations, resources, users, user_groups in share row exclusive mode;

insert into search_entries (api_key_id, kind, place, entry_key, id, words)
select o.api_key_id, r.kind::text::search_kind, r.organization_key, r.resource_key, r.id, search_words(r.id, r.name, null)
  from resources r join organizations o on o.organization_key = r.organization_key where r.kind <> 'organization'
union all
select api_key_id, 'organization', organization_key, organization_key, organization_id, search_words(organization_id, name, null)
  from organizations where added_at is not null
union all
select api_key_id, 'user', '00000000-0000-0000-0000-000000000000', search_key(user_id), user_id,
       search_words(user_id, profile ->> 'name', profile ->> 'email')
  from users
union all
select o.api_key_id, 'userGroup', g.organization_key, search_key(g.organization_key::text || g.group_id), g.group_id,
       search_words(g.group_id, g.name, null)
  from user_groups g join organizations o on o.organization_key = g.organization_key;

-- Changes wait in a list of 256 kB at most, of all tenants together, which every search reads: with the default of 4 MB, one tenant
-- that adds documents would make the searches of all slow; without a list, adding documents would take three times as long.
create index search_entries__grams on search_entries
  using gin (search_grams(api_key_id, kind, place, words)) with (gin_pending_list_limit = 256);

-- Folders and documents are added and deleted by the thousand, so these two work on all rows of a statement at once. The last
-- `limit 1` keeps the planner from joining by reading whole tables.
create function search_resources_added() returns trigger language plpgsql as $$
begin
  insert into search_entries (api_key_id, kind, place, entry_key, id, words)
  select o.api_key_id, r.kind::text::search_kind, r.organization_key, r.resource_key, r.id, search_words(r.id, r.name, null)
    from added r
   cross join lateral (select o.api_key_id from organizations o where o.organization_key = r.organization_key limit 1) o
   where r.kind <> 'organization';
  return null;
end $$;
create trigger resources__search_added after insert on resources
  referencing new table as added for each statement execute function search_resources_added();

create function search_resources_deleted() returns trigger language plpgsql as $$
begin
  delete from search_entries where ctid = any (array(
    select e.ctid
      from deleted r
     cross join lateral (select o.api_key_id from organizations o where o.organization_key = r.organization_key limit 1) o
     cross join lateral (
        select e.ctid from search_entries e
         where e.api_key_id = o.api_key_id and e.kind = r.kind::text::search_kind
           and e.place = r.organization_key and e.entry_key = r.resource_key limit 1
      ) e
     where r.kind <> 'organization'));
  return null;
end $$;
create trigger resources__search_deleted after delete on resources
  referencing old table as deleted for each statement execute function search_resources_deleted();

create function search_resource_renamed() returns trigger language plpgsql as $$
begin
  update search_entries e set id = new.id, words = search_words(new.id, new.name, null)
   where e.api_key_id = (select o.api_key_id from organizations o where o.organization_key = new.organization_key)
     and e.kind = new.kind::text::search_kind and e.place = new.organization_key and e.entry_key = new.resource_key;
  return null;
end $$;
create trigger resources__search_renamed after update on resources for each row
  when (old.id <> new.id or old.name is distinct from new.name) execute function search_resource_renamed();

create function search_organization_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from search_entries
     where api_key_id = old.api_key_id and kind = any (enum_range(null::search_kind)) and place = old.organization_key;
  elsif new.added_at is null then
    delete from search_entries
     where api_key_id = new.api_key_id and kind = 'organization' and place = new.organization_key
       and entry_key = new.organization_key;
  else
    insert into search_entries (api_key_id, kind, place, entry_key, id, words)
    values (new.api_key_id, 'organization', new.organization_key, new.organization_key, new.organization_id,
            search_words(new.organization_id, new.name, null))
    on conflict (api_key_id, kind, place, entry_key) do update set words = excluded.words;
  end if;
  return null;
end $$;
create trigger organizations__search_added after insert on organizations for each row
  when (new.added_at is not null) execute function search_organization_changed();
create trigger organizations__search_changed after update on organizations for each row
  when (old.name is distinct from new.name or (old.added_at is null) <> (new.added_at is null))
  execute function search_organization_changed();
create trigger organizations__search_deleted after delete on organizations for each row
  execute function search_organization_changed();

create function search_user_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from search_entries
     where api_key_id = old.api_key_id and kind = 'user' and place = '00000000-0000-0000-0000-000000000000'
       and entry_key = search_key(old.user_id);
  else
    insert into search_entries (api_key_id, kind, place, entry_key, id, words)
    values (new.api_key_id, 'user', '00000000-0000-0000-0000-000000000000', search_key(new.user_id), new.user_id,
            search_words(new.user_id, new.profile ->> 'name', new.profile ->> 'email'))
    on conflict (api_key_id, kind, place, entry_key) do update set words = excluded.words;
  end if;
  return null;
end $$;
create trigger users__search_added_or_deleted after insert or delete on users for each row
  execute function search_user_changed();
create trigger users__search_changed after update on users for each row
  when (old.profile -> 'name' is distinct from new.profile -> 'name' or old.profile -> 'email' is distinct from new.profile -> 'email')
  execute function search_user_changed();

create function search_user_group_changed() returns trigger language plpgsql as $$
declare
  changed user_groups := case when tg_op = 'DELETE' then old else new end;
  owner text := (select o.api_key_id from organizations o where o.organization_key = changed.organization_key);
begin
  if tg_op = 'DELETE' then
    delete from search_entries
     where api_key_id = owner and kind = 'userGroup' and place = changed.organization_key
       and entry_key = search_key(changed.organization_key::text || changed.group_id);
  else
    insert into search_entries (api_key_id, kind, place, entry_key, id, words)
    values (owner, 'userGroup', changed.organization_key, search_key(changed.organization_key::text || changed.group_id),
            changed.group_id, search_words(changed.group_id, changed.name, null))
    on conflict (api_key_id, kind, place, entry_key) do update set words = excluded.words;
  end if;
  return null;
end $$;
create trigger user_groups__search_added_or_deleted after insert or delete on user_groups for each row
  execute function search_user_group_changed();
create trigger user_groups__search_changed after update on user_groups for each row
  when (old.name is distinct from new.name) execute function search_user_group_changed();
