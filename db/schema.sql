-- The schema as the migrations make it, read from the catalog by scripts/golden.ts; migrations do not run it.

-- A function may name a table that comes after it.
SET check_function_bodies = off;

CREATE TYPE access_role AS ENUM ('viewer', 'commenter', 'editor');

CREATE TYPE access_type AS ENUM ('public', 'organizationPrivate', 'restricted');

CREATE TYPE resource_kind AS ENUM ('organization', 'folder', 'document');

CREATE TYPE search_kind AS ENUM ('organization', 'user', 'userGroup', 'folder', 'document');

CREATE OR REPLACE FUNCTION public.comment_text(content jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select coalesce(nullif(content ->> 'commentText', ''),
    replace(replace(replace(replace(replace(replace(regexp_replace(
      regexp_replace(content ->> 'commentHtml', '</?(?:a|b|code|del|em|font|i|ins|mark|s|small|span|strong|sub|sup|u)(?:\s[^<>]*)?>', '', 'gi'),
      '<[^<>]*>', ' ', 'g'), '&nbsp;', ' '), '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&#39;', ''''), '&amp;', '&'),
    '')
$function$;

CREATE OR REPLACE FUNCTION public.delete_notifications_of_thread()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from notifications n
   where n.organization_key = old.organization_key and n.resource_key = old.resource_key
     and n.target_annotation_id = old.annotation_id and n.target_comment_id is null;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.erase_new_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from user_data_deletions where finished_at is null) then return null; end if;
  update events e
     set user_id = 'erased:' || left(encode(sha256(convert_to(d.salt::text, 'UTF8') || '\x00'::bytea || convert_to(a.user_id, 'UTF8')), 'hex'), 32),
         before = case when a.type like 'permission.%' or a.type = 'user.removed' or a.before is null then a.before else '{}' end,
         after = case when a.type like 'permission.%' or a.type = 'user.removed' or a.after is null then a.after else '{}' end
    from added a
    join user_data_deletions d on d.api_key_id = a.api_key_id and d.finished_at is null and a.user_id = any(d.user_ids)
                              and (d.organization_ids is null or a.organization_id = any(d.organization_ids))
   where a.user_id is not null and e.stream = a.stream and e.sequence = a.sequence;
  update events e
     set actor = jsonb_set(a.actor, '{userId}', to_jsonb('erased:' || left(encode(sha256(convert_to(d.salt::text, 'UTF8') || '\x00'::bytea || convert_to(a.actor ->> 'userId', 'UTF8')), 'hex'), 32)))
    from added a
    join user_data_deletions d on d.api_key_id = a.api_key_id and d.finished_at is null and a.actor ->> 'userId' = any(d.user_ids)
                              and (d.organization_ids is null or a.organization_id = any(d.organization_ids))
   where e.stream = a.stream and e.sequence = a.sequence;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.hold_moving_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  moving text := tg_argv[0];
  changed record;
  belongs boolean;
begin
  if tg_op = 'DELETE' then changed := old; else changed := new; end if;
  case tg_argv[1]
    when 'api_key_id' then belongs := changed.api_key_id = moving;
    when 'organization_key' then
      belongs := exists (select from organizations o where o.organization_key = changed.organization_key and o.api_key_id = moving);
    when 'endpoint_key' then
      belongs := exists (select from webhook_endpoints e where e.endpoint_key = changed.endpoint_key and e.api_key_id = moving);
    else belongs := changed.stream = tg_argv[1]::uuid;
  end case;
  if belongs is not true or current_setting('commonhold.moving', true) = moving then return changed; end if;
  if tg_op = any (tg_argv[2]::text[]) then return null; end if;
  if tg_op = 'UPDATE' and tg_argv[3] <> '{}' and to_jsonb(old) - tg_argv[3]::text[] = to_jsonb(new) - tg_argv[3]::text[] then return null; end if;
  raise exception 'The data of this API key is being moved to another database; reads work, repeat the change when it is moved.'
    using errcode = 'CH002', detail = 'api_key_moving';
end
$function$;

CREATE OR REPLACE FUNCTION public.is_being_erased(api_key text, organization text, erased_user text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (select from user_data_deletions d
                  where d.api_key_id = api_key and d.finished_at is null and erased_user = any(d.user_ids)
                    and (d.organization_ids is null or organization = any(d.organization_ids)))
$function$;

CREATE OR REPLACE FUNCTION public.json_texts(list jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select coalesce((select array_agg(item) from jsonb_array_elements_text(list) as item), '{}')
$function$;

CREATE OR REPLACE FUNCTION public.log_position()
 RETURNS pg_lsn
 LANGUAGE plpgsql
AS $function$
begin
  return pg_current_wal_flush_lsn();
exception
  when insufficient_privilege or undefined_function or feature_not_supported or object_not_in_prerequisite_state then
    return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_users_being_erased()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  is_named boolean;
begin
  if not exists (select from user_data_deletions where finished_at is null) then return null; end if;
  for argument in 0 .. tg_nargs - 1 loop
    if tg_table_name in ('users', 'disabled_users') then
      execute format('select exists (select from added a where is_being_erased(a.api_key_id, null, a.%I))', tg_argv[argument]) into is_named;
    else
      execute format('select exists (select from added a join organizations o on o.organization_key = a.organization_key
                                      where is_being_erased(o.api_key_id, o.organization_id, a.%I))', tg_argv[argument]) into is_named;
    end if;
    if is_named then
      raise exception 'A user whom the call names is being erased; repeat the call when the job of users/data/delete is completed.'
        using errcode = 'CH001', detail = 'user_being_erased';
    end if;
  end loop;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.remember_private_thread()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into deleted_private_threads as p (organization_key, resource_key, annotation_id)
  select r.organization_key, r.resource_key, old.annotation_id from resources r
   where r.organization_key = old.organization_key and r.resource_key = old.resource_key
  on conflict (organization_key, resource_key, annotation_id) do update set hides_until = 'infinity';
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.resource_shelf()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.shelf_key := case when new.folder_key is not null
                        then coalesce((select f.shelf_key from resources f
                                        where f.organization_key = new.organization_key and f.resource_key = new.folder_key), new.folder_key)
                        when new.kind = 'folder' then new.resource_key end;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.search_comment_written()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.api_key_id is null then
    new.api_key_id := (select o.api_key_id from organizations o where o.organization_key = new.organization_key);
  end if;
  new.words := search_tokens(new.api_key_id, comment_text(new.content));
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.search_fold(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select btrim(regexp_replace(lower(
           case when octet_length(given) = length(given) then left(given, 256)
                else replace(replace(replace(replace(
                       translate(regexp_replace(normalize(left(given, 256), NFKD), '[\u0300-\u036f]+', '', 'g'),
                         'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖĐĦŁØŊŦđħłøŧðıςÐÆŒÞẞ',
                         'αβγδεζηθικλμνξοπρστυφχψωабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆdhloŋtdhlotdiσdæœþß'),
                       'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
           end collate "C"), '[\u0001-\u0020]+', ' ', 'g'))
$function$;

CREATE OR REPLACE FUNCTION public.search_fold_all(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select btrim(regexp_replace(lower(
           case when octet_length(given) = length(given) then given
                else replace(replace(replace(replace(
                       translate(regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]+', '', 'g'),
                         'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖĐĦŁØŊŦđħłøŧðıςÐÆŒÞẞ',
                         'αβγδεζηθικλμνξοπρστυφχψωабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆdhloŋtdhlotdiσdæœþß'),
                       'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
           end collate "C"), '[\u0001-\u0020]+', ' ', 'g'))
$function$;

CREATE OR REPLACE FUNCTION public.search_grams(api_key_id text, kind search_kind, place uuid, words text)
 RETURNS bigint[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select array(
    select hashtextextended(substr(words, i, 3), seed) from generate_series(1, length(words) - 2) i
    union all
    select hashtextextended(place::text, seed) where place is not null)
    from (select hashtextextended(api_key_id || ' ' || kind::text, 0) as seed offset 0) tenant
$function$;

CREATE OR REPLACE FUNCTION public.search_key(given text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select encode(substr(sha256(convert_to(given, 'UTF8')), 1, 16), 'hex')::uuid
$function$;

CREATE OR REPLACE FUNCTION public.search_organization_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.search_resource_renamed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update search_entries e set id = new.id, words = search_words(new.id, new.name, null)
   where e.api_key_id = (select o.api_key_id from organizations o where o.organization_key = new.organization_key)
     and e.kind = new.kind::text::search_kind and e.place = new.organization_key and e.entry_key = new.resource_key;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.search_resources_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into search_entries (api_key_id, kind, place, entry_key, id, words)
  select o.api_key_id, r.kind::text::search_kind, r.organization_key, r.resource_key, r.id, search_words(r.id, r.name, null)
    from added r
   cross join lateral (select o.api_key_id from organizations o where o.organization_key = r.organization_key limit 1) o
   where r.kind <> 'organization';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.search_resources_deleted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.search_tokens(api_key_id text, given text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  tenant text := left(md5(api_key_id), 6);
  is_ascii boolean := octet_length(given) = length(given);
  words text;
begin
  if is_ascii then
    words := regexp_replace(lower(given collate "C"), '[^a-z0-9]+', ' ' || tenant, 'g');
  else
    words := translate(search_fold_all(given), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~' || chr(127), repeat(' ', 33));
    words := regexp_replace(words, '[\u0080-\u00bf\u2000-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\ufe10-\uffff]+', ' ', 'g');
    words := regexp_replace(words,
      '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u312f\u31a0-\u31ff\u3400-\u9fff\U0001f000-\U0001faff\U00020000-\U0003ffff])', ' \1 ', 'g');
    words := replace(words, ' ', ' ' || tenant);
  end if;
  words := tenant || words;
  if length(case when is_ascii then given else words end) > 200 then words := regexp_replace(words, '([^ ]{206})[^ ]+', '\1', 'g'); end if;
  return array_to_tsvector(array_remove(string_to_array(words, ' '), tenant));
end
$function$;

CREATE OR REPLACE FUNCTION public.search_user_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.search_user_group_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.search_words(id text, name text, email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select E'\n\n' || search_fold(id) || E'\n\n' || coalesce(search_fold(name) || E'\n\n', '') || coalesce(search_fold(email) || E'\n\n', '')
$function$;

CREATE OR REPLACE FUNCTION public.name_order(name text, id text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ("left"(search_fold(COALESCE(NULLIF(name, ''::text), id)), 100) COLLATE "C");

-- Belongs to the installation; stands in the home database and in each bucket.
CREATE TABLE database_clock (
  singleton boolean NOT NULL DEFAULT true,
  reached timestamp with time zone NOT NULL,
  repeated tstzmultirange NOT NULL DEFAULT '{}'::tstzmultirange,
  CONSTRAINT database_clock_pkey PRIMARY KEY (singleton),
  CONSTRAINT database_clock_singleton_check CHECK (singleton)
);

-- Belongs to the installation; stands in the home database and in each bucket.
CREATE TABLE database_epochs (
  epoch integer NOT NULL,
  adoption_id uuid NOT NULL DEFAULT gen_random_uuid(),
  system_identifier text,
  timeline integer,
  forked_at pg_lsn,
  adopted_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  superseded_by integer,
  numbered_after bigint NOT NULL DEFAULT 0,
  table_oid oid NOT NULL,
  CONSTRAINT database_epochs_pkey PRIMARY KEY (epoch)
);

-- Belongs to the installation; stands in the home database and in each bucket.
CREATE TABLE schema_migrations (
  version integer NOT NULL,
  name text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (version)
);

-- Belongs to the installation; stands in the home database and in each bucket.
CREATE TABLE installation (
  singleton boolean NOT NULL DEFAULT true,
  master_key_check bytea NOT NULL,
  CONSTRAINT installation_pkey PRIMARY KEY (singleton),
  CONSTRAINT installation__singleton CHECK (singleton)
);

-- Belongs to the installation; stands in the home database.
CREATE TABLE workspaces (
  workspace_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  owner_id text NOT NULL,
  owner_email text NOT NULL,
  owner_name text NOT NULL,
  owner_avatar text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT workspaces_pkey PRIMARY KEY (workspace_id)
);
CREATE INDEX workspaces__owner_id__idx ON workspaces USING btree (owner_id);

-- Belongs to the installation; stands in the home database.
CREATE TABLE buckets (
  name text NOT NULL,
  url_sealed bytea NOT NULL,
  region text,
  takes_keys boolean NOT NULL DEFAULT true,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT buckets_pkey PRIMARY KEY (name)
);

-- Belongs to the installation; stands in the home database.
CREATE TABLE bucket_moves (
  bucket text NOT NULL,
  from_url_sealed bytea NOT NULL,
  to_url_sealed bytea NOT NULL,
  started_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  switched_at timestamp with time zone,
  CONSTRAINT bucket_moves_pkey PRIMARY KEY (bucket),
  CONSTRAINT bucket_moves_bucket_fkey FOREIGN KEY (bucket) REFERENCES buckets(name) ON DELETE CASCADE
);

-- Belongs to the installation; stands in the home database.
CREATE TABLE key_moves (
  move_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  api_key_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  from_bucket text,
  to_bucket text,
  started_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  closed_at timestamp with time zone,
  switched_at timestamp with time zone,
  finished_at timestamp with time zone,
  CONSTRAINT key_moves_pkey PRIMARY KEY (move_id),
  CONSTRAINT key_moves_from_bucket_fkey FOREIGN KEY (from_bucket) REFERENCES buckets(name),
  CONSTRAINT key_moves_to_bucket_fkey FOREIGN KEY (to_bucket) REFERENCES buckets(name),
  CONSTRAINT key_moves_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id) ON DELETE CASCADE
);
CREATE INDEX key_moves__from_bucket__idx ON key_moves USING btree (from_bucket);
CREATE INDEX key_moves__to_bucket__idx ON key_moves USING btree (to_bucket);
CREATE UNIQUE INDEX key_moves__unfinished__key ON key_moves USING btree (api_key_id) WHERE (finished_at IS NULL);
CREATE INDEX key_moves__workspace_id__idx ON key_moves USING btree (workspace_id);

-- Belongs to the installation; stands in the home database.
CREATE TABLE key_places (
  api_key_id text NOT NULL,
  workspace_id text NOT NULL,
  bucket text NOT NULL,
  type text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT key_places_pkey PRIMARY KEY (api_key_id),
  CONSTRAINT key_places_bucket_fkey FOREIGN KEY (bucket) REFERENCES buckets(name),
  CONSTRAINT key_places_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id) ON DELETE CASCADE
);
CREATE INDEX key_places__bucket__idx ON key_places USING btree (bucket);
CREATE INDEX key_places__workspace_id__idx ON key_places USING btree (workspace_id);

-- Belongs to the installation; stands in the home database.
CREATE TABLE workspace_tokens (
  token_hash bytea NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  workspace_token_id uuid NOT NULL DEFAULT gen_random_uuid(),
  name text NOT NULL,
  token_sealed bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  origin jsonb,
  replaced_at timestamp with time zone,
  CONSTRAINT workspace_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT workspace_tokens__workspace_token_id__key UNIQUE (workspace_id, workspace_token_id),
  CONSTRAINT workspace_tokens_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id) ON DELETE CASCADE
);
CREATE INDEX workspace_tokens__workspace_id__idx ON workspace_tokens USING btree (workspace_id, created_at);

-- Belongs to the installation; stands in the home database.
CREATE TABLE operators (
  workspace_id text COLLATE "C" NOT NULL,
  operator_id uuid NOT NULL DEFAULT gen_random_uuid(),
  email text NOT NULL,
  name text NOT NULL,
  role text NOT NULL,
  invited_by text,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  last_seen_at timestamp with time zone,
  address_confirmed_at timestamp with time zone,
  CONSTRAINT operators_pkey PRIMARY KEY (workspace_id, operator_id),
  CONSTRAINT operators_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id) ON DELETE CASCADE,
  CONSTRAINT operators__role CHECK ((role = ANY (ARRAY['support'::text, 'developer'::text, 'admin'::text, 'owner'::text])))
);
CREATE INDEX operators__address__idx ON operators USING btree (lower((email COLLATE "C")));
CREATE UNIQUE INDEX operators__email__key ON operators USING btree (workspace_id, lower((email COLLATE "C")));

-- Belongs to the installation; stands in the home database.
CREATE TABLE passkeys (
  credential_id bytea NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  operator_id uuid NOT NULL,
  passkey_id uuid NOT NULL DEFAULT gen_random_uuid(),
  name text NOT NULL,
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  transports text[] NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  last_used_at timestamp with time zone,
  CONSTRAINT passkeys_pkey PRIMARY KEY (credential_id),
  CONSTRAINT passkeys__operator FOREIGN KEY (workspace_id, operator_id) REFERENCES operators(workspace_id, operator_id) ON DELETE CASCADE
);
CREATE INDEX passkeys__operator__idx ON passkeys USING btree (workspace_id, operator_id);

-- Belongs to the installation; stands in the home database.
CREATE TABLE passkey_challenges (
  challenge_hash bytea NOT NULL,
  purpose text NOT NULL,
  workspace_id text COLLATE "C",
  operator_id uuid,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT passkey_challenges_pkey PRIMARY KEY (challenge_hash),
  CONSTRAINT passkey_challenges__operator FOREIGN KEY (workspace_id, operator_id) REFERENCES operators(workspace_id, operator_id) ON DELETE CASCADE,
  CONSTRAINT passkey_challenges__purpose CHECK (((purpose = 'sign-in'::text) = (operator_id IS NULL)))
);
CREATE INDEX passkey_challenges__expires_at__idx ON passkey_challenges USING btree (expires_at);
CREATE INDEX passkey_challenges__operator__idx ON passkey_challenges USING btree (workspace_id, operator_id);

-- Belongs to the installation; stands in the home database.
CREATE TABLE findings_mails (
  workspace_id text COLLATE "C" NOT NULL,
  operator_id uuid NOT NULL,
  week date,
  due_at timestamp with time zone NOT NULL,
  claimed_at timestamp with time zone,
  claims integer NOT NULL DEFAULT 0,
  finished_at timestamp with time zone,
  CONSTRAINT findings_mails_pkey PRIMARY KEY (workspace_id, operator_id),
  CONSTRAINT findings_mails__operator__fkey FOREIGN KEY (workspace_id, operator_id) REFERENCES operators(workspace_id, operator_id) ON DELETE CASCADE
);
CREATE INDEX findings_mails__due_at__idx ON findings_mails USING btree (due_at) WHERE (finished_at IS NULL);

-- Belongs to the installation; stands in the home database.
CREATE TABLE operator_identities (
  workspace_id text COLLATE "C" NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  operator_id uuid NOT NULL,
  has_role_of_rule boolean NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT operator_identities_pkey PRIMARY KEY (workspace_id, issuer, subject),
  CONSTRAINT operator_identities__operator FOREIGN KEY (workspace_id, operator_id) REFERENCES operators(workspace_id, operator_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX operator_identities__operator__key ON operator_identities USING btree (workspace_id, operator_id, issuer);

-- Belongs to the installation; stands in the home database.
CREATE TABLE sso_configs (
  workspace_id text COLLATE "C" NOT NULL,
  enabled boolean NOT NULL,
  issuer text NOT NULL,
  client_id text NOT NULL,
  client_secret_sealed bytea,
  roles jsonb NOT NULL,
  CONSTRAINT sso_configs_pkey PRIMARY KEY (workspace_id),
  CONSTRAINT sso_configs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id) ON DELETE CASCADE
);

-- Belongs to the installation; stands in the home database.
CREATE TABLE sso_domains (
  workspace_id text COLLATE "C" NOT NULL,
  domain text COLLATE "C" NOT NULL,
  verified_at timestamp with time zone,
  CONSTRAINT sso_domains_pkey PRIMARY KEY (workspace_id, domain),
  CONSTRAINT sso_domains_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX sso_domains__verified__key ON sso_domains USING btree (domain) WHERE (verified_at IS NOT NULL);

-- Belongs to the installation; stands in the home database.
CREATE TABLE sso_sign_ins (
  state_hash bytea NOT NULL,
  browser_hash bytea NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  issuer text NOT NULL,
  client_id text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  test_sealed bytea,
  CONSTRAINT sso_sign_ins_pkey PRIMARY KEY (state_hash),
  CONSTRAINT sso_sign_ins_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id) ON DELETE CASCADE
);
CREATE INDEX sso_sign_ins__expires_at__idx ON sso_sign_ins USING btree (expires_at);
CREATE INDEX sso_sign_ins__workspace_id__idx ON sso_sign_ins USING btree (workspace_id);

-- Belongs to the installation; stands in the home database.
CREATE TABLE device_authorizations (
  device_code_hash bytea NOT NULL,
  user_code text COLLATE "C" NOT NULL,
  machine text NOT NULL,
  user_agent text NOT NULL,
  address text NOT NULL,
  only_workspace_id text COLLATE "C",
  expires_at timestamp with time zone NOT NULL,
  poll_seconds integer NOT NULL,
  polled_at timestamp with time zone,
  answered_at timestamp with time zone,
  workspace_id text COLLATE "C",
  operator_id uuid,
  session_expires_at timestamp with time zone,
  CONSTRAINT device_authorizations_pkey PRIMARY KEY (device_code_hash),
  CONSTRAINT device_authorizations__operator FOREIGN KEY (workspace_id, operator_id) REFERENCES operators(workspace_id, operator_id) ON DELETE CASCADE,
  CONSTRAINT device_authorizations__approved CHECK (((num_nulls(workspace_id, operator_id, session_expires_at) = ANY (ARRAY[0, 3])) AND ((operator_id IS NULL) OR (answered_at IS NOT NULL))))
);
CREATE INDEX device_authorizations__expires_at__idx ON device_authorizations USING btree (expires_at);
CREATE INDEX device_authorizations__operator__idx ON device_authorizations USING btree (workspace_id, operator_id);
CREATE UNIQUE INDEX device_authorizations__user_code__key ON device_authorizations USING btree (user_code);

-- Belongs to the installation; stands in the home database.
CREATE TABLE invitation_mails (
  workspace_id text COLLATE "C" NOT NULL,
  operator_id uuid NOT NULL,
  mail_id uuid NOT NULL DEFAULT gen_random_uuid(),
  link_sealed bytea,
  due_at timestamp with time zone NOT NULL,
  claimed_at timestamp with time zone,
  claims integer NOT NULL DEFAULT 0,
  finished_at timestamp with time zone,
  CONSTRAINT invitation_mails_pkey PRIMARY KEY (workspace_id, operator_id),
  CONSTRAINT invitation_mails__operator__fkey FOREIGN KEY (workspace_id, operator_id) REFERENCES operators(workspace_id, operator_id) ON DELETE CASCADE
);
CREATE INDEX invitation_mails__due_at__idx ON invitation_mails USING btree (due_at) WHERE (finished_at IS NULL);

-- Belongs to the installation; stands in the home database.
CREATE TABLE login_links (
  link_hash bytea NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  operator_id uuid NOT NULL,
  is_mailed boolean NOT NULL DEFAULT false,
  CONSTRAINT login_links_pkey PRIMARY KEY (link_hash),
  CONSTRAINT login_links__operator FOREIGN KEY (workspace_id, operator_id) REFERENCES operators(workspace_id, operator_id) ON DELETE CASCADE,
  CONSTRAINT login_links_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id) ON DELETE CASCADE
);
CREATE INDEX login_links__expires_at__idx ON login_links USING btree (expires_at);
CREATE INDEX login_links__operator__idx ON login_links USING btree (workspace_id, operator_id, created_at);

-- Belongs to the installation; stands in the home database.
CREATE TABLE mail_addresses (
  address text COLLATE "C" NOT NULL,
  asked_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  confirmed_at timestamp with time zone,
  CONSTRAINT mail_addresses_pkey PRIMARY KEY (address)
);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE api_keys (
  api_key_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  name text NOT NULL,
  owner_email text NOT NULL,
  plan jsonb NOT NULL DEFAULT '{}'::jsonb,
  allowed_domains text[] NOT NULL DEFAULT '{}'::text[],
  default_access_type access_type NOT NULL DEFAULT 'public'::access_type,
  require_known_resources boolean NOT NULL DEFAULT false,
  use_email_service boolean NOT NULL DEFAULT false,
  email_service_config jsonb NOT NULL DEFAULT '{}'::jsonb,
  email_service_key_sealed bytea,
  use_webhook_service boolean NOT NULL DEFAULT false,
  webhook_service_config jsonb NOT NULL DEFAULT '{}'::jsonb,
  webhook_service_token_sealed bytea,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  user_token_lifetime_seconds integer NOT NULL DEFAULT 172800,
  expiring_soon_seconds integer NOT NULL DEFAULT 0,
  default_access_role access_role NOT NULL DEFAULT 'editor'::access_role,
  has_disabled_users boolean NOT NULL DEFAULT false,
  use_permission_provider boolean NOT NULL DEFAULT false,
  permission_provider_config jsonb NOT NULL DEFAULT '{}'::jsonb,
  permission_provider_token_sealed bytea,
  signature_secret_sealed bytea,
  require_auto_org_user boolean NOT NULL DEFAULT false,
  notification_config jsonb,
  activity_config jsonb,
  private_comments_enabled boolean NOT NULL DEFAULT false,
  has_commenter boolean NOT NULL DEFAULT false,
  user_sharing text NOT NULL DEFAULT 'none'::text,
  CONSTRAINT api_keys_pkey PRIMARY KEY (api_key_id),
  CONSTRAINT api_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id) ON DELETE CASCADE,
  CONSTRAINT api_keys__expiring_soon_seconds CHECK ((expiring_soon_seconds >= 0)),
  CONSTRAINT api_keys__type CHECK ((type = ANY (ARRAY['testing'::text, 'production'::text]))),
  CONSTRAINT api_keys__user_sharing CHECK ((user_sharing = ANY (ARRAY['none'::text, 'editors'::text, 'editorsAndReaders'::text]))),
  CONSTRAINT api_keys__user_token_lifetime_seconds CHECK ((user_token_lifetime_seconds > 0))
);
CREATE INDEX api_keys__workspace_id__idx ON api_keys USING btree (workspace_id, api_key_id);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE webhook_settings (
  api_key_id text COLLATE "C" NOT NULL,
  is_enabled boolean NOT NULL,
  encode_data boolean NOT NULL,
  encrypt_data boolean NOT NULL,
  public_key text NOT NULL,
  CONSTRAINT webhook_settings_pkey PRIMARY KEY (api_key_id),
  CONSTRAINT webhook_settings_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE
);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE webhook_endpoints (
  endpoint_key bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  api_key_id text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  url text NOT NULL,
  description text,
  filter_types text[],
  channels text[],
  rate_limit integer,
  uid text COLLATE "C",
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  secret_sealed bytea,
  previous_secret_sealed bytea,
  previous_secret_until timestamp with time zone,
  disabled boolean NOT NULL DEFAULT false,
  active boolean NOT NULL,
  active_since timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  failing_since timestamp with time zone,
  paced_until timestamp with time zone,
  due_at timestamp with time zone,
  last_success_at timestamp with time zone,
  last_failure_at timestamp with time zone,
  last_failure_status integer,
  last_failure_error text,
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (endpoint_key),
  CONSTRAINT webhook_endpoints__endpoint_id__key UNIQUE (api_key_id, endpoint_id),
  CONSTRAINT webhook_endpoints_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE,
  CONSTRAINT webhook_endpoints__kind CHECK ((kind = ANY (ARRAY['raw'::text, 'processed'::text, 'signed'::text])))
) WITH (fillfactor=50);
CREATE INDEX webhook_endpoints__due_at__idx ON webhook_endpoints USING btree (((failing_since IS NULL)), due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX webhook_endpoints__uid__key ON webhook_endpoints USING btree (api_key_id, uid) WHERE (uid IS NOT NULL);
ALTER TABLE webhook_endpoints ALTER COLUMN api_key_id SET (n_distinct=10);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE webhook_deliveries (
  endpoint_key bigint NOT NULL,
  stream uuid NOT NULL,
  sequence bigint NOT NULL,
  "position" bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  attempts integer NOT NULL DEFAULT 0,
  claims integer NOT NULL DEFAULT 0,
  due_at timestamp with time zone NOT NULL,
  is_act boolean NOT NULL DEFAULT false,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (endpoint_key, stream, sequence, is_act),
  CONSTRAINT webhook_deliveries_endpoint_key_fkey FOREIGN KEY (endpoint_key) REFERENCES webhook_endpoints(endpoint_key) ON DELETE CASCADE
) WITH (fillfactor=70);
CREATE INDEX webhook_deliveries__due_at__idx ON webhook_deliveries USING btree (endpoint_key, due_at, "position");
CREATE INDEX webhook_deliveries__retried__idx ON webhook_deliveries USING btree (endpoint_key, "position") WHERE (attempts > 0);
ALTER TABLE webhook_deliveries ALTER COLUMN endpoint_key SET (n_distinct=10);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE webhook_attempts (
  attempt_key bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  endpoint_key bigint NOT NULL,
  stream uuid NOT NULL,
  sequence bigint NOT NULL,
  event_type text NOT NULL,
  attempt integer NOT NULL,
  attempted_at timestamp with time zone NOT NULL,
  http_status integer,
  error text,
  duration_ms integer NOT NULL,
  excerpt text NOT NULL,
  next_attempt_at timestamp with time zone,
  is_act boolean NOT NULL DEFAULT false,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (attempt_key),
  CONSTRAINT webhook_attempts_endpoint_key_fkey FOREIGN KEY (endpoint_key) REFERENCES webhook_endpoints(endpoint_key) ON DELETE CASCADE
);
CREATE INDEX webhook_attempts__message__idx ON webhook_attempts USING btree (endpoint_key, stream, sequence, attempt_key);
CREATE INDEX webhook_attempts__outcome__idx ON webhook_attempts USING btree (endpoint_key, COALESCE(((http_status >= 200) AND (http_status <= 299)), false), attempt_key);
ALTER TABLE webhook_attempts ALTER COLUMN endpoint_key SET (n_distinct=10);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE event_followers (
  consumer text NOT NULL,
  api_key_id text COLLATE "C" NOT NULL,
  seen pg_snapshot NOT NULL,
  until pg_snapshot,
  tick bigint,
  stream uuid,
  sequence bigint,
  CONSTRAINT event_followers_pkey PRIMARY KEY (consumer, api_key_id),
  CONSTRAINT event_followers_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE,
  CONSTRAINT event_followers__place CHECK ((num_nulls(until, tick, stream, sequence) = ANY (ARRAY[0, 4])))
);
CREATE INDEX event_followers__api_key_id__idx ON event_followers USING btree (api_key_id);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE usage_days (
  api_key_id text COLLATE "C" NOT NULL,
  day date NOT NULL,
  calls bigint NOT NULL DEFAULT 0,
  refused bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  checks bigint NOT NULL DEFAULT 0,
  webhooks bigint NOT NULL DEFAULT 0,
  mails bigint NOT NULL DEFAULT 0,
  organizations bigint,
  documents bigint,
  users bigint,
  threads bigint,
  counted_at timestamp with time zone,
  active_users bytea,
  CONSTRAINT usage_days_pkey PRIMARY KEY (api_key_id, day),
  CONSTRAINT usage_days_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE
) WITH (fillfactor=70, toast_tuple_target=128);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE usage_hours (
  api_key_id text COLLATE "C" NOT NULL,
  hour timestamp with time zone NOT NULL,
  calls bigint NOT NULL DEFAULT 0,
  refused bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  checks bigint NOT NULL DEFAULT 0,
  webhooks bigint NOT NULL DEFAULT 0,
  CONSTRAINT usage_hours_pkey PRIMARY KEY (api_key_id, hour),
  CONSTRAINT usage_hours_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE
) WITH (fillfactor=70);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE domain_requests (
  api_key_id text COLLATE "C" NOT NULL,
  request_id uuid NOT NULL DEFAULT gen_random_uuid(),
  domain text COLLATE "C" NOT NULL,
  requested_organization_id text COLLATE "C",
  requested_document_id text COLLATE "C",
  status text NOT NULL DEFAULT 'pending'::text,
  requested_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  responded_at timestamp with time zone,
  CONSTRAINT domain_requests_pkey PRIMARY KEY (api_key_id, request_id),
  CONSTRAINT domain_requests_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE,
  CONSTRAINT domain_requests__responded CHECK (((status = 'pending'::text) = (responded_at IS NULL))),
  CONSTRAINT domain_requests__status CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'rejected'::text])))
);
CREATE UNIQUE INDEX domain_requests__pending__key ON domain_requests USING btree (api_key_id, domain) WHERE (status = 'pending'::text);

-- Belongs to the installation; stands in the home database and in each bucket.
CREATE TABLE idempotency_keys (
  api_key_id text COLLATE "C",
  workspace_id text COLLATE "C",
  caller text COLLATE "C" NOT NULL GENERATED ALWAYS AS (COALESCE(api_key_id, workspace_id)) STORED,
  key text COLLATE "C" NOT NULL,
  answer_sealed bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (caller, key),
  CONSTRAINT idempotency_keys_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE,
  CONSTRAINT idempotency_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id) ON DELETE CASCADE,
  CONSTRAINT idempotency_keys__caller CHECK ((num_nonnulls(api_key_id, workspace_id) = 1))
);
CREATE INDEX idempotency_keys__api_key_id__idx ON idempotency_keys USING btree (api_key_id) WHERE (api_key_id IS NOT NULL);
CREATE INDEX idempotency_keys__expires_at__idx ON idempotency_keys USING btree (expires_at);
CREATE INDEX idempotency_keys__workspace_id__idx ON idempotency_keys USING btree (workspace_id) WHERE (workspace_id IS NOT NULL);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE signing_keys (
  api_key_id text COLLATE "C" NOT NULL,
  kid text COLLATE "C" NOT NULL,
  public_jwk jsonb NOT NULL,
  private_key_sealed bytea,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  retired_at timestamp with time zone,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (api_key_id, kid),
  CONSTRAINT signing_keys_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE,
  CONSTRAINT signing_keys__private_key_sealed CHECK (((retired_at IS NULL) = (private_key_sealed IS NOT NULL)))
);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE auth_tokens (
  token_hash bytea NOT NULL,
  api_key_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  token_sealed bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  auth_token_id uuid NOT NULL DEFAULT gen_random_uuid(),
  scopes text[] NOT NULL DEFAULT '{read,write,admin}'::text[],
  last_used_at timestamp with time zone,
  origin jsonb,
  CONSTRAINT auth_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT auth_tokens__auth_token_id__key UNIQUE (api_key_id, auth_token_id),
  CONSTRAINT auth_tokens_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE,
  CONSTRAINT auth_tokens__scopes CHECK (((scopes <@ '{read,write,admin}'::text[]) AND (cardinality(scopes) > 0)))
);
CREATE INDEX auth_tokens__api_key_id__idx ON auth_tokens USING btree (api_key_id, created_at);

-- Belongs to the installation; stands in the home database.
CREATE TABLE console_sessions (
  session_hash bytea NOT NULL,
  workspace_id text,
  api_key_id text,
  token_hash bytea,
  expires_at timestamp with time zone NOT NULL,
  session_id uuid NOT NULL DEFAULT gen_random_uuid(),
  operator_id uuid,
  user_agent text NOT NULL DEFAULT ''::text,
  address text NOT NULL DEFAULT ''::text,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  last_seen_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  authenticated_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  machine text,
  CONSTRAINT console_sessions_pkey PRIMARY KEY (session_hash),
  CONSTRAINT console_sessions__operator FOREIGN KEY (workspace_id, operator_id) REFERENCES operators(workspace_id, operator_id) ON DELETE CASCADE,
  CONSTRAINT console_sessions__credentials CHECK ((num_nonnulls(token_hash, operator_id) = 1)),
  CONSTRAINT console_sessions_check CHECK ((num_nonnulls(workspace_id, api_key_id) = 1))
);
CREATE INDEX console_sessions__expires_at__idx ON console_sessions USING btree (expires_at);
CREATE INDEX console_sessions__workspace_id__idx ON console_sessions USING btree (workspace_id, operator_id) WHERE (workspace_id IS NOT NULL);

-- Belongs to the installation; stands in the home database and in each bucket.
CREATE TABLE event_streams (
  stream uuid NOT NULL,
  event_count bigint NOT NULL,
  event_tick bigint NOT NULL DEFAULT 0,
  CONSTRAINT event_streams_pkey PRIMARY KEY (stream)
) WITH (fillfactor=50);

-- Each row belongs to one organization; stands in the home database and in each bucket.
CREATE TABLE events (
  stream uuid NOT NULL,
  sequence bigint NOT NULL,
  type text NOT NULL,
  workspace_id text COLLATE "C",
  api_key_id text COLLATE "C",
  organization_id text COLLATE "C",
  resource_kind resource_kind,
  resource_id text COLLATE "C",
  user_id text COLLATE "C",
  actor jsonb NOT NULL,
  before jsonb,
  after jsonb,
  changed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  written_by xid8 NOT NULL DEFAULT pg_current_xact_id(),
  tick bigint NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (stream, sequence)
);
CREATE INDEX events__actor_user__idx ON events USING btree (stream, ((actor ->> 'userId'::text)), sequence) WHERE ((actor ->> 'userId'::text) IS NOT NULL);
CREATE INDEX events__resource_id__idx ON events USING btree (stream, resource_kind, resource_id, sequence) WHERE (resource_id IS NOT NULL);
CREATE INDEX events__tick__idx ON events USING btree (api_key_id, tick, stream, sequence);
CREATE INDEX events__user_id__idx ON events USING btree (stream, user_id, sequence) WHERE (user_id IS NOT NULL);
CREATE INDEX events__user_tick__idx ON events USING btree (api_key_id, user_id, tick, stream, sequence) WHERE (user_id IS NOT NULL);
CREATE TRIGGER events__erasures AFTER INSERT ON events REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION erase_new_events();
ALTER TABLE events ALTER COLUMN stream SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE organizations (
  organization_key uuid NOT NULL,
  api_key_id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  name text,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  disabled boolean NOT NULL DEFAULT false,
  event_count bigint NOT NULL DEFAULT 0,
  added_at timestamp with time zone,
  event_tick bigint NOT NULL DEFAULT 0,
  has_group_grants boolean NOT NULL DEFAULT false,
  CONSTRAINT organizations_pkey PRIMARY KEY (organization_key),
  CONSTRAINT organizations_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE
) WITH (fillfactor=50);
CREATE INDEX organizations__name__idx ON organizations USING btree (api_key_id, name_order(name, organization_id), organization_id);
CREATE INDEX organizations__organization_id__idx ON organizations USING btree (api_key_id, organization_id);
CREATE TRIGGER organizations__search_added AFTER INSERT ON organizations FOR EACH ROW WHEN ((new.added_at IS NOT NULL)) EXECUTE FUNCTION search_organization_changed();
CREATE TRIGGER organizations__search_changed AFTER UPDATE ON organizations FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR ((old.added_at IS NULL) <> (new.added_at IS NULL)))) EXECUTE FUNCTION search_organization_changed();
CREATE TRIGGER organizations__search_deleted AFTER DELETE ON organizations FOR EACH ROW EXECUTE FUNCTION search_organization_changed();
ALTER TABLE organizations ALTER COLUMN api_key_id SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE resources (
  organization_key uuid NOT NULL,
  resource_key uuid NOT NULL,
  kind resource_kind NOT NULL,
  id text COLLATE "C" NOT NULL,
  folder_key uuid,
  own_access_type access_type,
  disabled boolean NOT NULL DEFAULT false,
  name text,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  added_at timestamp with time zone,
  path uuid[],
  boundary_depth integer,
  boundary_key uuid,
  boundary_access_type access_type,
  updated_at timestamp with time zone,
  shelf_key uuid,
  CONSTRAINT resources_pkey PRIMARY KEY (organization_key, resource_key),
  CONSTRAINT resources__id__key UNIQUE (organization_key, kind, id),
  CONSTRAINT resources_organization_key_fkey FOREIGN KEY (organization_key) REFERENCES organizations(organization_key) ON DELETE CASCADE,
  CONSTRAINT resources__boundary CHECK ((((path IS NULL) = (boundary_depth IS NULL)) AND ((path IS NULL) = (boundary_key IS NULL)))),
  CONSTRAINT resources__path CHECK (((kind = 'document'::resource_kind) = (path IS NULL)))
);
CREATE INDEX resources__boundary_key__idx ON resources USING btree (organization_key, boundary_key, path) WHERE (path IS NOT NULL);
CREATE INDEX resources__folder_key__idx ON resources USING btree (organization_key, folder_key, kind, id);
CREATE INDEX resources__folders__idx ON resources USING btree (organization_key, resource_key) WHERE ((kind = 'folder'::resource_kind) AND (path IS NOT NULL));
CREATE INDEX resources__name__idx ON resources USING btree (organization_key, folder_key, kind, name_order(name, id), id);
CREATE INDEX resources__off_shelf__idx ON resources USING btree (organization_key, boundary_key, path) WHERE (shelf_key <> path[2]);
CREATE INDEX resources__own_access_type__idx ON resources USING btree (organization_key, own_access_type, kind, resource_key) WHERE (own_access_type IS NOT NULL);
CREATE INDEX resources__path__idx ON resources USING btree (organization_key, path) WHERE (path IS NOT NULL);
CREATE INDEX resources__place__idx ON resources USING btree (organization_key, COALESCE(folder_key, organization_key), resource_key) WHERE ((kind = 'document'::resource_kind) AND (own_access_type IS NULL));
CREATE INDEX resources__shelf_key__idx ON resources USING btree (organization_key, shelf_key, resource_key) WHERE ((kind = 'document'::resource_kind) AND (shelf_key IS NOT NULL));
CREATE TRIGGER resources__search_added AFTER INSERT ON resources REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION search_resources_added();
CREATE TRIGGER resources__search_deleted AFTER DELETE ON resources REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION search_resources_deleted();
CREATE TRIGGER resources__search_renamed AFTER UPDATE ON resources FOR EACH ROW WHEN (((old.id <> new.id) OR (old.name IS DISTINCT FROM new.name))) EXECUTE FUNCTION search_resource_renamed();
CREATE TRIGGER resources__shelf_added BEFORE INSERT ON resources FOR EACH ROW WHEN (((new.shelf_key IS NULL) AND ((new.folder_key IS NOT NULL) OR (new.kind = 'folder'::resource_kind)))) EXECUTE FUNCTION resource_shelf();
CREATE TRIGGER resources__shelf_changed BEFORE UPDATE OF folder_key ON resources FOR EACH ROW WHEN (((new.folder_key IS DISTINCT FROM old.folder_key) AND ((new.kind = 'document'::resource_kind) OR (old.added_at IS NULL)))) EXECUTE FUNCTION resource_shelf();
ALTER TABLE resources ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE document_aliases (
  organization_key uuid NOT NULL,
  document_id text COLLATE "C" NOT NULL,
  resource_key uuid NOT NULL,
  CONSTRAINT document_aliases_pkey PRIMARY KEY (organization_key, document_id),
  CONSTRAINT document_aliases__resource_key__fkey FOREIGN KEY (organization_key, resource_key) REFERENCES resources(organization_key, resource_key) ON DELETE CASCADE
);
CREATE INDEX document_aliases__resource_key__idx ON document_aliases USING btree (organization_key, resource_key);
ALTER TABLE document_aliases ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE activities (
  organization_key uuid NOT NULL,
  activity_id text COLLATE "C" NOT NULL,
  resource_key uuid NOT NULL,
  recorded_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  feature_type text NOT NULL,
  action_type text NOT NULL,
  actor_id text COLLATE "C" NOT NULL,
  target_entity_id text COLLATE "C",
  target_sub_entity_id text,
  is_immutable boolean NOT NULL,
  content jsonb NOT NULL,
  CONSTRAINT activities_pkey PRIMARY KEY (organization_key, activity_id),
  CONSTRAINT activities__resource_key__fkey FOREIGN KEY (organization_key, resource_key) REFERENCES resources(organization_key, resource_key) ON DELETE CASCADE
);
CREATE INDEX activities__actor_id__idx ON activities USING btree (organization_key, actor_id, recorded_at, activity_id) WHERE (actor_id IS NOT NULL);
CREATE INDEX activities__recorded_at__idx ON activities USING btree (organization_key, recorded_at, activity_id) WHERE (recorded_at IS NOT NULL);
CREATE INDEX activities__resource_key__idx ON activities USING btree (organization_key, resource_key, recorded_at, activity_id) WHERE (resource_key IS NOT NULL);
CREATE INDEX activities__target_entity_id__idx ON activities USING btree (organization_key, target_entity_id, recorded_at, activity_id) WHERE (target_entity_id IS NOT NULL);
CREATE TRIGGER activities__erasures AFTER INSERT ON activities REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('actor_id');
CREATE TRIGGER activities__erasures_updated AFTER UPDATE ON activities REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('actor_id');
ALTER TABLE activities ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE notification_preferences (
  organization_key uuid NOT NULL,
  resource_key uuid NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  channels jsonb NOT NULL,
  is_mail_off boolean NOT NULL DEFAULT false,
  CONSTRAINT notification_preferences_pkey PRIMARY KEY (organization_key, resource_key, user_id),
  CONSTRAINT notification_preferences__resource_key__fkey FOREIGN KEY (organization_key, resource_key) REFERENCES resources(organization_key, resource_key) ON DELETE CASCADE
);
CREATE INDEX notification_preferences__all__idx ON notification_preferences USING btree (organization_key, resource_key, user_id) WHERE (channels @? '$.*?(@ == "ALL")'::jsonpath);
CREATE INDEX notification_preferences__user_id__idx ON notification_preferences USING btree (organization_key, user_id, resource_key) WHERE (user_id IS NOT NULL);
CREATE TRIGGER notification_preferences__erasures AFTER INSERT ON notification_preferences REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('user_id');
ALTER TABLE notification_preferences ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE deleted_private_threads (
  organization_key uuid NOT NULL,
  resource_key uuid NOT NULL,
  annotation_id text COLLATE "C" NOT NULL,
  hides_until timestamp with time zone NOT NULL DEFAULT 'infinity'::timestamp with time zone,
  CONSTRAINT deleted_private_threads_pkey PRIMARY KEY (organization_key, resource_key, annotation_id),
  CONSTRAINT deleted_private_threads__resource_key__fkey FOREIGN KEY (organization_key, resource_key) REFERENCES resources(organization_key, resource_key) ON DELETE CASCADE
);
ALTER TABLE deleted_private_threads ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE threads (
  organization_key uuid NOT NULL,
  resource_key uuid NOT NULL,
  annotation_id text COLLATE "C" NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_updated timestamp with time zone NOT NULL,
  content jsonb NOT NULL,
  author_id text NOT NULL GENERATED ALWAYS AS (((content -> 'from'::text) ->> 'userId'::text)) STORED,
  status_id text NOT NULL GENERATED ALWAYS AS (((content -> 'status'::text) ->> 'id'::text)) STORED,
  status_type text NOT NULL GENERATED ALWAYS AS (((content -> 'status'::text) ->> 'type'::text)) STORED,
  location_id text GENERATED ALWAYS AS (((content -> 'location'::text) ->> 'id'::text)) STORED,
  assigned_to text GENERATED ALWAYS AS (((content -> 'assignedTo'::text) ->> 'userId'::text)) STORED,
  resolved_by text GENERATED ALWAYS AS ((content ->> 'resolvedByUserId'::text)) STORED,
  visibility text NOT NULL GENERATED ALWAYS AS (((content -> 'visibility'::text) ->> 'type'::text)) STORED,
  visibility_user_ids text[] NOT NULL GENERATED ALWAYS AS (json_texts(((content -> 'visibility'::text) -> 'userIds'::text))) STORED,
  visibility_organization_keys uuid[] NOT NULL GENERATED ALWAYS AS ((json_texts(((content -> 'visibility'::text) -> 'organizationKeys'::text)))::uuid[]) STORED,
  access_context jsonb GENERATED ALWAYS AS (((content -> 'context'::text) -> 'access'::text)) STORED,
  agent_id text GENERATED ALWAYS AS (((content -> 'agent'::text) ->> 'agentId'::text)) STORED,
  agent_execution_id text GENERATED ALWAYS AS (((content -> 'agent'::text) ->> 'executionId'::text)) STORED,
  agent_url text GENERATED ALWAYS AS (((content -> 'agent'::text) ->> 'url'::text)) STORED,
  suggestion_status text GENERATED ALWAYS AS (((content -> 'suggestion'::text) ->> 'status'::text)) STORED,
  mentioned_user_ids text[] NOT NULL DEFAULT '{}'::text[],
  comments_written integer NOT NULL,
  last_position integer NOT NULL,
  comment_count integer NOT NULL,
  bytes integer NOT NULL,
  stored_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT threads_pkey PRIMARY KEY (organization_key, resource_key, annotation_id),
  CONSTRAINT threads__resource_key__fkey FOREIGN KEY (organization_key, resource_key) REFERENCES resources(organization_key, resource_key) ON DELETE CASCADE,
  CONSTRAINT threads__visibility CHECK ((visibility = ANY (ARRAY['public'::text, 'organizationPrivate'::text, 'restricted'::text])))
);
CREATE INDEX threads__annotation_id__idx ON threads USING btree (organization_key, annotation_id) WHERE (created_at IS NOT NULL);
CREATE INDEX threads__for_others__idx ON threads USING gin (visibility_organization_keys) WHERE ((visibility = 'organizationPrivate'::text) AND (visibility_organization_keys <> ARRAY[organization_key]));
CREATE INDEX threads__not_public__idx ON threads USING btree (organization_key, resource_key) WHERE (((visibility = 'public'::text) AND (access_context IS NULL)) IS NOT TRUE);
CREATE INDEX threads__of_document__idx ON threads USING btree (organization_key, resource_key, last_updated, annotation_id) WHERE (last_updated IS NOT NULL);
CREATE INDEX threads__of_organization__idx ON threads USING btree (organization_key, last_updated, annotation_id, resource_key) WHERE (last_updated IS NOT NULL);
CREATE INDEX threads__public__idx ON threads USING btree (organization_key, resource_key, status_id) WHERE ((visibility = 'public'::text) AND (access_context IS NULL));
CREATE TRIGGER threads__notifications_deleted AFTER DELETE ON threads FOR EACH ROW EXECUTE FUNCTION delete_notifications_of_thread();
CREATE TRIGGER threads__private_deleted AFTER DELETE ON threads FOR EACH ROW WHEN ((((old.visibility = 'public'::text) AND ((old.access_context IS NULL) OR (old.access_context = '{}'::jsonb))) IS NOT TRUE)) EXECUTE FUNCTION remember_private_thread();
ALTER TABLE threads ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE thread_comments (
  organization_key uuid NOT NULL,
  resource_key uuid NOT NULL,
  annotation_id text COLLATE "C" NOT NULL,
  comment_id bigint NOT NULL,
  "position" integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_updated timestamp with time zone NOT NULL,
  content jsonb NOT NULL,
  author_id text COLLATE "C" NOT NULL GENERATED ALWAYS AS (((content -> 'from'::text) ->> 'userId'::text)) STORED,
  bytes integer NOT NULL,
  api_key_id text COLLATE "C" NOT NULL,
  words tsvector NOT NULL,
  CONSTRAINT thread_comments_pkey PRIMARY KEY (organization_key, resource_key, annotation_id, comment_id),
  CONSTRAINT thread_comments__thread__fkey FOREIGN KEY (organization_key, resource_key, annotation_id) REFERENCES threads(organization_key, resource_key, annotation_id) ON DELETE CASCADE
);
CREATE INDEX thread_comments__author_id__idx ON thread_comments USING btree (organization_key, author_id, resource_key, annotation_id, comment_id);
CREATE INDEX thread_comments__scan__idx ON thread_comments USING btree (api_key_id, organization_key, resource_key, annotation_id, comment_id);
CREATE INDEX thread_comments__words__idx ON thread_comments USING gin (words) WITH (gin_pending_list_limit='256');
CREATE TRIGGER thread_comments__search BEFORE INSERT OR UPDATE OF content ON thread_comments FOR EACH ROW EXECUTE FUNCTION search_comment_written();
ALTER TABLE thread_comments ALTER COLUMN api_key_id SET (n_distinct=10);
ALTER TABLE thread_comments ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE thread_users (
  organization_key uuid NOT NULL,
  resource_key uuid NOT NULL,
  annotation_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  subscription text,
  is_manual boolean NOT NULL DEFAULT false,
  contact jsonb,
  seen_through integer NOT NULL DEFAULT 0,
  seen_at timestamp(3) with time zone,
  CONSTRAINT thread_users_pkey PRIMARY KEY (organization_key, resource_key, annotation_id, user_id),
  CONSTRAINT thread_users__thread__fkey FOREIGN KEY (organization_key, resource_key, annotation_id) REFERENCES threads(organization_key, resource_key, annotation_id) ON DELETE CASCADE,
  CONSTRAINT thread_users__subscription CHECK ((subscription = ANY (ARRAY['subscribed'::text, 'unsubscribed'::text])))
);
CREATE INDEX thread_users__user_id__idx ON thread_users USING btree (organization_key, user_id, resource_key, annotation_id);
CREATE TRIGGER thread_users__erasures AFTER INSERT ON thread_users REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('user_id');
ALTER TABLE thread_users ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE comment_mailings (
  organization_key uuid NOT NULL,
  mailing_id uuid NOT NULL DEFAULT gen_random_uuid(),
  api_key_id text COLLATE "C" NOT NULL,
  resource_key uuid NOT NULL,
  annotation_id text COLLATE "C" NOT NULL,
  comment_id bigint NOT NULL,
  action_type text NOT NULL,
  resume_after text COLLATE "C" NOT NULL DEFAULT ''::text,
  due_at timestamp with time zone NOT NULL,
  claimed_at timestamp with time zone,
  claims integer NOT NULL DEFAULT 0,
  finished_at timestamp with time zone,
  changed_at timestamp(3) with time zone,
  CONSTRAINT comment_mailings_pkey PRIMARY KEY (organization_key, mailing_id),
  CONSTRAINT comment_mailings__comment__fkey FOREIGN KEY (organization_key, resource_key, annotation_id, comment_id) REFERENCES thread_comments(organization_key, resource_key, annotation_id, comment_id) ON DELETE CASCADE
);
CREATE INDEX comment_mailings__comment__idx ON comment_mailings USING btree (organization_key, resource_key, annotation_id, comment_id);
CREATE INDEX comment_mailings__due_at__idx ON comment_mailings USING btree (due_at) WHERE (finished_at IS NULL);
CREATE INDEX comment_mailings__turns__idx ON comment_mailings USING btree (api_key_id, due_at) WHERE (finished_at IS NULL);
ALTER TABLE comment_mailings ALTER COLUMN api_key_id SET (n_distinct=10);
ALTER TABLE comment_mailings ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE comment_mail_results (
  organization_key uuid NOT NULL,
  resource_key uuid NOT NULL,
  annotation_id text COLLATE "C" NOT NULL,
  comment_id bigint NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  outcome text NOT NULL,
  finished_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT comment_mail_results_pkey PRIMARY KEY (organization_key, resource_key, annotation_id, comment_id, user_id),
  CONSTRAINT comment_mail_results__comment__fkey FOREIGN KEY (organization_key, resource_key, annotation_id, comment_id) REFERENCES thread_comments(organization_key, resource_key, annotation_id, comment_id) ON DELETE CASCADE
);
CREATE INDEX comment_mail_results__finished_at__idx ON comment_mail_results USING btree (finished_at);
CREATE INDEX comment_mail_results__user_id__idx ON comment_mail_results USING btree (organization_key, user_id);
CREATE TRIGGER comment_mail_results__erasures AFTER INSERT ON comment_mail_results REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('user_id');
ALTER TABLE comment_mail_results ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE comment_mail_items (
  organization_key uuid NOT NULL,
  resource_key uuid NOT NULL,
  annotation_id text COLLATE "C" NOT NULL,
  comment_id bigint NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  action_type text NOT NULL,
  document_mail_id uuid,
  user_mail_id uuid,
  mail_id uuid,
  changed_at timestamp(3) with time zone,
  CONSTRAINT comment_mail_items_pkey PRIMARY KEY (organization_key, resource_key, annotation_id, comment_id, user_id),
  CONSTRAINT comment_mail_items__comment__fkey FOREIGN KEY (organization_key, resource_key, annotation_id, comment_id) REFERENCES thread_comments(organization_key, resource_key, annotation_id, comment_id) ON DELETE CASCADE
);
CREATE INDEX comment_mail_items__user_id__idx ON comment_mail_items USING btree (organization_key, user_id);
CREATE TRIGGER comment_mail_items__erasures AFTER INSERT ON comment_mail_items REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('user_id');
ALTER TABLE comment_mail_items ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE notifications (
  organization_key uuid NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  resource_key uuid NOT NULL,
  notified_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  notification_source text NOT NULL,
  action_type text,
  actor_id text COLLATE "C" NOT NULL,
  target_annotation_id text COLLATE "C",
  target_comment_id bigint,
  location_id text COLLATE "C",
  notifies_all boolean NOT NULL,
  requires_access boolean NOT NULL DEFAULT false,
  content jsonb NOT NULL,
  CONSTRAINT notifications_pkey PRIMARY KEY (organization_key, notification_id),
  CONSTRAINT notifications__comment__fkey FOREIGN KEY (organization_key, resource_key, target_annotation_id, target_comment_id) REFERENCES thread_comments(organization_key, resource_key, annotation_id, comment_id) ON DELETE CASCADE,
  CONSTRAINT notifications__resource_key__fkey FOREIGN KEY (organization_key, resource_key) REFERENCES resources(organization_key, resource_key) ON DELETE CASCADE
);
CREATE INDEX notifications__actor_id__idx ON notifications USING btree (organization_key, actor_id) WHERE (actor_id IS NOT NULL);
CREATE INDEX notifications__comment__idx ON notifications USING btree (organization_key, resource_key, target_annotation_id, target_comment_id) WHERE (target_annotation_id IS NOT NULL);
CREATE INDEX notifications__location_id__idx ON notifications USING btree (organization_key, location_id) WHERE (location_id IS NOT NULL);
CREATE INDEX notifications__resource_key__idx ON notifications USING btree (organization_key, resource_key, notified_at, notification_id) WHERE (resource_key IS NOT NULL);
CREATE INDEX notifications__to_all__idx ON notifications USING btree (organization_key, notified_at, notification_id) WHERE notifies_all;
CREATE TRIGGER notifications__erasures AFTER INSERT ON notifications REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('actor_id');
CREATE TRIGGER notifications__erasures_updated AFTER UPDATE ON notifications REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('actor_id');
ALTER TABLE notifications ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE notification_recipients (
  organization_key uuid NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  notified_at timestamp(3) with time zone NOT NULL,
  is_named boolean NOT NULL,
  email text,
  read_at timestamp with time zone,
  is_hidden boolean NOT NULL DEFAULT false,
  CONSTRAINT notification_recipients_pkey PRIMARY KEY (organization_key, user_id, notification_id),
  CONSTRAINT notification_recipients__notification_id__fkey FOREIGN KEY (organization_key, notification_id) REFERENCES notifications(organization_key, notification_id) ON DELETE CASCADE,
  CONSTRAINT notification_recipients__hidden CHECK (((NOT is_hidden) OR (read_at IS NOT NULL)))
);
CREATE INDEX notification_recipients__inbox__idx ON notification_recipients USING btree (organization_key, user_id, notified_at, notification_id) WHERE is_named;
CREATE INDEX notification_recipients__notification_id__idx ON notification_recipients USING btree (organization_key, notification_id, user_id);
CREATE TRIGGER notification_recipients__erasures AFTER INSERT ON notification_recipients REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('user_id');
ALTER TABLE notification_recipients ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE grants (
  organization_key uuid NOT NULL,
  resource_key uuid NOT NULL,
  principal text COLLATE "C" NOT NULL,
  kind resource_kind NOT NULL,
  standing_role access_role,
  expires_at timestamp with time zone,
  expiry_event_at timestamp with time zone,
  expiring_at timestamp with time zone,
  temporary_role access_role,
  provided_by text COLLATE "C",
  CONSTRAINT grants_pkey PRIMARY KEY (organization_key, resource_key, principal),
  CONSTRAINT grants__resource_key__fkey FOREIGN KEY (organization_key, resource_key) REFERENCES resources(organization_key, resource_key) ON DELETE CASCADE,
  CONSTRAINT grants__standing_role__check CHECK (((standing_role IS NOT NULL) OR (temporary_role IS NOT NULL))),
  CONSTRAINT grants__temporary_role__check CHECK (((temporary_role IS NULL) = (expires_at IS NULL)))
);
CREATE INDEX grants__commenter__idx ON grants USING btree (organization_key) WHERE ((standing_role <> ALL (ARRAY['viewer'::access_role, 'editor'::access_role])) OR (temporary_role <> ALL (ARRAY['viewer'::access_role, 'editor'::access_role])));
CREATE INDEX grants__expires_at__idx ON grants USING btree (expires_at, organization_key, resource_key, principal) WHERE ((expires_at IS NOT NULL) AND (expiry_event_at IS NULL));
CREATE INDEX grants__expiring_at__idx ON grants USING btree (expiring_at, organization_key, resource_key, principal) WHERE (expiring_at IS NOT NULL);
CREATE INDEX grants__expiry_event_at__idx ON grants USING btree (expiry_event_at, organization_key, resource_key, principal) WHERE (expiry_event_at IS NOT NULL);
CREATE INDEX grants__of_groups__idx ON grants USING btree (organization_key, resource_key, ((expires_at IS NOT NULL)) DESC, standing_role DESC, principal) WHERE (principal < ' '::text);
CREATE INDEX grants__principal__idx ON grants USING btree (organization_key, principal, kind, resource_key);
CREATE INDEX grants__provided_by__idx ON grants USING btree (provided_by, principal, organization_key, resource_key) WHERE (provided_by IS NOT NULL);
CREATE TRIGGER grants__erasures AFTER INSERT ON grants REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('principal');
ALTER TABLE grants ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE invitations (
  organization_key uuid NOT NULL,
  invitation_id uuid NOT NULL DEFAULT gen_random_uuid(),
  resource_key uuid NOT NULL,
  kind resource_kind NOT NULL,
  invitee text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  email text NOT NULL,
  status text NOT NULL DEFAULT 'PENDING'::text,
  access_role access_role,
  organization_name text,
  folder_name text,
  document_name text,
  inviter text COLLATE "C",
  invited_by jsonb,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT invitations_pkey PRIMARY KEY (organization_key, invitation_id),
  CONSTRAINT invitations__resource_key__fkey FOREIGN KEY (organization_key, resource_key) REFERENCES resources(organization_key, resource_key) ON DELETE CASCADE,
  CONSTRAINT invitations_organization_key_fkey FOREIGN KEY (organization_key) REFERENCES organizations(organization_key) ON DELETE CASCADE,
  CONSTRAINT invitations__invitee CHECK (((status = 'ACCEPTED'::text) = (NOT starts_with(invitee, chr(2))))),
  CONSTRAINT invitations__inviter CHECK (((inviter IS NULL) OR (invited_by IS NOT NULL))),
  CONSTRAINT invitations__status CHECK ((status = ANY (ARRAY['PENDING'::text, 'ACCEPTED'::text, 'REJECTED'::text, 'WITHDRAWN'::text])))
);
CREATE INDEX invitations__address__idx ON invitations USING btree (organization_key, address, created_at, invitation_id) WHERE (address IS NOT NULL);
CREATE INDEX invitations__created_at__idx ON invitations USING btree (organization_key, created_at, invitation_id);
CREATE INDEX invitations__invitee__idx ON invitations USING btree (organization_key, invitee, invitation_id) WHERE (invitee IS NOT NULL);
CREATE INDEX invitations__inviter__idx ON invitations USING btree (organization_key, inviter, invitation_id) WHERE (inviter IS NOT NULL);
CREATE UNIQUE INDEX invitations__pending__key ON invitations USING btree (organization_key, resource_key, address) WHERE (status = 'PENDING'::text);
CREATE INDEX invitations__resource_key__idx ON invitations USING btree (organization_key, resource_key, address) WHERE (resource_key IS NOT NULL);
CREATE TRIGGER invitations__erasures AFTER INSERT ON invitations REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('invitee', 'inviter');
ALTER TABLE invitations ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE user_groups (
  organization_key uuid NOT NULL,
  group_id text COLLATE "C" NOT NULL,
  name text,
  CONSTRAINT user_groups_pkey PRIMARY KEY (organization_key, group_id),
  CONSTRAINT user_groups_organization_key_fkey FOREIGN KEY (organization_key) REFERENCES organizations(organization_key) ON DELETE CASCADE
);
CREATE INDEX user_groups__name__idx ON user_groups USING btree (organization_key, name_order(name, group_id), group_id);
CREATE TRIGGER user_groups__search_added_or_deleted AFTER INSERT OR DELETE ON user_groups FOR EACH ROW EXECUTE FUNCTION search_user_group_changed();
CREATE TRIGGER user_groups__search_changed AFTER UPDATE ON user_groups FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION search_user_group_changed();
ALTER TABLE user_groups ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE user_group_members (
  organization_key uuid NOT NULL,
  group_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  CONSTRAINT user_group_members_pkey PRIMARY KEY (organization_key, group_id, user_id),
  CONSTRAINT user_group_members__group_id__fkey FOREIGN KEY (organization_key, group_id) REFERENCES user_groups(organization_key, group_id) ON DELETE CASCADE
);
CREATE INDEX user_group_members__user_id__idx ON user_group_members USING btree (organization_key, user_id, group_id);
CREATE TRIGGER user_group_members__erasures AFTER INSERT ON user_group_members REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('user_id');
ALTER TABLE user_group_members ALTER COLUMN organization_key SET (n_distinct=10);

-- Each row belongs to one organization; stands in a bucket.
CREATE TABLE document_migrations (
  organization_key uuid NOT NULL,
  migration_id uuid NOT NULL,
  document_id text COLLATE "C" NOT NULL,
  new_document_id text COLLATE "C" NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  failure_reason text,
  actor jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  due_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  claimed_at timestamp with time zone,
  claims integer NOT NULL DEFAULT 0,
  CONSTRAINT document_migrations_pkey PRIMARY KEY (organization_key, migration_id),
  CONSTRAINT document_migrations_organization_key_fkey FOREIGN KEY (organization_key) REFERENCES organizations(organization_key) ON DELETE CASCADE,
  CONSTRAINT document_migrations__status CHECK ((status = ANY (ARRAY['pending'::text, 'in_progress'::text, 'completed'::text, 'failed'::text])))
);
CREATE INDEX document_migrations__created_at__idx ON document_migrations USING btree (organization_key, created_at, migration_id);
CREATE INDEX document_migrations__document_id__idx ON document_migrations USING btree (organization_key, document_id, created_at, migration_id);
CREATE INDEX document_migrations__due_at__idx ON document_migrations USING btree (due_at) WHERE (finished_at IS NULL);
CREATE INDEX document_migrations__new_document_id__idx ON document_migrations USING btree (organization_key, new_document_id, created_at, migration_id);
CREATE INDEX document_migrations__status__idx ON document_migrations USING btree (organization_key, status, created_at, migration_id);
ALTER TABLE document_migrations ALTER COLUMN organization_key SET (n_distinct=10);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE disabled_users (
  api_key_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  disabled_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT disabled_users_pkey PRIMARY KEY (api_key_id, user_id),
  CONSTRAINT disabled_users_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE
);
CREATE TRIGGER disabled_users__erasures AFTER INSERT ON disabled_users REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('user_id');

-- Belongs to the installation; stands in a bucket.
CREATE TABLE users (
  api_key_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  profile jsonb NOT NULL DEFAULT '{}'::jsonb,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  tokens_since timestamp with time zone NOT NULL DEFAULT date_trunc('milliseconds'::text, clock_timestamp()),
  CONSTRAINT users_pkey PRIMARY KEY (api_key_id, user_id),
  CONSTRAINT users_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE
);
CREATE INDEX users__name__idx ON users USING btree (api_key_id, name_order((profile ->> 'name'::text), user_id), user_id);
CREATE TRIGGER users__erasures AFTER INSERT ON users REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_users_being_erased('user_id');
CREATE TRIGGER users__search_added_or_deleted AFTER INSERT OR DELETE ON users FOR EACH ROW EXECUTE FUNCTION search_user_changed();
CREATE TRIGGER users__search_changed AFTER UPDATE ON users FOR EACH ROW WHEN ((((old.profile -> 'name'::text) IS DISTINCT FROM (new.profile -> 'name'::text)) OR ((old.profile -> 'email'::text) IS DISTINCT FROM (new.profile -> 'email'::text)))) EXECUTE FUNCTION search_user_changed();
ALTER TABLE users ALTER COLUMN api_key_id SET (n_distinct=10);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE mails (
  mail_id uuid NOT NULL DEFAULT gen_random_uuid(),
  api_key_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  carrier text NOT NULL,
  user_id text COLLATE "C",
  recipient text NOT NULL,
  stream uuid NOT NULL,
  sequences bigint[] NOT NULL,
  state text NOT NULL DEFAULT 'pending'::text,
  error text,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  due_at timestamp with time zone NOT NULL,
  claimed_at timestamp with time zone,
  claims integer NOT NULL DEFAULT 0,
  finished_at timestamp with time zone,
  collects text COLLATE "C",
  handed_over_at timestamp with time zone,
  CONSTRAINT mails_pkey PRIMARY KEY (mail_id),
  CONSTRAINT mails_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE,
  CONSTRAINT mails__carrier CHECK ((carrier = ANY (ARRAY['smtp'::text, 'sendgrid'::text]))),
  CONSTRAINT mails__finished_at CHECK (((state = 'pending'::text) = (finished_at IS NULL))),
  CONSTRAINT mails__state CHECK ((state = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text])))
);
CREATE INDEX mails__due_at__idx ON mails USING btree (carrier, due_at) WHERE (finished_at IS NULL);
CREATE INDEX mails__finished_at__idx ON mails USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE UNIQUE INDEX mails__open__key ON mails USING btree (api_key_id, kind, stream, user_id, collects) NULLS NOT DISTINCT WHERE (claims = 0);
CREATE INDEX mails__outcome__idx ON mails USING btree ((((api_key_id || ' '::text) || (state COLLATE "C"))), finished_at);
CREATE INDEX mails__recipient__idx ON mails USING btree (lower((recipient COLLATE "C")), COALESCE(finished_at, 'infinity'::timestamp with time zone)) WHERE ((state = 'sent'::text) AND (carrier = 'smtp'::text));
CREATE INDEX mails__turns__idx ON mails USING btree (carrier, api_key_id, due_at) WHERE (finished_at IS NULL);
CREATE INDEX mails__user_id__idx ON mails USING btree (api_key_id, user_id);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE user_data_deletions (
  api_key_id text COLLATE "C" NOT NULL,
  job_id uuid NOT NULL,
  user_ids text[] COLLATE "C" NOT NULL,
  organization_ids text[] COLLATE "C",
  salt uuid,
  actor jsonb NOT NULL,
  tasks_count integer NOT NULL,
  tasks_done integer NOT NULL DEFAULT 0,
  passed_organization_id text COLLATE "C" NOT NULL DEFAULT ''::text,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  last_task_completed_at timestamp with time zone,
  finished_at timestamp with time zone,
  due_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  claimed_at timestamp with time zone,
  claims integer NOT NULL DEFAULT 0,
  waits_for xid8,
  is_settled boolean NOT NULL DEFAULT false,
  CONSTRAINT user_data_deletions_pkey PRIMARY KEY (api_key_id, job_id),
  CONSTRAINT user_data_deletions_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE,
  CONSTRAINT user_data_deletions__forgotten CHECK (((finished_at IS NULL) OR ((salt IS NULL) AND (user_ids = '{}'::text[]) AND (organization_ids IS NULL))))
);
CREATE INDEX user_data_deletions__due_at__idx ON user_data_deletions USING btree (due_at) WHERE (finished_at IS NULL);
CREATE INDEX user_data_deletions__unfinished__idx ON user_data_deletions USING btree (api_key_id) WHERE (finished_at IS NULL);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE user_access_revocations (
  api_key_id text COLLATE "C" NOT NULL,
  job_id uuid NOT NULL,
  user_ids text[] COLLATE "C" NOT NULL,
  actor jsonb NOT NULL,
  tasks_count integer NOT NULL,
  tasks_done integer NOT NULL DEFAULT 0,
  passed_organization_id text COLLATE "C" NOT NULL DEFAULT ''::text,
  removed_grants integer NOT NULL DEFAULT 0,
  removed_temporary_grants integer NOT NULL DEFAULT 0,
  removed_user_groups integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  last_task_completed_at timestamp with time zone,
  finished_at timestamp with time zone,
  due_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  claimed_at timestamp with time zone,
  claims integer NOT NULL DEFAULT 0,
  CONSTRAINT user_access_revocations_pkey PRIMARY KEY (api_key_id, job_id),
  CONSTRAINT user_access_revocations_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id) ON DELETE CASCADE,
  CONSTRAINT user_access_revocations__forgotten CHECK (((finished_at IS NULL) OR (user_ids = '{}'::text[])))
);
CREATE INDEX user_access_revocations__due_at__idx ON user_access_revocations USING btree (due_at) WHERE (finished_at IS NULL);

-- Belongs to the installation; stands in a bucket.
CREATE TABLE search_entries (
  api_key_id text COLLATE "C" NOT NULL,
  kind search_kind NOT NULL,
  place uuid NOT NULL,
  entry_key uuid NOT NULL,
  id text COLLATE "C" NOT NULL,
  words text COLLATE "C" NOT NULL,
  CONSTRAINT search_entries_pkey PRIMARY KEY (api_key_id, kind, place, entry_key)
);
CREATE INDEX search_entries__grams ON search_entries USING gin (search_grams(api_key_id, kind, place, words)) WITH (gin_pending_list_limit='256');
ALTER TABLE search_entries ALTER COLUMN api_key_id SET (n_distinct=10);
