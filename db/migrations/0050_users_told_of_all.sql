-- A comment looks for the users whose level of a channel is `ALL` among all users of an organization who have set levels. Most of
-- these have set `NONE` or `MINE`. The statement repeats this condition word for word, or it cannot use the index.
create index notification_preferences__all__idx on notification_preferences (organization_key, resource_key, user_id)
  where channels @? '$.* ? (@ == "ALL")';
