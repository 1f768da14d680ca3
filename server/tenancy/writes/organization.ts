/**
 * Changes organizations: one transaction that locks the rows of the organizations in a first statement and changes them in a
 * second one. The second statement sees everything that was committed before, nothing else can change them until the commit,
 * and the order of their events is the order of commits (ADR 0003).
 */
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import type { Db, Session, TransactionOptions } from '#platform/db/db.ts'
import { lostRace } from '#platform/db/pg-errors.ts'
import { type SetStatement, setStatement, statement } from '#platform/db/statement.ts'
import { organizationDoesNotExist } from '../refusals.ts'
import { type GivenRoles, givesCommenter, holdCommenter } from './commenter.ts'
import { inTurn, LONG_CHANGE_MS } from './turns.ts'

/** The organization of a row, and whether the row may create it. */
export interface OrganizationRow {
  organizationKey: OrganizationKey
  apiKeyId: ApiKeyId
  organizationId: string
  createOrganization: boolean
}

/** The options of a change that can affect millions of rows: it may run for an hour, and only its own organizations wait. */
export const LONG_CHANGE = { statementTimeoutMs: LONG_CHANGE_MS } as const satisfies TransactionOptions

/**
 * Locks organizations in key order, so that two runs cannot deadlock. Creates the row of an organization that does not
 * exist and may be created. Such a row has no `added_at` and is invisible until the following change sets it.
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

/** A key that no organization has: keys are the first 128 bits of a hash. */
const NO_ORGANIZATION = '00000000-0000-0000-0000-000000000000' as OrganizationKey

/** Returns each organization of `rows` once. It may be created if any of its rows may create it. */
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
 * Locks each organization of `rows` once; it may be created if any of its rows may create it. Returns the rows. Rows of an
 * organization that does not exist get a key that matches none: another call may be adding the organization, and it must
 * not be changed without the lock. If an organization that may be created was deleted while this waited for its lock, a
 * lost race is thrown: the retried transaction creates it.
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
  return rows.map((row) => (locked.has(row.organizationKey) ? row : { ...row, organizationKey: NO_ORGANIZATION }))
}

export const LOCK_ORGANIZATION = statement<{ added: boolean }>(
  'organizations.lock-one',
  'select added_at is not null as added from organizations where organization_key = $1 for no key update',
)

/** Locks one organization that is to be changed, not created. Returns whether it exists. */
export async function lockOrganization(session: Session, key: OrganizationKey): Promise<boolean> {
  const [organization] = await session.run(LOCK_ORGANIZATION, [key])
  return organization?.added === true
}

/** Runs a transaction that locks organizations of one API key, however long that takes. */
export const changeOrganizations = <T>(
  db: Db,
  { apiKeyId }: { apiKeyId: ApiKeyId },
  keys: readonly OrganizationKey[],
  work: (session: Session) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> => {
  const queue = options === LONG_CHANGE ? 'long' : 'short'
  return inTurn(db, { keys, tenant: apiKeyId, queue }, () => db.transaction(work, options))
}

/** Runs a transaction on one locked organization. Refuses with NOT_FOUND when it does not exist. */
export const changeOrganization = <T>(
  db: Db,
  caller: { apiKeyId: ApiKeyId },
  key: OrganizationKey,
  work: (session: Session) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> => {
  const lockedWork = async (session: Session) => {
    if (!(await lockOrganization(session, key))) throw organizationDoesNotExist()
    return work(session)
  }
  return changeOrganizations(db, caller, [key], lockedWork, options)
}

/**
 * Locks the organizations of `rows`, which all belong to one API key if this can wait long, and then runs `change` on
 * the rows, in one transaction. Rows that give the role `commenter` hold it first.
 */
export function changeUnderLock<Row extends OrganizationRow & GivenRoles, Answer>(
  db: Db,
  rows: readonly Row[],
  change: (session: Session, rows: readonly Row[]) => Promise<Answer>,
  options: TransactionOptions = {},
): Promise<Answer> {
  const work = async (session: Session) => {
    await holdCommenter(session, rows)
    return change(session, await lockOrganizations(session, rows))
  }
  const [first] = rows
  if (options.lockTimeoutMs !== undefined || first === undefined)
    return db.transaction(work, { ...options, locksFirst: true })
  return changeOrganizations(
    db,
    first,
    rows.map(({ organizationKey }) => organizationKey),
    work,
    options,
  )
}

/**
 * Locks existing organizations, in key order. The following statements of the transaction find out by themselves which
 * organizations did not exist (`isLocked`), because they are sent before this process knows it.
 */
export const LOCK_KNOWN = setStatement<Pick<OrganizationRow, 'organizationKey'>, never>(
  'organizations.lock-known',
  { organizationKey: 'uuid' },
  /* sql */ `
  with locked as materialized (
    select o.organization_key from organizations o
     where o.organization_key in (select item.organization_key from $input)
     order by o.organization_key for no key update
  )
  select set_config('commonhold.unlocked', array(
           select item.organization_key from $input where item.organization_key not in (select organization_key from locked)
         )::text, true)`,
)

/**
 * SQL: whether the transaction has locked organization `o` of a row. If a row does not say that its organization is
 * locked (`isLocked`), `LOCK_KNOWN` must have locked it in the same transaction; otherwise the statement fails.
 */
export const isLocked = (row: string): string =>
  /* sql */ `(${row}.is_locked or o.organization_key <> all ((select current_setting('commonhold.unlocked')::uuid[])::uuid[]))`

/** Runs `statement` on `rounds` of rows, one after the other, under the locks of their organizations, which it checks by `isLocked`. */
export function writeRounds<Row extends OrganizationRow, Answer>(
  db: Db,
  statement: SetStatement<Row, Answer>,
  rounds: readonly (readonly Row[])[],
  options: TransactionOptions,
): Promise<Answer[]> {
  const lock = { statement: LOCK_KNOWN, rows: organizationsOf(rounds.flat()) }
  return db.runInSuccession(
    lock,
    rounds.map((rows) => ({ statement, rows })),
    options,
  )
}

/** Runs `statement` on `rows` under the locks of their organizations, as `changeUnderLock` does. */
export function writeUnderLock<Row extends OrganizationRow & GivenRoles, Answer>(
  db: Db,
  statement: SetStatement<Row, Answer>,
  rows: readonly Row[],
  options: TransactionOptions = {},
): Promise<Answer[]> {
  const isKnown = rows.every((row) => row.createOrganization && !givesCommenter(row))
  if (options.lockTimeoutMs !== undefined && isKnown) {
    // All of them will exist and be locked: the change need not wait for the result of the lock.
    const lock = { statement: LOCK_ORGANIZATIONS, rows: organizationsOf(rows) }
    return db.runInSuccession(lock, [{ statement, rows }], options)
  }
  return changeUnderLock(db, rows, (session, locked) => session.runSet(statement, locked), options)
}
