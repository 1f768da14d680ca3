-- A thread with its document is found by the key alone. The other indexes look as good to the planner, which then reads all threads of a
-- document, or all of an organization with the same id, for each comment and in the checks of foreign keys. So each is partial on a column
-- that a statement must name to use it.
drop index threads__of_document__idx;
drop index threads__of_organization__idx;
drop index threads__annotation_id__idx;
create index threads__of_document__idx on threads (organization_key, resource_key, last_updated, annotation_id)
  where last_updated is not null;
create index threads__of_organization__idx on threads (organization_key, last_updated, annotation_id, resource_key)
  where last_updated is not null;
create index threads__annotation_id__idx on threads (organization_key, annotation_id) where created_at is not null;
