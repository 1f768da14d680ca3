/** Judges grants: which of them are findings, and which calls would fix them. */
import type { Finding, FindingKind } from '#contract/access/findings.ts'
import { type AccessRole, isStronger, type ResourceName } from '#contract/access/permissions.ts'
import type { GrantCandidate } from './grant-statements.ts'
import type { Meant } from './misspellings.ts'
import { type Draft, type GivenGrant, granting, type Offer } from './offers.ts'
import { isGuest, isTrainee, leftAt } from './words.ts'

const DAYS_SUGGESTED = 30

const VERBS: Readonly<Record<AccessRole, string>> = { viewer: 'views', commenter: 'comments on', editor: 'edits' }

const nameOf = ({ type, id, organizationId }: Pick<GrantCandidate, 'type' | 'id' | 'organizationId'>): ResourceName =>
  type === 'organization' ? { type, id } : { type, id, organizationId }

/** Ends a sentence. The name at its end may have a full stop, such as Acme Inc. */
const withFullStop = (sentence: string): string => (sentence.endsWith('.') ? sentence : `${sentence}.`)

export const spoken = (type: string, id: string, name: string | null): string => `the ${type} ${name ?? id}`

const revoke = (userId: string, resource: ResourceName) => ({
  operation: 'permissions.remove',
  data: { userId, permissions: { resources: [resource] } },
})

const grant = (userId: string, resource: ResourceName, one: object) => granting({ userId, resource }, [one])

/** Returns the live grants of a row as calls give them: the standing one, then the temporary one. */
const heldGrants = ({ standingRole, temporaryRole, expiresAt }: GrantCandidate): GivenGrant[] => [
  ...(standingRole === null ? [] : [{ accessRole: standingRole }]),
  ...(temporaryRole === null || expiresAt === null
    ? []
    : [{ accessRole: temporaryRole, expiresAt: expiresAt.getTime() / 1_000 }]),
]

export function grantFindings(row: GrantCandidate, meant: Meant): Draft[] {
  const { type, id, resourceName, userId, userName, standingRole, expiresAt, disabledAt } = row
  const now = row.now.getTime()
  const profile = row.profile ?? {}
  const resource = nameOf(row)
  const held = heldGrants(row)
  const [first, second] = held
  const accessRole = (second && first && isStronger(second.accessRole, first.accessRole) ? second : first)?.accessRole
  const who = userName ?? userId
  const what = spoken(type, id, resourceName)
  const edits = `${VERBS[accessRole ?? 'viewer']} ${what}`
  const inDays = Math.floor(now / 1_000) + DAYS_SUGGESTED * 86_400
  const found: Draft[] = []
  const add = (
    kind: FindingKind,
    sentence: string,
    calls: Finding['calls'],
    { since, offer }: { since?: number | null | undefined; offer?: Offer | undefined } = {},
  ) =>
    found.push({
      ...{ kind, sentence, resource, userId, calls },
      ...(resourceName !== null && { resourceName }),
      ...(userName !== null && { userName }),
      ...(accessRole !== undefined && { accessRole }),
      ...(typeof since === 'number' && { since }),
      ...(offer !== undefined && { offer }),
    })
  const left = leftAt(profile, now)
  const isGone = disabledAt !== null || left !== undefined
  if (row.hasExpiredLately)
    add('expired_lately', `The access of ${who} to ${what} expired.`, [], {
      since: expiresAt?.getTime(),
      offer:
        isGone || row.isDeclared
          ? undefined
          : { userId, resource, grants: [{ accessRole: 'viewer', expiresAt: inDays }] },
    })
  if (accessRole === undefined) return found
  if (disabledAt !== null)
    add(
      'left_with_access',
      withFullStop(`${who} is disabled in another API key and ${edits}`),
      [revoke(userId, resource)],
      { since: disabledAt.getTime() },
    )
  else if (left !== undefined)
    add(
      'left_with_access',
      withFullStop(`${who} has left according to the profile and ${edits}`),
      [revoke(userId, resource)],
      { since: left },
    )
  if (row.isDeclared || meant.organization !== undefined) {
    const { sentence, instead } = notAdded(row, what, meant)
    add('grant_not_added', `${who} has a grant on ${sentence}`, [revoke(userId, resource)], {
      offer: instead === undefined || isGone ? undefined : { userId, resource: instead, grants: held },
    })
  }
  if (standingRole !== null && isGuest(profile))
    add('guest_without_end', `The guest ${who} ${VERBS[standingRole]} ${what} without an end.`, [
      grant(userId, resource, {
        // Both become one temporary grant: the stronger one, until then.
        ...(second !== undefined && isStronger(second.accessRole, standingRole)
          ? second
          : { accessRole: standingRole, expiresAt: inDays }),
        replaceExisting: true,
      }),
    ])
  if (type === 'organization' && accessRole === 'editor' && isTrainee(profile))
    add('trainee_edits_everything', withFullStop(`The trainee ${who} edits everything in ${what}`), [
      // A standing grant in place of one that expires would give access for longer.
      grant(userId, resource, {
        ...(standingRole === null ? held[0] : {}),
        accessRole: 'viewer',
        replaceExisting: true,
      }),
    ])
  if (row.isWeaker)
    add('weaker_inside', `${who} ${edits} only, and has a stronger grant above it.`, [revoke(userId, resource)])
  return found
}

/** How a sentence says that its organization is misspelt. */
export const ofUnknown = (organizationId: string): string =>
  `of the organization ${organizationId}, which was never added`

/** Says about a grant what was never added and what was probably meant, which is returned if it exists. */
function notAdded(
  row: GrantCandidate,
  what: string,
  { id, organization }: Meant,
): { sentence: string; instead?: ResourceName } {
  const { type, organizationId } = row
  if (organization === undefined) {
    const sentence = `${what}, which was never added.`
    if (id === undefined) return { sentence }
    return { sentence: `${sentence} Probably ${id} was meant.`, instead: nameOf({ type, id, organizationId }) }
  }
  if (type === 'organization')
    return {
      sentence: `${what}, which has no name, folders or documents. Probably ${organization.id} was meant.`,
      instead: { type, id: organization.id },
    }
  return {
    sentence: `${what} ${ofUnknown(organizationId)}. Probably the organization ${organization.id} was meant.`,
    ...(organization.hasResource && { instead: nameOf({ type, id: row.id, organizationId: organization.id }) }),
  }
}
