-- User groups hold grants (ADR 0035). A grant belongs to a principal: a user by its id, or a user group by its id behind the control
-- character U+0001, which no id contains.
alter table grants rename column user_id to principal;
alter index grants__user_id__idx rename to grants__principal__idx;
-- The grants of groups on a resource. An index of their own: the planner estimates that the other two read equally few rows as long as
-- its statistics know no groups, and chose the one that reads the grants of groups on all resources.
-- In the order of strength, so that a decision reads the first one of the user's groups; what has an end is compared in full.
create index grants__of_groups__idx on grants (organization_key, resource_key, (expires_at is not null) desc, standing_role desc, principal)
  where principal < ' ';
-- Whether a group has ever had a grant in the organization: decisions read the groups of a user only then.
alter table organizations add column has_group_grants boolean not null default false;
