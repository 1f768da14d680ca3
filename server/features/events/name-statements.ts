/** SQL that reads the names of the things that events mention. */
import { setStatement } from '#platform/db/statement.ts'

interface ThingRow {
  /** One of `NAMED_KINDS` of the contract. */
  kind: string
  id: string
  /** The kind of a folder or document. */
  resourceKind: string | null
  workspaceId: string
  apiKeyId: string | null
  organizationKey: string | null
}

/** Returns the last event of a thing that is gone; its values may have the name. */
const lastEvent = (isGone: string, key: string): string => /* sql */ `
    left join lateral (
      select e.before, e.after from events e where ${isGone} and e.stream = item.organization_key ${key}
       order by e.sequence desc limit 1
    )`

const said = (event: string, field: string) => `${event}.after->>'${field}', ${event}.before->>'${field}'`

/** Returns the current names of operators. They are in the home database, and the other things of events in a bucket. */
export const NAME_OPERATORS = setStatement<Pick<ThingRow, 'id' | 'workspaceId'>, { ord: number; name: string }>(
  'events.name-operators',
  { id: 'text', workspaceId: 'text' },
  /* sql */ `
  select item.ord, p.name
    from $input
    join operators p on p.workspace_id = item.workspace_id and p.operator_id::text = item.id`,
)

/**
 * Returns the current name of each thing except operators. The name of a deleted thing is that in its last event,
 * because no event follows a deletion. Each join is for one kind, by a key.
 */
export const NAME_THINGS = setStatement<ThingRow, { ord: number; name: string | null; email: string | null }>(
  'events.name',
  {
    kind: 'text',
    id: 'text',
    resourceKind: 'resource_kind',
    workspaceId: 'text',
    apiKeyId: 'text',
    organizationKey: 'uuid',
  },
  /* sql */ `
  select item.ord,
         coalesce(o.name, r.name, g.name, u.profile->>'name', k.name, w.url,
                  ${said('former_o', 'organizationName')}, ${said('former_r', 'documentName')}, ${said('former_r', 'folderName')},
                  ${said('former_g', 'groupName')}) as name,
         u.profile->>'email' as email
    from $input
    left join lateral (
      select o.name, o.added_at is not null as is_there from organizations o
       where item.kind = 'organization' and o.organization_key = item.organization_key limit 1
    ) o on true
    left join lateral (
      select r.name, r.added_at is not null as is_there from resources r
       where r.organization_key = item.organization_key and r.kind = item.resource_kind and r.id = item.id limit 1
    ) r on true
    left join lateral (
      select g.name, true as is_there from user_groups g
       where item.kind = 'userGroup' and g.organization_key = item.organization_key and g.group_id = item.id limit 1
    ) g on true
    left join lateral (
      select u.profile from users u
       where item.kind = 'user' and u.api_key_id = item.api_key_id and u.user_id = item.id limit 1
    ) u on true
    left join lateral (
      select k.name from api_keys k
       where item.kind = 'apiKey' and k.api_key_id = item.id and k.workspace_id = item.workspace_id limit 1
    ) k on true
    left join lateral (
      select w.url from webhook_endpoints w
       where item.kind = 'webhookEndpoint' and w.api_key_id = item.api_key_id and w.endpoint_id = item.id limit 1
    ) w on true
    ${lastEvent(`item.kind = 'organization' and o.is_there is not true`, '')} former_o on true
    ${lastEvent(
      'r.is_there is not true',
      'and e.resource_kind = item.resource_kind and e.resource_id = item.id',
    )} former_r on true
    ${lastEvent(
      `item.kind = 'userGroup' and g.is_there is not true`,
      'and e.resource_kind is null and e.resource_id = item.id',
    )} former_g on true`,
)
