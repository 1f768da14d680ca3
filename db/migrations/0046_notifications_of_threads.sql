-- A notification that names a thread and no comment goes with the thread, as the others go with their comments.
create function delete_notifications_of_thread() returns trigger language plpgsql as $$
begin
  delete from notifications n
   where n.organization_key = old.organization_key and n.resource_key = old.resource_key
     and n.target_annotation_id = old.annotation_id and n.target_comment_id is null;
  return null;
end
$$;
create trigger threads__notifications_deleted after delete on threads for each row execute function delete_notifications_of_thread();
