-- Counts of threads read those that everybody sees from an index alone, and the others one by one. Both indexes are partial, so only a
-- statement that says the same of its threads uses them.
create index threads__public__idx on threads (organization_key, resource_key, status_id)
  where visibility = 'public' and access_context is null;
create index threads__not_public__idx on threads (organization_key, resource_key)
  where (visibility = 'public' and access_context is null) is not true;
