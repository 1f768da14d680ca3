/** A naive in-memory model of grants and documents. It processes requests sequentially and returns the results of the statements. */
import { isDeepStrictEqual } from 'node:util'
import type { AccessRole, AccessType, ResourceType } from '#contract/access/permissions.ts'
import type { SignInGrantRow } from '#features/permissions/grants/add-statements.ts'
import type { GrantName, GrantOutcome } from '#features/permissions/grants/rows.ts'
import type { NewDocumentOutcome, NewDocumentRow } from '#features/resources/documents/statements.ts'

/** The part of an organization's event that the request determines. */
export interface ModelEvent {
  type: string
  kind: ResourceType | null
  id: string | null
  user: string | null
  actor: unknown
  before: unknown
  after: unknown
}

/** Keys are strings: `organization kind id`, and for grants `organization kind id user` with `standing` or `temporary`. */
export interface State {
  added: Set<string>
  declared: Set<string>
  /** Old ids of documents → their current ids. */
  left: Map<string, string>
  grants: Map<string, Held & { expiryReported: boolean }>
  documents: Map<string, { name: string | null; folderId: string | null; accessType: AccessType | null }>
  /** By organization, in order. */
  events: Map<string, ModelEvent[]>
}

const nameOf = (organization: string, kind: ResourceType, id: string) => `${organization} ${kind} ${id}`

const organizationName = ({ organizationId }: { organizationId: string }) =>
  nameOf(organizationId, 'organization', organizationId)

function record(
  state: State,
  row: { organizationId: string; actor: unknown },
  event: Pick<ModelEvent, 'type'> & Partial<ModelEvent>,
): void {
  const events = state.events.get(row.organizationId) ?? []
  state.events.set(row.organizationId, events)
  events.push({ kind: null, id: null, user: null, actor: row.actor, before: null, after: {}, ...event })
}

function openOrganization(state: State, row: { organizationId: string; actor: unknown }): void {
  const name = organizationName(row)
  if (state.added.has(name)) return
  state.added.add(name)
  record(state, row, { type: 'organization.added' })
}

const seconds = (time: Date | null) => (time === null ? null : time.getTime() / 1000)

function judgeGrant(state: State, row: SignInGrantRow): Pick<GrantOutcome, 'outcome' | 'migratedTo'> {
  const name = nameOf(row.organizationId, row.kind, row.resourceId)
  const isThere = state.added.has(name) || state.declared.has(name)
  const migratedTo = isThere ? undefined : state.left.get(name)
  if (migratedTo !== undefined) return { outcome: 'document_was_migrated', migratedTo }
  const mayBeMade = row.createOrganization || state.added.has(organizationName(row))
  const isKnown = state.added.has(name) || !row.knownOnly
  return { outcome: mayBeMade && isKnown ? 'ok' : 'resource_does_not_exist', migratedTo: null }
}

/** Applies one call that grants, all or nothing, at `now` in Unix seconds. */
export function applyGrants(
  state: State,
  rows: readonly SignInGrantRow[],
  now: number,
): Pick<GrantOutcome, 'outcome' | 'migratedTo'>[] {
  const outcomes = rows.map((row) => judgeGrant(state, row))
  if (outcomes.some(({ outcome }) => outcome !== 'ok')) return outcomes
  for (const row of rows) {
    openOrganization(state, row)
    const { kind, resourceId: id, principal: user } = row
    const name = nameOf(row.organizationId, kind, id)
    if (!state.added.has(name)) {
      if (row.createResource) {
        state.added.add(name)
        state.declared.delete(name)
        if (kind === 'document') state.documents.set(name, { name: null, folderId: null, accessType: null })
        record(state, row, { type: `${kind}.added`, kind, id })
      } else state.declared.add(name)
    }
    writeGrants(state, row, `${name} ${user}`, now)
  }
  return outcomes
}

const KINDS = ['standing', 'temporary'] as const
type Kind = (typeof KINDS)[number]
type Held = { accessRole: AccessRole; expiresAt: number | null }

function heldOf(state: State, grant: string): Held | null {
  const { accessRole, expiresAt } = state.grants.get(grant) ?? {}
  return accessRole === undefined || expiresAt === undefined ? null : { accessRole, expiresAt }
}

