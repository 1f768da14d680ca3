/** Random worlds as data: organizations with folders, documents and grants, and the steps that change them. */
import fc from 'fast-check'
import type { AccessRole, AccessType } from '#contract/access/permissions.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { updateKeyConfig } from '#contract/keys/key-config.ts'
import type { Defaults, Key } from './interpreter.ts'

export const USERS = ['u0', 'u1', 'u2'] as const
export type UserId = (typeof USERS)[number]

export const GROUPS = ['g0', 'g1'] as const
type GroupId = (typeof GROUPS)[number]

/** When grants expire, in Unix seconds. */
export const EXPIRIES = [2_000_000_000, 2_000_000_100] as const

/** Picks items by number, modulo the number of items. */
type Pick = number

export interface GrantSpec {
  holder: UserId | GroupId
  target: Pick
  role: AccessRole
  /** Null for a standing grant. */
  expiresAt: number | null
  replaceExisting: boolean
}

export type Step =
  | { do: 'move folder'; folder: Pick; to: Pick }
  | { do: 'move document'; document: Pick; to: Pick }
  | { do: 'set access of folder'; folder: Pick; accessType: AccessType | null }
  | { do: 'set access of document'; document: Pick; accessType: AccessType | null }
  | { do: 'disable organization' }
  | { do: 'disable document'; document: Pick }
  | { do: 'delete document'; document: Pick }
  | { do: 'delete folder'; folder: Pick }
  | { do: 'migrate document'; document: Pick; ontoDeclared: boolean }
  | { do: 'add declared document'; to: Pick; accessType: AccessType | null }
  | { do: 'add declared folder'; to: Pick; accessType: AccessType | null }
  | { do: 'remove grant'; holder: UserId | GroupId; target: Pick; temporaryOnly: boolean }
  | { do: 'join group' | 'leave group'; user: UserId; group: GroupId }
  | { do: 'delete group'; group: GroupId }
  | ({ do: 'grant' } & GrantSpec)

export interface OrganizationSpec {
  /** `climb` 0: inside the previous folder of the list; more: that many entries further up; beyond the first: at the top. */
  folders: { climb: number; accessType: AccessType | null }[]
  documents: { folder: Pick; accessType: AccessType | null }[]
  grants: GrantSpec[]
  /** Which users are added to which groups, if they are members at that time; null if there are no groups. */
  members: [GroupId, UserId][] | null
  /** All users have many more grants in this organization, on other folders. */
  crowded: boolean
  steps: Step[]
}

export interface WorldSpec {
  defaults: Defaults
  disabledUsers: UserId[]
  /** The organizations contain the same ids. */
  organizations: OrganizationSpec[]
}

export const ACCESS_TYPES = ['public', 'organizationPrivate', 'restricted'] as const
/** The roles of keys without the role `commenter`. */
export const ROLES = ['viewer', 'editor'] as const
export const ALL_ROLES = ['viewer', 'commenter', 'editor'] as const

export const rolesOf = ({ hasCommenter = false }: Defaults): readonly AccessRole[] => (hasCommenter ? ALL_ROLES : ROLES)

/** Every combination of the settings of an API key that decide. */
export const DEFAULTS: readonly Defaults[] = ACCESS_TYPES.flatMap((accessType) =>
  [false, true].flatMap((hasCommenter) =>
    rolesOf({ accessType, accessRole: 'viewer', hasCommenter }).map((accessRole) => ({
      accessType,
      accessRole,
      hasCommenter,
    })),
  ),
)

/** Returns the key of a world, for the interpreter. */
export const keyOf = ({ defaults, disabledUsers }: WorldSpec): Key => ({ ...defaults, disabledUsers })

/** Returns the settings of an API key with these defaults. */
export const settingsOf = ({
  accessType,
  accessRole,
  hasCommenter = false,
}: Defaults): DataOf<typeof updateKeyConfig> => ({
  defaultDocumentAccessType: accessType,
  defaultAccessRole: accessRole,
  ...(hasCommenter ? { accessRoles: [...ALL_ROLES] } : {}),
})

const pick = fc.nat({ max: 30 })
const user = fc.constantFrom(...USERS)
const group = fc.constantFrom(...GROUPS)
const holder = fc.oneof({ weight: 3, arbitrary: user }, { weight: 2, arbitrary: group })
const accessType = fc.option(fc.constantFrom(...ACCESS_TYPES), { freq: 2 })
const expiresAt = fc.option(fc.constantFrom(...EXPIRIES), { freq: 2 })

const role = fc.constantFrom(...ALL_ROLES)

const grant: fc.Arbitrary<GrantSpec> = fc.record({
  holder,
  target: pick,
  role,
  expiresAt,
  replaceExisting: fc.constantFrom(false, false, false, true),
})

