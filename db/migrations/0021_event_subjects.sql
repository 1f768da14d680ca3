-- The two questions that an audit trail is asked most: what happened to this resource, and to this user anywhere (ADR 0018).
create index events__resource_id__idx on events (stream, resource_kind, resource_id, sequence) where resource_id is not null;
create index events__user_tick__idx on events (api_key_id, user_id, tick, stream, sequence) where user_id is not null;
