-- Deleting an organization takes it from the threads of other organizations that are private to its members. These threads are few, so
-- the index is small: threads that are private to their own organization alone are not in it.
create index threads__for_others__idx on threads using gin (visibility_organization_keys)
  where visibility = 'organizationPrivate' and visibility_organization_keys <> array[organization_key];
