/**
 * The way of every change inside organizations: one transaction that first, in a statement of its own, locks the rows
 * of the organizations it touches, and then changes them in a second statement. So the second one sees everything that
 * was committed to them before, nothing else changes meanwhile, and the order of their events is the order of commits (ADR 0003).
 */
import type { ApiKeyId, OrganizationKey } from '#contract/ids.ts'
import type { Db, Session, TransactionOptions } from '#platform/db/db.ts'
import { lostRace } from '#platform/db/pg-errors.ts'
import { type SetStatement, setStatement, statement } from '#platform/db/statement.ts'
import { organizationDoesNotExist } from '../refusals.ts'
import { inTurn } from './turns.ts'

/** Which organization a row belongs to, and whether the row may bring it into being. */
export interface OrganizationRow {
  organizationKey: OrganizationKey
  apiKeyId: ApiKeyId
  organizationId: string
  createOrganization: boolean
}

/** For what may touch millions of rows: it takes as long as it takes, and only its own organizations wait. */
export const LONG_CHANGE = { statementTimeoutMs: 60 * 60 * 1000 } as const satisfies TransactionOptions

/**
 * Locks organizations in key order, so that two of these never wait for each other; creates the row of one that is not
 * there and may come into being. Such a row has no `added_at` and is invisible until the change that follows sets it.
 */
export const LOCK_ORGANIZATIONS = setStatement<OrganizationRow, { organizationKey: OrganizationKey }>(
  'organizations.lock',
  { organizationKey: 'uuid', apiKeyId: 'text', organizationId: 'text', createOrganization: 'boolean' },
  /* sql */ `
  with wanted as materialized (select * from $input),
  created as (
    insert into organizations (organization_key, api_key_id, organization_id)
    select organization_key, api_key_id, organization_id from wanted
     where create_organization
       and not exists (select from organizations o where o.organization_key = wanted.organization_key)
     order by organization_key
    on conflict (organization_key) do update set organization_id = excluded.organization_id
    returning organization_key
  ),
  locked as (
    select o.organization_key from organizations o
     where o.organization_key in (select organization_key from wanted) and (select count(*) from created) >= 0
     order by o.organization_key for no key update
  )
  select organization_key as "organizationKey" from created union select organization_key from locked`,
)

/** No organization has this key: it is the first 128 bits of a hash. */
const NOWHERE = '00000000-0000-0000-0000-000000000000' as OrganizationKey

/** Each organization of `rows` once; it may be created when any of its rows may create it. */
function organizationsOf(rows: readonly OrganizationRow[]): OrganizationRow[] {
  const organizations = new Map<OrganizationKey, OrganizationRow>()
  for (const row of rows) {
    const { organizationKey, apiKeyId, organizationId } = row
    const createOrganization =
      row.createOrganization || (organizations.get(organizationKey)?.createOrganization ?? false)
    organizations.set(organizationKey, { organizationKey, apiKeyId, organizationId, createOrganization })
  }
  return [...organizations.values()]
}

/**
 * Locks each organization of `rows` once; it may be created when any of its rows may create it. Answers the rows, those
 * of an organization that is not there with a key that leads nowhere: it may be added by another call at this moment,
 * and must not be changed without the lock. One that was deleted while this waited for it, and may be created, is a lost
 * race: run again, the transaction creates it.
 */
export async function lockOrganizations<Row extends OrganizationRow>(
  session: Session,
  rows: readonly Row[],
): Promise<Row[]> {
  const locked = new Set(
    (await session.runSet(LOCK_ORGANIZATIONS, organizationsOf(rows))).map((row) => row.organizationKey),
  )
  if (rows.some((row) => row.createOrganization && !locked.has(row.organizationKey)))
    throw lostRace('an organization was deleted while a write waited for it')
  return rows.map((row) => (locked.has(row.organizationKey) ? row : { ...row, organizationKey: NOWHERE }))
}

export const LOCK_ORGANIZATION = statement<{ added: boolean }>(
  'organizations.lock-one',
  'select added_at is not null as added from organizations where organization_key = $1 for no key update',
)

/** Locks one organization that is to be changed, not created; answers whether it is there. */
export async function lockOrganization(session: Session, key: OrganizationKey): Promise<boolean> {
  const [organization] = await session.run(LOCK_ORGANIZATION, [key])
  return organization?.added === true
}

/** A transaction that locks the organizations of `keys`, however long that takes. */
export const changeOrganizations = <T>(
  db: Db,
  keys: readonly OrganizationKey[],
  work: (session: Session) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> => inTurn(db, keys, () => db.transaction(work, options))

/** The same for one organization that must be there: the refusal of the call when it is not. */
export const changeOrganization = <T>(
  db: Db,
  key: OrganizationKey,
  work: (session: Session) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> => {
  const lockedWork = async (session: Session) => {
    if (!(await lockOrganization(session, key))) throw organizationDoesNotExist()
    return work(session)
  }
  return changeOrganizations(db, [key], lockedWork, options)
}

/** One transaction: lock the organizations of `rows`, then run `statement` on them. */
export function writeUnderLock<Row extends OrganizationRow, Answer>(
  db: Db,
  statement: SetStatement<Row, Answer>,
  rows: readonly Row[],
  options: TransactionOptions = {},
): Promise<Answer[]> {
  const work = async (session: Session) => {
    return session.runSet(statement, await lockOrganizations(session, rows))
  }
  if (options.lockTimeoutMs !== undefined && rows.every(({ createOrganization }) => createOrganization)) {
    // All of them will be there and locked: the change need not wait for the answer to the lock.
    const lock = { statement: LOCK_ORGANIZATIONS, rows: organizationsOf(rows) }
    return db.runInSuccession(lock, { statement, rows }, options)
  }
  if (options.lockTimeoutMs !== undefined) return db.transaction(work, options)
  return changeOrganizations(
    db,
    rows.map(({ organizationKey }) => organizationKey),
    work,
    options,
  )
}
