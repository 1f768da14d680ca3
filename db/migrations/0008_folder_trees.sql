-- Subtrees by range: uuid[] compares element by element, so what is below P lies between P and P followed by the
-- greatest uuid. Documents have no path and no place in this index.
create index resources__path__idx on resources (organization_key, path) where path is not null;

-- When a folder was last changed; null: not since it was added.
alter table resources add column updated_at timestamptz;

-- Folders are added and deleted under the lock of their organization alone, so nothing can be left without its folder;
-- this constraint asked twice for each document that was deleted, more than half of the time that deleting took (ADR 0011).
alter table resources drop constraint resources__folder_key__fkey;
