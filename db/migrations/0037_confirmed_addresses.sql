-- Whether operators have proved their address: the link of an invitation may be in the hands of the inviter (docs/rules/operators.md#links).
-- Null: nobody has shown yet that they get mail at the address. Operators who were invited before this migration are among them, although they
-- have signed in: whether they did with the link of the invitation, which the inviter had too, is not known.
alter table operators add column address_confirmed_at timestamptz;
update operators set address_confirmed_at = last_seen_at where invited_by is null;

-- Whether the link went to the address by mail, and to nobody else. A server that is not upgraded yet does not say so.
alter table login_links add column is_mailed boolean not null default false;
