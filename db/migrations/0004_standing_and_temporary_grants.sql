-- A user can hold a standing grant on a resource and a temporary one beside it (ADR 0034). Both are in one row, so decisions
-- still read one row for each resource, and a user with both is listed once. Before this, a row had one grant of either kind.
alter table grants rename column role to standing_role;
alter table grants alter column standing_role drop not null;
alter table grants add column temporary_role access_role;
update grants set temporary_role = standing_role, standing_role = null where expires_at is not null;
alter table grants
  add constraint grants__temporary_role__check check ((temporary_role is null) = (expires_at is null)),
  add constraint grants__standing_role__check check (standing_role is not null or temporary_role is not null);
