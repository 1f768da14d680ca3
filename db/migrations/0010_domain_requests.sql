-- Requests to allow the pages of a host, for the owner of an API key to accept or reject. The document need not exist: its name is
-- looked up when requests are read.
create table domain_requests (
  api_key_id text collate "C" not null references api_keys on delete cascade,
  request_id uuid not null default gen_random_uuid(),
  domain text collate "C" not null,
  requested_organization_id text collate "C",
  requested_document_id text collate "C",
  status text not null default 'pending',
  requested_at timestamptz not null default clock_timestamp(),
  responded_at timestamptz,
  primary key (api_key_id, request_id),
  constraint domain_requests__status check (status in ('pending', 'accepted', 'rejected')),
  constraint domain_requests__responded check ((status = 'pending') = (responded_at is null))
);
-- One pending request for each host.
create unique index domain_requests__pending__key on domain_requests (api_key_id, domain) where status = 'pending';