/** Follows rules/access.md#granting and rules/access.md#sign-in-grants. */
function writeGrants(state: State, row: SignInGrantRow, pair: string, now: number): void {
  const { kind, resourceId: id, principal: user, keep, replaces } = row
  const live = (which: Kind) => {
    const held = heldOf(state, `${pair} ${which}`)
    return held !== null && (held.expiresAt === null || held.expiresAt > now) ? held : undefined
  }
  const changes = KINDS.map((which) => {
    const before = heldOf(state, `${pair} ${which}`)
    const given = givenGrant(row, which)
    const other = which === 'standing' ? 'temporary' : 'standing'
    const over = live(which) ?? (replaces ? live(other) : undefined)
    const kept = keep && given !== null && over !== undefined ? { ...given, accessRole: over.accessRole } : given
    return { name: `${pair} ${which}`, before, after: kept ?? (replaces ? null : before) }
  }).filter(({ before, after }) => !isDeepStrictEqual(before, after))
  for (const { name } of changes) reportExpiry(state, row, name, now)
  for (const { name, before, after } of changes)
    if (after === null) {
      state.grants.delete(name)
      record(state, row, { type: 'permission.removed', kind, id, user, before, after })
    }
  for (const { name, before, after } of changes)
    if (after !== null) {
      state.grants.set(name, { ...after, expiryReported: false })
      record(state, row, { type: 'permission.added', kind, id, user, before, after })
    }
}

function givenGrant({ standingRole, temporaryRole, expiresAt }: SignInGrantRow, which: Kind): Held | null {
  const accessRole = which === 'standing' ? standingRole : temporaryRole
  return accessRole === null ? null : { accessRole, expiresAt: which === 'standing' ? null : seconds(expiresAt) }
}

/** Writes the expiry event of an expired grant before it is changed or removed. */
function reportExpiry(state: State, row: GrantName, grant: string, now: number): void {
  const { expiresAt = null, expiryReported } = state.grants.get(grant) ?? {}
  if (expiresAt === null || expiresAt > now || expiryReported) return
  const { kind, resourceId: id, principal: user } = row
  const before = heldOf(state, grant)
  record(state, row, { type: 'permission.expired', kind, id, user, actor: { system: 'expiry' }, before, after: null })
}

/** Applies one call that removes grants. Missing grants are skipped. */
export function applyRemovals(
  state: State,
  rows: readonly (GrantName & { temporaryOnly: boolean })[],
  now: number,
): void {
  for (const row of rows) {
    const { organizationId, kind, resourceId: id, principal: user } = row
    const pair = `${nameOf(organizationId, kind, id)} ${user}`
    const names = (row.temporaryOnly ? ['temporary'] : KINDS).map((which) => `${pair} ${which}`)
    for (const name of names) reportExpiry(state, row, name, now)
    for (const name of names) {
      const before = heldOf(state, name)
      if (before === null) continue
      state.grants.delete(name)
      record(state, row, { type: 'permission.removed', kind, id, user, before, after: null })
    }
  }
}

/** Applies one call of `documents.add`. Its rows name one organization and one folder. */
export function applyDocuments(state: State, rows: readonly NewDocumentRow[]): NewDocumentOutcome['outcome'][] {
  return rows.map((row) => {
    const { organizationId, documentId, name: documentName, folderId, accessType, metadata } = row
    if (!state.added.has(organizationName(row)) && !row.createOrganization) return 'organization_does_not_exist'
    const folder = folderId === null ? null : nameOf(organizationId, 'folder', folderId)
    if (folder !== null && !state.added.has(folder) && !row.createFolder) return 'folder_does_not_exist'
    openOrganization(state, row)
    if (folder !== null && !state.added.has(folder)) {
      state.added.add(folder)
      state.declared.delete(folder)
      record(state, row, { type: 'folder.added', kind: 'folder', id: folderId, after: { parentFolderId: 'root' } })
    }
    const document = nameOf(organizationId, 'document', documentId)
    if (state.added.has(document)) return 'already_exists'
    state.added.add(document)
    state.declared.delete(document)
    state.left.delete(document)
    state.documents.set(document, { name: documentName, folderId, accessType })
    const after = { documentName, folderId, accessType, metadata }
    record(state, row, { type: 'document.added', kind: 'document', id: documentId, after })
    return 'ok'
  })
}
