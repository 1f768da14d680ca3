-- organization_key is made from api_key_id and organization_id, so the primary key keeps them unique. A second unique
-- constraint failed one of two calls that brought an organization into being at the same moment: `on conflict` looks at
-- the first one only.
alter table organizations drop constraint organizations__organization_id__key;
create index organizations__organization_id__idx on organizations (api_key_id, organization_id);
