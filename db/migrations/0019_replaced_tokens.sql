-- When a reset replaced the token. It stays valid until expires_at, but may no longer manage the access to its workspace.
alter table workspace_tokens add column replaced_at timestamptz;

-- Tokens that earlier resets replaced: those that are older than the token which the last reset created.
update workspace_tokens t set replaced_at = reset.at
  from (select workspace_id, max(created_at) as at from workspace_tokens
         where origin ->> 'how' = 'replaced_others' group by workspace_id) reset
 where t.workspace_id = reset.workspace_id and t.created_at < reset.at and t.revoked_at is null;
