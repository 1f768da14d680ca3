/** The SQL statements that grant roles: of `permissions/add`, of sign-ins, of many grants in one call, and of `users/update`. */
import { setStatement } from '#platform/db/statement.ts'
import { CLOCK_NOW, isLiveUntil } from '#tenancy/grants.ts'
import type { AccessInForce } from '#tenancy/public-access.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'
import { EACH_ONCE, granting, IN_ORDER } from './granting.ts'
import { GRANT_COLUMNS, type GrantOutcome, type GrantRow, type WrittenGrants } from './rows.ts'

/** The columns of `named` that `granting` reads, without the grants that the call gives. */
const ACCEPTED = `organization_key, ord, kind, resource_id, principal, actor, replaces, expiring_soon_seconds, organization_added,
           resource_key, resource_added, old_standing, old_temporary, old_expires_at, old_expiry_event_at, old_expiring_at, old_provided_by`

/** No row of the request is refused. */
const REQUEST_IS_ACCEPTED = `req <> all (array(select req from named where outcome <> 'ok'))`

const OUTCOMES = `select req, ord, outcome, migrated_to as "migratedTo", access
    from named order by ord`

/**
 * Grants roles on resources. A request is all or nothing: if one row of a `req` is refused, none is written. Rows apply as
 * if sequentially, in their order: of each kind of grant, the last row for the same user and resource wins. Each row writes
 * its events with the previous value, preceded by the expiry event if the previous grant expired without one. A row that
 * changes nothing writes nothing. Runs under the lock of its organizations, so the values it reads are the values it changes.
 */
export const ADD_PERMISSIONS = setStatement<GrantRow & RequestRow, GrantOutcome>(
  'permissions.add',
  { req: 'int', ...GRANT_COLUMNS },
  granting({
    accepted: /* sql */ `select ${ACCEPTED}, given_standing, given_temporary
      from named where ${REQUEST_IS_ACCEPTED}`,
    order: IN_ORDER,
    returns: OUTCOMES,
  }),
)

export interface SignInGrantRow extends GrantRow {
  /** The call has no role: a live grant of the same kind keeps its role (rules/access.md#sign-in-grants). */
  keep: boolean
  /** Adds a missing folder or document instead of only declaring it. */
  createResource: boolean
}

/**
 * Grants roles on resources like `ADD_PERMISSIONS`, and can keep roles and add resources. With `keep`, each kind of grant of a
 * user and a resource may appear only once.
 */
export const GRANT_AT_SIGN_IN = setStatement<SignInGrantRow & RequestRow, GrantOutcome>(
  'permissions.add-at-sign-in',
  { req: 'int', ...GRANT_COLUMNS, keep: 'boolean', createResource: 'boolean' },
  granting({
    accepted: /* sql */ `select ${ACCEPTED}, create_resource,
           case when given_standing > 0 then coalesce(kept_role, given_standing) else 0 end as given_standing,
           case when given_temporary > 0 then (given_temporary & ~3::bigint) | coalesce(kept_role, given_temporary & 3) else 0 end as given_temporary
      from (select named.*,
                   case when not keep then null
                        when given_standing > 0 then coalesce(nullif(old_standing, 0), case when replaces then live_temporary end)
                        else coalesce(live_temporary, case when replaces then nullif(old_standing, 0) end) end as kept_role
              from (select *, case when ${isLiveUntil('old_expires_at', CLOCK_NOW)} then old_temporary & 3 end as live_temporary from named) named) n
     where ${REQUEST_IS_ACCEPTED}`,
    order: IN_ORDER,
    adds: 'bool_or(create_resource)',
    adopted: /* sql */ `
  adopted as (
    update resources r set added_at = clock_timestamp()
      from (select distinct organization_key, resource_key from accepted
             where create_resource and resource_key is not null and not resource_added) d
     where r.organization_key = d.organization_key and r.resource_key = d.resource_key
    returning r.organization_key, r.kind, r.id
  ),`,
    addedEvents: /* sql */ `
    union all
    select a.organization_key, 1, a.kind::text || '.added', a.kind, a.resource_id, null, a.actor, null, '{}'
      from (select distinct on (organization_key, kind, resource_id) organization_key, kind, resource_id, actor from accepted
             where create_resource and not coalesce(resource_added, false) and kind <> 'organization'
             order by organization_key, kind, resource_id, ord) a`,
    returns: OUTCOMES,
  }),
)

export type AddedGrantRow = OrganizationRow &
  RequestRow &
  WrittenGrants &
  Pick<GrantRow, 'kind' | 'resourceId' | 'principal' | 'expiringSoonSeconds' | 'knownOnly' | 'actor'>

/** A refused row, or the rows of one cause that may make what they name public. */
export type AddedGrantOutcome = Omit<GrantOutcome, 'req'> & { ords: number[] | null }

/** A value of the only request. */
const common = (column: string) => `(select ${column} from $requests)`

/**
 * Grants roles on resources like `ADD_PERMISSIONS`, but for a single request in which no two rows name the same user
 * and resource and `createOrganization` is the opposite of `knownOnly`. Values common to all rows are sent once. Writes
 * all rows or none. Returns the refused rows, and for each cause that may make resources public the first rows. Runs
 * under the lock of its organizations.
 */
export const ADD_GRANTS = setStatement<AddedGrantRow, AddedGrantOutcome>(
  'grants.add',
  {
    organizationKey: 'uuid',
    kind: 'resource_kind',
    resourceId: 'text',
    principal: 'text',
    standingRole: 'access_role',
    temporaryRole: 'access_role',
    expiresAt: 'timestamptz',
    replaces: 'boolean',
  },
  granting({
    knownOnly: common('known_only'),
    createOrganization: `not ${common('known_only')}`,
    accepted: /* sql */ `select *, ${common('actor')} as actor, ${common('expiring_soon_seconds')} as expiring_soon_seconds
      from named where not exists (select from named where outcome <> 'ok')`,
    order: EACH_ONCE,
    returns: /* sql */ `select ord, outcome, migrated_to as "migratedTo", null as access, null as ords
      from named where outcome <> 'ok'
     union all
    select min(ord), 'ok', null, access, array_agg(ord::int)
      from named where access is null or access like 'public%'
     group by access
     order by 1`,
  }),
  { knownOnly: 'boolean', actor: 'jsonb', expiringSoonSeconds: 'int' },
)

/** The role of the temporary grant as a number; 0 if it is not live. */
const LIVE_TEMPORARY = `case when ${isLiveUntil('old_expires_at', CLOCK_NOW)} then old_temporary & 3 else 0 end`

/**
 * Gives the live grants of users, each named once, another role, and keeps their expiry. Nothing changes if the
 * stronger of a user's two grants already has that role. Returns the users with a live grant. Runs under the lock of
 * the organization.
 */
export const SET_ROLES = setStatement<GrantRow & RequestRow, AccessInForce & { userId: string }>(
  'permissions.set-roles',
  { req: 'int', ...GRANT_COLUMNS },
  granting({
    accepted: /* sql */ `select ${ACCEPTED}, case when old_standing > 0 then given_standing else 0 end as given_standing,
           case when live_temporary > 0 then (old_temporary & ~3::bigint) | given_standing else 0 end as given_temporary
      from (select *, ${LIVE_TEMPORARY} as live_temporary from named) named
     where greatest(old_standing, live_temporary) not in (0, given_standing)`,
    order: EACH_ONCE,
    returns: /* sql */ `select principal as "userId", access
      from named where greatest(old_standing, ${LIVE_TEMPORARY}) > 0`,
  }),
)
