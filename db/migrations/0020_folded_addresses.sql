-- E-mail addresses are compared with A to Z as a to z and all else as it is: in the collation "C", `lower` changes nothing else. Before,
-- the locale of the database or Unicode decided, which also equated other letters, such as the Kelvin sign and `k`.
drop index operators__email__key;
create unique index operators__email__key on operators (workspace_id, lower(email collate "C"));
drop index operators__address__idx;
create index operators__address__idx on operators (lower(email collate "C"));
drop index mails__recipient__idx;
create index mails__recipient__idx on mails (lower(recipient collate "C"), coalesce(finished_at, 'infinity'))
  where state = 'sent' and carrier = 'smtp';

-- What was stored in the earlier form is computed again from the address as it was given. Addresses in ASCII are the same in both forms.
-- No two rows become one: whatever is equal now was equal before.
update workspaces
   set owner_id = left(encode(sha256('owner'::bytea || '\x00'::bytea || convert_to(lower(owner_email collate "C"), 'UTF8')), 'hex'), 32)
 where owner_email ~ '[^\u0001-\u007f]';

update invitations set address = lower(email collate "C"),
       invitee = case when status = 'ACCEPTED' then invitee else chr(2) || lower(email collate "C") end
 where email ~ '[^\u0001-\u007f]';
update invitations set inviter = chr(2) || lower((invited_by ->> 'email') collate "C")
 where starts_with(inviter, chr(2)) and invited_by ->> 'email' ~ '[^\u0001-\u007f]';
update mails set user_id = chr(2) || lower(recipient collate "C")
 where starts_with(user_id, chr(2)) and recipient ~ '[^\u0001-\u007f]';
update events set user_id = chr(2) || lower(coalesce(after ->> 'email', before ->> 'email') collate "C")
 where starts_with(user_id, chr(2)) and coalesce(after ->> 'email', before ->> 'email') ~ '[^\u0001-\u007f]';
-- An address of an owner stays in the earlier form, because the given one is not stored: one with other capitals is asked again.
