-- While an erasure of a user is unfinished, nothing is stored about the user that it would leave behind (rules/data.md#writers-and-erasures).
-- `waits_for` is above every transaction that may have begun without seeing the row of the job. `is_settled` says whether all of these
-- had ended when the job began its present pass through the organizations.
alter table user_data_deletions add column waits_for xid8, add column is_settled boolean not null default false;
create index user_data_deletions__unfinished__idx on user_data_deletions (api_key_id) where finished_at is null;

-- Whether an unfinished erasure is about a user in an organization, or outside of organizations if that is null.
create function is_being_erased(api_key text, organization text, erased_user text) returns boolean
language sql stable as $$
  select exists (select from user_data_deletions d
                  where d.api_key_id = api_key and d.finished_at is null and erased_user = any(d.user_ids)
                    and (d.organization_ids is null or organization = any(d.organization_ids)))
$$;

-- Refuses new rows whose columns, the arguments of the trigger, name users who are being erased. The function is volatile, so its
-- queries see every erasure that was committed before they begin, also one that the statement that added the rows does not see.
create function refuse_users_being_erased() returns trigger language plpgsql as $$
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
$$;

create trigger users__erasures after insert on users referencing new table as added
  for each statement execute function refuse_users_being_erased('user_id');
create trigger disabled_users__erasures after insert on disabled_users referencing new table as added
  for each statement execute function refuse_users_being_erased('user_id');
create trigger grants__erasures after insert on grants referencing new table as added
  for each statement execute function refuse_users_being_erased('principal');
create trigger user_group_members__erasures after insert on user_group_members referencing new table as added
  for each statement execute function refuse_users_being_erased('user_id');
create trigger invitations__erasures after insert on invitations referencing new table as added
  for each statement execute function refuse_users_being_erased('invitee', 'inviter');

-- Erases new events as the job erases those that it finds: what happens to the user must not fail, such as an expiry or a revocation.
create function erase_new_events() returns trigger language plpgsql as $$
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
  return null;
end
$$;
create trigger events__erasures after insert on events referencing new table as added
  for each statement execute function erase_new_events();
