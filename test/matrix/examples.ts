/** The examples of the access model, for the tests and the documentation. */
import type { AccessRole, AccessType } from '#contract/access/permissions.ts'
import type { Decision } from './interpreter.ts'

/** The folder `f0` with `f1` inside; the document `d0` is in `f1`. */
const ORGANIZATION = 0
const PARENT_FOLDER = 1
export const FOLDER = 2
const DOCUMENT = 4

export interface Example {
  setting: {
    keyDefault?: AccessType
    /** The key's default role. */
    role?: AccessRole
    /** The key has the role `commenter`. */
    hasCommenter?: true
    folder?: AccessType
    document?: AccessType
    disabled?: true
    userDisabled?: true
  }
  /** The grants of `u0`. */
  grants: [on: number, role: AccessRole, expiresAt?: number][]
  /** The grants of the group `g0`, to which `u0` was added. */
  groupGrants?: Example['grants']
  /** Unix seconds. */
  at?: number
  answer: Decision
}

type Via = Decision['via']
const KEY_DEFAULT: Via = { type: 'keyDefault', inherited: true }
const via = (type: 'organization' | 'folder' | 'document', id: string, group?: string): Via => ({
  ...{ type, id, inherited: type !== 'document' },
  ...(group !== undefined && { group }),
})
const allowed = (
  accessRole: AccessRole,
  accessType: AccessType,
  reason: 'grant' | 'access_type',
  from: Via,
  expiresAt?: number,
): Decision => ({
  ...{ allowed: true, accessRole, accessType, reason, via: from },
  ...(expiresAt !== undefined && { expiresAt }),
})
const denied = (
  reason: 'no_grant' | 'grant_expired' | 'disabled' | 'user_disabled',
  accessType: AccessType,
): Decision => ({
  allowed: false,
  accessType,
  reason,
})

