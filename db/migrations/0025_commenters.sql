-- The role between viewer and editor (rules/access.md#commenters). The transaction that adds a value of an enum cannot use it, and all
-- missing migrations run in one: nothing here names it, and the index finds it as what is neither of the others.
alter type access_role add value 'commenter' before 'editor';
alter table api_keys add column has_commenter boolean not null default false;
create index grants__commenter__idx on grants (organization_key)
  where standing_role not in ('viewer', 'editor') or temporary_role not in ('viewer', 'editor');
