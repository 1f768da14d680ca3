-- How many mails a recipient has had in the last hour, through the server of the installation.
create index mails__recipient__idx on mails (lower(recipient), coalesce(finished_at, 'infinity'))
 where state = 'sent' and carrier = 'smtp';
