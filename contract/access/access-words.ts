/**
 * Refuses metadata that looks like protection: names that spell a protecting field, and words of access under names
 * that suggest it (rules/contract.md#metadata-that-looks-like-protection).
 */
import { LIMITS } from '../core/limits.ts'
import { type MetadataFault, plain, resembling } from '../core/metadata.ts'
import { AccessType, accessRoles } from './permissions.ts'

/** Fields that restrict access or end it. No other field may have such a name, or nearly. */
export const PROTECTING_NAMES = ['accessRole', 'accessType', 'expiresAt', 'disabled'] as const

/** The advice for one kind of object: for each protecting field, and for `resources` under `permissions`. */
export type AccessAdvice = Record<(typeof PROTECTING_NAMES)[number] | 'resources', string>

const CALL_ADD_PERMISSIONS = {
  accessRole: 'to give a role, call auth/permissions/add with accessRole',
  expiresAt: 'to give a role for a time, call auth/permissions/add with expiresAt',
  resources: 'to give roles, call auth/permissions/add',
}
const OF_USERS = {
  accessType: 'a user has no access type: set accessType of the folder or document',
  disabled: 'to disable a user, call users/access/disablestate/update',
}
const FOLDER_HAS_NONE = { disabled: 'a folder cannot be disabled: disable its documents, or the organization' }
const OF_DOCUMENTS = { disabled: 'call organizations/documents/access/disablestate/update with disabled' }

/** The advice for each object that callers add or change. */
export const ACCESS_ADVICE = {
  newDocument: { ...CALL_ADD_PERMISSIONS, ...OF_DOCUMENTS, accessType: 'set accessType instead' },
  document: {
    ...CALL_ADD_PERMISSIONS,
    ...OF_DOCUMENTS,
    accessType: 'call organizations/documents/access/update with accessType',
  },
  newFolder: { ...CALL_ADD_PERMISSIONS, ...FOLDER_HAS_NONE, accessType: 'set accessType instead' },
  folder: {
    ...CALL_ADD_PERMISSIONS,
    ...FOLDER_HAS_NONE,
    accessType: 'call organizations/folders/access/update with accessType',
  },
  organization: {
    ...CALL_ADD_PERMISSIONS,
    accessType:
      'an organization has no access type: set accessType of its folders and documents, or defaultDocumentAccessType of the API key',
    disabled: 'call organizations/access/disablestate/update with disabled',
  },
  user: { ...CALL_ADD_PERMISSIONS, ...OF_USERS, accessRole: 'set accessRole instead' },
  profile: { ...CALL_ADD_PERMISSIONS, ...OF_USERS },
  inviter: { ...CALL_ADD_PERMISSIONS, ...OF_USERS, accessRole: 'set accessRole of the invitation' },
  signIn: {
    ...OF_USERS,
    accessRole: 'set accessRole of an entry of permissions.resources',
    expiresAt: 'set expiresAt of an entry of permissions.resources',
    resources: 'give permissions beside userProperties',
  },
} as const satisfies Record<string, AccessAdvice>

/** Matches the words in any letter case, with any punctuation around and in them; fails on most texts with their first letter. */
const matching = (words: readonly string[]): RegExp =>
  new RegExp(`^[\\W_]*(?:${words.map((word) => word.replace(/(?=[A-Z])/g, '[\\W_]*')).join('|')})[\\W_]*$`, 'i')

const wordsWith = (hasCommenter: boolean) =>
  [
    ['accessRole', matching(accessRoles(hasCommenter))],
    ['accessType', matching(AccessType.enum)],
  ] as const
const WORDS = wordsWith(false)
const WORDS_WITH_COMMENTER = wordsWith(true)
const WORD_CHARACTERS_MAX = 32

const BEFORE = [
  ...[
    'default',
    'public',
    'link',
    'document',
    'doc',
    'file',
    'folder',
    'organization',
    'organisation',
    'org',
    'workspace',
  ],
  ...['user', 'member', 'guest'],
]

