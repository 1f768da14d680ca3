-- Settings of notifications and activities as they were given, null if they never were, and the switch of private threads.
alter table api_keys
  add column notification_config jsonb,
  add column activity_config jsonb,
  add column private_comments_enabled boolean not null default false;
