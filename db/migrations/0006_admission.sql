-- The role of users whom an access type admits and who have no grant. Servers of earlier versions insert keys without it.
alter table api_keys add column default_access_role access_role not null default 'editor';
