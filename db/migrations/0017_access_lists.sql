-- What lists of access read, each in the order of resource_key, which never changes (ADR 0014).

-- Documents of one place that follow it. At the top the place is the organization.
create index resources__place__idx on resources (organization_key, coalesce(folder_key, organization_key), resource_key)
 where kind = 'document' and own_access_type is null;
-- Folders and documents with an access type of their own.
create index resources__own_access_type__idx on resources (organization_key, own_access_type, kind, resource_key)
 where own_access_type is not null;
-- The subtree of a folder that shares its boundary, by range as in resources__path__idx.
create index resources__boundary_key__idx on resources (organization_key, boundary_key, path) where path is not null;
create index resources__folders__idx on resources (organization_key, resource_key) where path is not null;
