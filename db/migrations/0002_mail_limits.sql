-- How many mails a recipient has had in the last hour, through the server of the installation.
create index mails__recipient__idx on mails (lower(recipient), coalesce(finished_at, 'infinity'))
 where state = 'sent' and carrier = 'smtp';

-- The addresses of owners who were asked whether they want mail, in lower case, and when they said yes. With MAIL_CONFIRM_OWNERS
-- nothing else is sent to an owner before that.
create table mail_addresses (
  address text collate "C" primary key,
  asked_at timestamptz not null default clock_timestamp(),
  confirmed_at timestamptz
);