export const EXAMPLES: Record<string, Example> = {
  'key default public, no grants: editor, by access type': {
    setting: { keyDefault: 'public' },
    grants: [],
    answer: allowed('editor', 'public', 'access_type', KEY_DEFAULT),
  },
  'key default public as viewer, no grants: viewer, by access type': {
    setting: { keyDefault: 'public', role: 'viewer' },
    grants: [],
    answer: allowed('viewer', 'public', 'access_type', KEY_DEFAULT),
  },
  'key default public as viewer, editor of the organization: editor': {
    setting: { keyDefault: 'public', role: 'viewer' },
    grants: [[ORGANIZATION, 'editor']],
    answer: allowed('editor', 'public', 'grant', via('organization', 'o')),
  },
  'key default public, viewer of the organization: viewer': {
    setting: { keyDefault: 'public' },
    grants: [[ORGANIZATION, 'viewer']],
    answer: allowed('viewer', 'public', 'grant', via('organization', 'o')),
  },
  'restricted document, editor of the organization: denied': {
    setting: { document: 'restricted' },
    grants: [[ORGANIZATION, 'editor']],
    answer: denied('no_grant', 'restricted'),
  },
  'restricted document, editor of its folder: denied, the boundary is the document': {
    setting: { document: 'restricted' },
    grants: [[FOLDER, 'editor']],
    answer: denied('no_grant', 'restricted'),
  },
  'restricted document, viewer of it: viewer': {
    setting: { document: 'restricted' },
    grants: [[DOCUMENT, 'viewer']],
    answer: allowed('viewer', 'restricted', 'grant', via('document', 'd0')),
  },
  'restricted folder, editor of it and viewer of the document: viewer': {
    setting: { folder: 'restricted' },
    grants: [
      [FOLDER, 'editor'],
      [DOCUMENT, 'viewer'],
    ],
    answer: allowed('viewer', 'restricted', 'grant', via('document', 'd0')),
  },
  'restricted folder, editor of its parent: denied': {
    setting: { folder: 'restricted' },
    grants: [[PARENT_FOLDER, 'editor']],
    answer: denied('no_grant', 'restricted'),
  },
  'public document in a restricted folder, no grants: editor, by access type': {
    setting: { folder: 'restricted', document: 'public' },
    grants: [],
    answer: allowed('editor', 'public', 'access_type', via('document', 'd0')),
  },
  'organizationPrivate folder, viewer of the document who is not a member: viewer': {
    setting: { folder: 'organizationPrivate' },
    grants: [[DOCUMENT, 'viewer']],
    answer: allowed('viewer', 'organizationPrivate', 'grant', via('document', 'd0')),
  },
  'organizationPrivate folder, no grants: denied': {
    setting: { folder: 'organizationPrivate' },
    grants: [],
    answer: denied('no_grant', 'organizationPrivate'),
  },
  'key default restricted and nothing own, editor of the organization: editor': {
    setting: { keyDefault: 'restricted' },
    grants: [[ORGANIZATION, 'editor']],
    answer: allowed('editor', 'restricted', 'grant', via('organization', 'o')),
  },
  'editor of the document until 100 and viewer of the organization, at 99: editor': {
    setting: {},
    grants: [
      [DOCUMENT, 'editor', 100],
      [ORGANIZATION, 'viewer'],
    ],
    at: 99,
    answer: allowed('editor', 'public', 'grant', via('document', 'd0'), 100),
  },
  'editor of the document until 100 and viewer of the organization, at 100: viewer': {
    setting: {},
    grants: [
      [DOCUMENT, 'editor', 100],
      [ORGANIZATION, 'viewer'],
    ],
    at: 100,
    answer: allowed('viewer', 'public', 'grant', via('organization', 'o')),
  },
  'viewer and until 100 editor of a restricted document, at 99: editor until 100': {
    setting: { keyDefault: 'restricted' },
    grants: [
      [DOCUMENT, 'viewer'],
      [DOCUMENT, 'editor', 100],
    ],
    at: 99,
    answer: allowed('editor', 'restricted', 'grant', via('document', 'd0'), 100),
  },
  'viewer and until 100 editor of a restricted document, at 100: viewer': {
    setting: { keyDefault: 'restricted' },
    grants: [
      [DOCUMENT, 'viewer'],
      [DOCUMENT, 'editor', 100],
    ],
    at: 100,
    answer: allowed('viewer', 'restricted', 'grant', via('document', 'd0')),
  },
  'editor and until 100 viewer of a restricted document, at 99: editor without end': {
    setting: { keyDefault: 'restricted' },
    grants: [
      [DOCUMENT, 'editor'],
      [DOCUMENT, 'viewer', 100],
    ],
    at: 99,
    answer: allowed('editor', 'restricted', 'grant', via('document', 'd0')),
  },
  'viewer of the organization in a group that is editor of the folder: editor by the group': {
    setting: { keyDefault: 'restricted' },
    grants: [[ORGANIZATION, 'viewer']],
    groupGrants: [[FOLDER, 'editor']],
    answer: allowed('editor', 'restricted', 'grant', via('folder', 'f1', 'g0')),
  },
  'viewer of a document in a group that is editor of it: editor': {
    setting: { keyDefault: 'restricted' },
    grants: [
      [ORGANIZATION, 'viewer'],
      [DOCUMENT, 'viewer'],
    ],
    groupGrants: [[DOCUMENT, 'editor']],
    answer: allowed('editor', 'restricted', 'grant', via('document', 'd0', 'g0')),
  },
  'viewer of a document in a group that is editor of its folder: viewer, the nearest': {
    setting: { keyDefault: 'restricted' },
    grants: [
      [ORGANIZATION, 'editor'],
      [DOCUMENT, 'viewer'],
    ],
    groupGrants: [[FOLDER, 'editor']],
    answer: allowed('viewer', 'restricted', 'grant', via('document', 'd0')),
  },
  'member until 100 of a group that is editor of a restricted folder, at 99: editor until 100': {
    setting: { folder: 'restricted' },
    grants: [[ORGANIZATION, 'viewer', 100]],
    groupGrants: [[FOLDER, 'editor']],
    at: 99,
    answer: allowed('editor', 'restricted', 'grant', via('folder', 'f1', 'g0'), 100),
  },
  'member until 100 of a group that is editor of a restricted folder, at 100: denied, expired': {
    setting: { folder: 'restricted' },
    grants: [[ORGANIZATION, 'viewer', 100]],
    groupGrants: [[FOLDER, 'editor']],
    at: 100,
    answer: denied('grant_expired', 'restricted'),
  },
  'key with commenters, key default public as commenter, no grants: commenter, by access type': {
    setting: { keyDefault: 'public', role: 'commenter', hasCommenter: true },
    grants: [],
    answer: allowed('commenter', 'public', 'access_type', KEY_DEFAULT),
  },
  'key with commenters, editor of the organization and commenter of a document: commenter': {
    setting: { keyDefault: 'restricted', hasCommenter: true },
    grants: [
      [ORGANIZATION, 'editor'],
      [DOCUMENT, 'commenter'],
    ],
    answer: allowed('commenter', 'restricted', 'grant', via('document', 'd0')),
  },
  'key with commenters, viewer of a document in a group that is commenter of it: commenter': {
    setting: { keyDefault: 'restricted', hasCommenter: true },
    grants: [
      [ORGANIZATION, 'viewer'],
      [DOCUMENT, 'viewer'],
    ],
    groupGrants: [[DOCUMENT, 'commenter']],
    answer: allowed('commenter', 'restricted', 'grant', via('document', 'd0', 'g0')),
  },
  'disabled user, editor of the document: denied': {
    setting: { userDisabled: true },
    grants: [[DOCUMENT, 'editor']],
    answer: denied('user_disabled', 'public'),
  },
  'disabled user of a disabled organization, editor of the document: denied, the organization first': {
    setting: { disabled: true, userDisabled: true },
    grants: [[DOCUMENT, 'editor']],
    answer: denied('disabled', 'public'),
  },
  'disabled organization, editor of the document: denied': {
    setting: { disabled: true },
    grants: [[DOCUMENT, 'editor']],
    answer: denied('disabled', 'public'),
  },
}
