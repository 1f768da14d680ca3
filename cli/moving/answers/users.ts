/** Converts users and their access: memberships as `users/get` lists them, with role and expiry as `permissions/get` reports them. */
import { LIMITS } from '#contract/core/limits.ts'
import { profileProperties } from '#contract/users/user-records.ts'
import { checkRecord } from '#moving/files/check-record.ts'
import { inUtc } from '../../times.ts'
import type { Answer, Within } from './lines.ts'
import type { Membership, Organization, PlaceType } from './organization.ts'
import { given, type Item, isNumberedId, type Output, objectOf } from './output.ts'

/**
 * The number of users whose profiles are remembered, so that each is written once. A later repeat is harmless: it only makes
 * the file longer.
 */
const REMEMBERED_PROFILES = 100_000

/** The fields of an item of `users/get` in addition to the profile. */
const NOT_PROFILE = ['userId', 'organizationId', 'documentId', 'folderId', 'accessRole', 'expiresAt']

/** Returns whether a field of a profile has no value: `null`, or an empty address (rules/contract.md#absent-fields). */
const isAbsent = (name: string, value: unknown): boolean =>
  (value === null && Object.hasOwn(profileProperties, name)) || (value === '' && ['email', 'photoUrl'].includes(name))

export class Users {
  readonly #output: Output
  readonly #nowSeconds: number
  readonly #written = new Set<string>()

  constructor(output: Output, nowSeconds: number) {
    this.#output = output
    this.#nowSeconds = nowSeconds
  }

