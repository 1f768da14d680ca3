/** Refuses metadata that looks like protection: a role or an access type under a name that suggests access (rules/contract.md#metadata-that-looks-like-protection). */
import { LIMITS } from './limits.ts'
import { type MetadataFault, plain } from './metadata.ts'
import { AccessRole, AccessType } from './permissions.ts'

/** What to do instead, for a role and for an access type on one kind of object. */
export interface AccessAdvice {
  accessRole: string
  accessType: string
}

const CALL_ADD_PERMISSIONS = 'to give a role, call auth/permissions/add with accessRole'
const USER_HAS_NONE = 'a user has no access type: set accessType of the folder or document'
const SET_ACCESS_TYPE = 'set accessType instead'

/** The advice for each object that callers add or change. */
export const ACCESS_ADVICE = {
  newResource: { accessRole: CALL_ADD_PERMISSIONS, accessType: SET_ACCESS_TYPE },
  document: {
    accessRole: CALL_ADD_PERMISSIONS,
    accessType: 'call organizations/documents/access/update with accessType',
  },
  folder: { accessRole: CALL_ADD_PERMISSIONS, accessType: 'call organizations/folders/access/update with accessType' },
  organization: {
    accessRole: CALL_ADD_PERMISSIONS,
    accessType:
      'an organization has no access type: set accessType of its folders and documents, or defaultDocumentAccessType of the API key',
  },
  user: { accessRole: 'set accessRole instead', accessType: USER_HAS_NONE },
  profile: { accessRole: CALL_ADD_PERMISSIONS, accessType: USER_HAS_NONE },
  signIn: { accessRole: 'set accessRole of an entry of permissions.resources', accessType: USER_HAS_NONE },
} as const satisfies Record<string, AccessAdvice>

/** Matches the words in any letter case, with any punctuation around and in them; fails on most texts with their first letter. */
const matching = (words: readonly string[]): RegExp =>
  new RegExp(`^[\\W_]*(?:${words.map((word) => word.replace(/(?=[A-Z])/g, '[\\W_]*')).join('|')})[\\W_]*$`, 'i')

const WORDS: readonly (readonly [kind: keyof AccessAdvice, words: RegExp])[] = [
  ['accessRole', matching(AccessRole.enum)],
  ['accessType', matching(AccessType.enum)],
]
const WORD_CHARACTERS_MAX = 32
const NONE: ReadonlySet<string> = new Set()

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

function faultOf(name: string, value: unknown, path: string, advice: AccessAdvice): MetadataFault | undefined {
  if (typeof value !== 'string' || value.length > WORD_CHARACTERS_MAX) return undefined
  const [kind] = WORDS.find(([, words]) => words.test(value)) ?? []
  if (kind === undefined || !SUGGESTS_ACCESS.test(plain(name))) return undefined
  const field = `${path}.${name}`
  const message = `${field} is refused: as metadata, ${JSON.stringify(value)} would have no effect on access; ${advice[kind]}`
  return { field, message }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns the fields of an object beyond `known` that look like protection, also those in objects under the name
 * `metadata`, at most `levels` deep: deeper metadata is refused; the first 100. `path` is where the object is in the request.
 */
export function accessFaults(
  object: object,
  known: ReadonlySet<string>,
  path: string,
  advice: AccessAdvice,
  levels: number = LIMITS.metadataDepthMax,
): MetadataFault[] {
  const faults: MetadataFault[] = []
  for (const name in object) {
    if (known.has(name)) continue
    const value = (object as Record<string, unknown>)[name]
    const fault = faultOf(name, value, path, advice)
    if (fault !== undefined) faults.push(fault)
    if (levels > 0 && isObject(value) && plain(name) === 'metadata')
      faults.push(...accessFaults(value, NONE, `${path}.${name}`, advice, levels - 1))
    if (faults.length >= LIMITS.faultsMax) break
  }
  return faults
}