/** Names that suggest access, also with one of the words after them. The types of the client refuse texts under these. */
export const ACCESS_NAMES = [
  ...['access', 'visibility', 'share', 'shared', 'sharing', 'role', 'roles', 'permission', 'permissions', 'privilege'],
  ...['privileges', 'privacy', 'protection', 'security', 'acl'],
]
export const AFTER_ACCESS_NAMES = [
  ...[
    'Type',
    'Level',
    'Role',
    'Mode',
    'Control',
    'Policy',
    'Setting',
    'Settings',
    'Scope',
    'Status',
    'State',
    'Rights',
  ],
]

const oneOf = (words: readonly string[]): string => `(?:${words.map(plain).join('|')})`

/**
 * Matches the plain form of names that suggest access. Names that describe content or people are left to the caller:
 * `status`, `type`, `scope`, `audience`, `classification`, `jobRole`.
 */
const SUGGESTS_ACCESS = new RegExp(`^${oneOf(BEFORE)}?${oneOf(ACCESS_NAMES)}${oneOf(AFTER_ACCESS_NAMES)}?$`)

/** Returns the field that a role or an access type under a name that suggests access may stand for, or undefined. */
function wordMeant(name: string, value: unknown, hasCommenter: boolean) {
  if (typeof value !== 'string' || value.length > WORD_CHARACTERS_MAX) return undefined
  const [kind] = (hasCommenter ? WORDS_WITH_COMMENTER : WORDS).find(([, words]) => words.test(value)) ?? []
  return kind !== undefined && SUGGESTS_ACCESS.test(plain(name)) ? kind : undefined
}

export const suggestsAccess = (name: string, value: unknown): boolean => wordMeant(name, value, true) !== undefined

function wordFault(
  name: string,
  value: unknown,
  field: string,
  advice: AccessAdvice,
  hasCommenter: boolean,
): MetadataFault | undefined {
  const kind = wordMeant(name, value, hasCommenter)
  if (kind === undefined) return undefined
  const message = `${field} is refused: as metadata, ${JSON.stringify(value)} would have no effect on access; ${advice[kind]}`
  return { field, message }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const PERMISSIONS = ['permissions']
const RESOURCES = ['resources']

/**
 * Returns the fault of a name that is, or nearly spells, the name of a field that protects, such as `expiresAt`; also of
 * `resources` in `permissions`.
 */
function nameFault(
  name: string,
  value: unknown,
  known: ReadonlySet<string>,
  field: string,
  advice: AccessAdvice,
): MetadataFault | undefined {
  const meant = resembling(name, PROTECTING_NAMES) as (typeof PROTECTING_NAMES)[number] | undefined
  if (meant !== undefined) {
    const message = known.has(meant)
      ? `${field} is not a known field; did you mean "${meant}"?`
      : `${field} is refused: ${name === meant ? '' : `it resembles "${meant}", and `}as metadata it would have no effect on access; ${advice[meant]}`
    return { field, message }
  }
  if (!isObject(value) || resembling(name, PERMISSIONS) === undefined) return undefined
  const resources = Object.keys(value).find((inner) => resembling(inner, RESOURCES) !== undefined)
  if (resources === undefined) return undefined
  const message = `${field}.${resources} is refused: as metadata it would give no access; ${advice.resources}`
  return { field: `${field}.${resources}`, message }
}

/**
 * Returns the fields of an object beyond `known` that look like protection, also words of access in objects under the name
 * `metadata`, at most `levels` deep: deeper metadata is refused; the first 100. `path` is where the object is in the
 * request. Within such metadata, `known` is undefined, and names may be any. `hasCommenter`: the API key has the role `commenter`.
 */
export function accessFaults(
  object: object,
  known: ReadonlySet<string> | undefined,
  path: string,
  advice: AccessAdvice,
  hasCommenter = false,
  levels: number = LIMITS.metadataDepthMax,
): MetadataFault[] {
  const faults: MetadataFault[] = []
  for (const name in object) {
    if (known?.has(name)) continue
    const value = (object as Record<string, unknown>)[name]
    const field = `${path}.${name}`
    const fault =
      wordFault(name, value, field, advice, hasCommenter) ?? (known && nameFault(name, value, known, field, advice))
    if (fault !== undefined) faults.push(fault)
    if (levels > 0 && isObject(value) && plain(name) === 'metadata')
      faults.push(...accessFaults(value, undefined, field, advice, hasCommenter, levels - 1))
    if (faults.length >= LIMITS.faultsMax) break
  }
  return faults
}