/** A grant; or on one resource a standing and a temporary one of one holder, or one of each group. */
const grants: fc.Arbitrary<GrantSpec[]> = fc.oneof(
  { weight: 3, arbitrary: grant.map((one) => [one]) },
  {
    weight: 1,
    arbitrary: fc.tuple(grant, role, fc.constantFrom(...EXPIRIES)).map(([one, role, expiresAt]) => [
      { ...one, expiresAt: null },
      { ...one, role, expiresAt, replaceExisting: false },
    ]),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(grant, role, expiresAt).map(([one, role, until]) => [
      { ...one, holder: GROUPS[0] },
      { ...one, holder: GROUPS[1], role, expiresAt: until },
    ]),
  },
)

/** Any of the users, without the bias that prefers small numbers. */
const someUsers = fc.noBias(fc.subarray([...USERS]))

const members = fc
  .tuple(...GROUPS.map(() => someUsers))
  .map((users) => GROUPS.flatMap((id, nth) => (users[nth] ?? []).map((userId): [GroupId, UserId] => [id, userId])))

/** The grants that make users members of the organization, until they expire. */
const admissions = ([users, until]: [UserId[], number | null]): GrantSpec[] =>
  users.map((holder) => ({ holder, target: 0, role: 'viewer', expiresAt: until, replaceExisting: false }))

const folders = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.record({ climb: fc.nat({ max: 3 }), accessType }), { maxLength: 6 }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.record({ climb: fc.constant(0), accessType: fc.option(accessType, { freq: 5 }) }), {
      minLength: 10,
      maxLength: 20,
    }),
  },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('move folder' as const), folder: pick, to: pick }),
  fc.record({ do: fc.constant('move document' as const), document: pick, to: pick }),
  fc.record({ do: fc.constant('set access of folder' as const), folder: pick, accessType }),
  fc.record({ do: fc.constant('set access of document' as const), document: pick, accessType }),
  fc.record({ do: fc.constant('disable document' as const), document: pick }),
  fc.record({ do: fc.constant('delete document' as const), document: pick }),
  fc.record({ do: fc.constant('delete folder' as const), folder: pick }),
  fc.record({ do: fc.constant('migrate document' as const), document: pick, ontoDeclared: fc.boolean() }),
  fc.record({ do: fc.constant('add declared document' as const), to: pick, accessType }),
  fc.record({ do: fc.constant('add declared folder' as const), to: pick, accessType }),
  fc.record({ do: fc.constant('remove grant' as const), holder, target: pick, temporaryOnly: fc.boolean() }),
  grant.map((spec) => ({ do: 'grant' as const, ...spec })),
  fc.record({ do: fc.constantFrom('join group' as const, 'leave group' as const), user, group }),
  fc.record({ do: fc.constant('delete group' as const), group }),
)

const organization: fc.Arbitrary<OrganizationSpec> = fc
  .record({
    folders,
    documents: fc.array(fc.record({ folder: pick, accessType }), { maxLength: 4 }),
    grants: fc.array(grants, { maxLength: 8 }).map((list) => list.flat()),
    members: fc.option(members, { freq: 3 }),
    admitted: fc.tuple(someUsers, expiresAt),
    crowded: fc.constantFrom(false, false, false, false, false, false, false, true),
    steps: fc.array(step, { maxLength: 6 }),
    disabled: fc.constantFrom(false, false, false, false, false, false, false, true),
  })
  .map(({ disabled, admitted, steps, ...spec }) => ({
    ...spec,
    // Only members of the organization can be in a group.
    grants: [...(spec.members === null ? [] : admissions(admitted)), ...spec.grants],
    steps: disabled ? [...steps, { do: 'disable organization' as const }] : steps,
  }))

/** Makes editors of the commenters in the world of a key that does not have the role. */
function withKnownRoles({ defaults, disabledUsers, organizations }: WorldSpec): WorldSpec {
  const known = <Given extends object>(given: Given): Given =>
    'role' in given && given.role === 'commenter' && !defaults.hasCommenter ? { ...given, role: 'editor' } : given
  const withKnown = (spec: OrganizationSpec) => ({
    ...spec,
    grants: spec.grants.map(known),
    steps: spec.steps.map(known),
  })
  return { defaults, disabledUsers, organizations: organizations.map(withKnown) }
}

export const world: fc.Arbitrary<WorldSpec> = fc
  .record({
    defaults: fc.constantFrom(...DEFAULTS),
    disabledUsers: fc.oneof(
      { weight: 3, arbitrary: fc.constant<UserId[]>([]) },
      { weight: 1, arbitrary: fc.subarray([...USERS], { minLength: 1 }) },
    ),
    organizations: fc.oneof(
      { weight: 3, arbitrary: fc.array(organization, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(organization, { minLength: 2, maxLength: 2 }) },
    ),
  })
  .map(withKnownRoles)
