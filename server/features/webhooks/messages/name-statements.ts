/** The names that a processed message shows in addition to the ids of its event, and the SQL that looks them up. */
import { setStatement } from '#platform/db/statement.ts'

export interface NamedPlace {
  endpointKey: number
  apiKeyId: string
  organizationKey: string
  organizationId: string | null
  resourceKind: string | null
  resourceId: string | null
  userId: string | null
}

/** Returns the current names of the subjects of events. The stream of an event inside an organization is the organization's key. */
export const NAME_EVENTS = setStatement<
  NamedPlace,
  {
    ord: number
    organizationName: string | null
    resourceName: string | null
    userName: string | null
    userEmail: string | null
  }
>(
  'webhook-deliveries.name',
  {
    apiKeyId: 'text',
    organizationKey: 'uuid',
    organizationId: 'text',
    resourceKind: 'text',
    resourceId: 'text',
    userId: 'text',
  },
  /* sql */ `
  select item.ord, o.name as "organizationName", r.name as "resourceName", u.profile->>'name' as "userName", u.profile->>'email' as "userEmail"
    from $input
    left join lateral (
      select o.name from organizations o where item.organization_id is not null and o.organization_key = item.organization_key limit 1
    ) o on true
    left join lateral (
      select r.name from resources r
       where r.organization_key = item.organization_key and r.kind = item.resource_kind::resource_kind and r.id = item.resource_id limit 1
    ) r on true
    left join lateral (
      select u.profile from users u where u.api_key_id = item.api_key_id and u.user_id = item.user_id limit 1
    ) u on true`,
)

/** The current names, which events do not contain. */
export interface Names {
  organizationName: string | null
  resourceName: string | null
  userName: string | null
  userEmail: string | null
}
