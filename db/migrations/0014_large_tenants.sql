-- Few tenants are large and most are small, and one plan serves them all. By the average of them, going through a whole
-- organization looks as cheap as looking up one of its rows. This tells the planner, from the next analyze on, to expect
-- a large one.
alter table organizations alter column api_key_id set (n_distinct = 10);
alter table users alter column api_key_id set (n_distinct = 10);
alter table resources alter column organization_key set (n_distinct = 10);
alter table grants alter column organization_key set (n_distinct = 10);
alter table document_aliases alter column organization_key set (n_distinct = 10);
alter table document_migrations alter column organization_key set (n_distinct = 10);
alter table user_groups alter column organization_key set (n_distinct = 10);
alter table user_group_members alter column organization_key set (n_distinct = 10);
alter table events alter column stream set (n_distinct = 10);