  /** An item of `users/get`: the profile, and a membership that is written when its role is known. */
  take({ line, path, within, item }: Answer, organization: Organization): void {
    const found = objectOf(item, line, path, this.#output)
    if (found === undefined) return
    const { userId, accessRole, expiresAt } = found
    const { type, id } = placeOf(within, organization.id)
    const what = `user ${userId}`
    if (isNumberedId(userId, 'userId', line, what, this.#output)) return
    const checked = checkRecord({ record: 'user', userId })
    if ('fault' in checked) return void this.#output.refuse(line, what, checked.fault.reason, checked.fault.message)
    if (!this.#written.has(String(userId))) this.#writeProfile(line, what, found)
    if (!organization.has(type, id)) return void this.#refusePlace(line, String(userId), type, id, organization)
    organization.addMember(type, id, String(userId), {
      line,
      accessRole: given(accessRole),
      expiresAt: given(expiresAt),
    })
  }

  #writeProfile(line: number, what: string, item: Item): void {
    const own = Object.entries(item).filter(([name, value]) => !NOT_PROFILE.includes(name) && !isAbsent(name, value))
    if (this.#written.size >= REMEMBERED_PROFILES) this.#written.clear()
    this.#written.add(String(item.userId))
    if (own.length > 0)
      this.#output.add(line, what, { record: 'user', userId: item.userId, profile: Object.fromEntries(own) })
  }

  #refusePlace(line: number, userId: string, type: PlaceType, id: string, organization: Organization): void {
    const what = `grant of ${userId} on ${type} ${type === 'organization' ? id : `${organization.id}/${id}`}`
    this.#output.refuse(line, what, 'parent_not_moved', `this ${type} is refused or not in the file`)
  }

  /** An item of `permissions/get`: what one user may do in an organization. Access that is inherited needs no grant. */
  takePermissions({ line, path, item }: Answer, organization: Organization): void {
    const found = objectOf(item, line, path, this.#output)
    if (found === undefined) return
    const { userId, organization: own, folders, documents } = found
    if (typeof userId !== 'string') return // refused where users/get lists it
    const entries: [PlaceType, string, Item][] = []
    for (const [type, known, all] of [
      ['organization', [organization.id], own],
      ['folder', organization.folders.keys(), folders],
      ['document', organization.documents.keys(), documents],
    ] as const)
      for (const id of known) {
        const entry = Object.hasOwn(Object(all), id) ? (all as Record<string, unknown>)[id] : undefined
        if (typeof entry === 'object' && entry !== null) entries.push([type, id, entry as Item])
      }
    for (const [type, id, entry] of entries) this.#takeEntry(line, organization, type, id, userId, entry)
  }

  #takeEntry(line: number, organization: Organization, type: PlaceType, id: string, userId: string, entry: Item): void {
    const grant = grantOn(organization, type, id, userId)
    const isDenied = given(entry.errorCode) !== undefined
    // A user who has no access while it is disabled may have it again later. The membership counts, as far as users/get
    // describes it.
    if (isDenied ? organization.isDisabled(type, id) : given(entry.accessRole) === undefined) return
    const membership = organization.takeMember(type, id, userId)
    if (isDenied) {
      if (membership === undefined) return
      const message = `users/get lists the user, but permissions/get says ${entry.errorCode}: no grant is made`
      return void this.#output.leaveOut(line, grant.what, 'denied_there', message)
    }
    const until = given(entry.expiresAt) ?? membership?.expiresAt
    if (until === undefined) {
      if (membership !== undefined)
        this.#output.add(line, grant.what, { ...grant.record, accessRole: entry.accessRole, replaceExisting: true })
      return
    }
    const isInherited = organization.inheritsTemporary(type, id, userId, `${entry.accessRole} ${until}`)
    if (membership === undefined && isInherited) return
    const standing = membership?.expiresAt === undefined ? membership?.accessRole : undefined
    const isOnlyStanding = isInherited && standing !== undefined
    const expiresAt = isOnlyStanding ? 'none' : this.#expiryOf(line, grant.what, until)
    if (standing !== undefined) {
      const isAlone = expiresAt === 'none' ? { replaceExisting: true } : {}
      this.#output.add(line, grant.what, { ...grant.record, accessRole: standing, ...isAlone })
    }
    if (expiresAt === 'none') return
    if (standing === undefined && membership !== undefined)
      this.#output.change(line, grant.what, 'only_temporary', ONLY_TEMPORARY)
    const isAlone = standing === undefined ? { replaceExisting: true } : {}
    this.#output.add(line, grant.what, { ...grant.record, accessRole: entry.accessRole, expiresAt, ...isAlone })
  }

  /** Writes the memberships about which `permissions/get` said nothing. */
  finish(organization: Organization): void {
    for (const { type, id, userId, membership } of organization.restOfMembers())
      this.#writeMembership(organization, type, id, userId, membership)
  }

  #writeMembership(organization: Organization, type: PlaceType, id: string, userId: string, membership: Membership) {
    const { line, accessRole } = membership
    const { what, record } = grantOn(organization, type, id, userId)
    const expiresAt = this.#expiryOf(line, what, membership.expiresAt)
    if (expiresAt === 'none') return
    if (accessRole === undefined)
      this.#output.change(
        line,
        what,
        'role_unknown',
        'the file does not say which role it gives: it is moved as viewer',
      )
    this.#output.add(line, what, {
      ...record,
      accessRole: accessRole ?? 'viewer',
      ...(expiresAt === undefined ? {} : { expiresAt }),
      replaceExisting: true,
    })
  }

  /** Returns the expiry in whole seconds, undefined if there is none, or `none` if no grant can be made of it. */
  #expiryOf(line: number, what: string, expiresAt: unknown): number | 'none' | undefined {
    if (expiresAt === undefined) return undefined
    if (typeof expiresAt !== 'number' || !(expiresAt >= 0) || expiresAt > LIMITS.expiresAtSecondsMax) {
      const why = typeof expiresAt === 'number' ? `${expiresAt} looks like milliseconds` : 'it is not a number'
      this.#output.refuse(line, what, 'expiry_invalid', `expiresAt must be in seconds; ${why}`)
      return 'none'
    }
    const seconds = Math.ceil(expiresAt)
    if (seconds <= this.#nowSeconds) {
      this.#output.leaveOut(line, what, 'expired', `it expired at ${inUtc(seconds * 1_000)}`)
      return 'none'
    }
    if (seconds !== expiresAt)
      this.#output.change(line, what, 'expiry_rounded', `expiresAt ${expiresAt} is rounded up to ${seconds}`)
    return seconds
  }
}

const ONLY_TEMPORARY =
  'users/get lists the user without a role, and permissions/get says when the access expires: only the temporary grant is moved'

function placeOf({ documentId, folderId }: Within, organizationId: string): { type: PlaceType; id: string } {
  if (documentId !== undefined) return { type: 'document', id: String(documentId) }
  return folderId === undefined
    ? { type: 'organization', id: organizationId }
    : { type: 'folder', id: String(folderId) }
}

function grantOn(organization: Organization, type: PlaceType, id: string, userId: string) {
  const isOrganization = type === 'organization'
  return {
    what: `grant of ${userId} on ${type} ${isOrganization ? id : `${organization.id}/${id}`}`,
    record: { record: 'grant', userId, type, id, ...(isOrganization ? {} : { organizationId: organization.id }) },
  }
}
