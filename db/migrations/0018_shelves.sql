-- Lists of many folders read the shelves that these are on (ADR 0053).

-- The shelf of a folder is the top-level folder that it was added to, or itself, for life; that of a document is the shelf of its folder.
-- A move of a folder changes neither, so it rewrites no document.
alter table resources add column shelf_key uuid;
update resources set shelf_key = path[2] where kind = 'folder';
update resources d set shelf_key = f.shelf_key from resources f
 where d.kind = 'document' and f.organization_key = d.organization_key and f.resource_key = d.folder_key;

create index resources__shelf_key__idx on resources (organization_key, shelf_key, resource_key) where kind = 'document' and shelf_key is not null;
-- Folders that were moved away from their shelf.
create index resources__off_shelf__idx on resources (organization_key, boundary_key, path) where shelf_key <> path[2];

-- With two conditions, so that only the list that names both uses it: before the first `analyze`, indexes look equal to the planner.
drop index resources__folders__idx;
create index resources__folders__idx on resources (organization_key, resource_key) where kind = 'folder' and path is not null;

-- The statement that adds documents names the shelf, because the function takes 6 µs a document; all others leave it to the triggers. A folder
-- that is not there yet is added by the same statement, at the top level.
create function resource_shelf() returns trigger language plpgsql as $$
begin
  new.shelf_key := case when new.folder_key is not null
                        then coalesce((select f.shelf_key from resources f
                                        where f.organization_key = new.organization_key and f.resource_key = new.folder_key), new.folder_key)
                        when new.kind = 'folder' then new.resource_key end;
  return new;
end $$;
create trigger resources__shelf_added before insert on resources for each row
  when (new.shelf_key is null and (new.folder_key is not null or new.kind = 'folder')) execute function resource_shelf();
-- A declared folder has nothing inside, so it is put on a shelf when it is added.
create trigger resources__shelf_changed before update of folder_key on resources for each row
  when (new.folder_key is distinct from old.folder_key and (new.kind = 'document' or old.added_at is null))
  execute function resource_shelf();
