/** The queries that an event concerns: the only place that says which data becomes stale by a change of somebody else. */
import type { EventType, ListEventsResult } from '#sdk/generated/operations.ts'
import { KEY_QUERIES, type KeyQuery } from '../keys/key-queries.ts'

/** The same type as in the query client, whose types would bring the types of the page with them. */
type QueryKey = readonly unknown[]

/** An event, as far as it matters here. */
export type Change = Pick<ListEventsResult['events'][number], 'type' | 'organizationId' | 'userId'>

/** The subjects of queries about the workspace: the second part of their keys. */
type WorkspaceQuery = 'keys' | 'auth-tokens' | 'operators' | 'sessions' | 'passkeys' | 'tokens' | 'sso-config'

type Kinds = readonly (KeyQuery | WorkspaceQuery)[]

/** Queries that no event refetches, each with the reason. */
export const NOT_FOLLOWED: Partial<Record<KeyQuery, string>> = {
  preview: 'An open dialog must not change by itself. It compares before it applies.',
  history: 'It shows two moments that somebody has asked about.',
  'email-preview': 'It shows a sample.',
  usage: 'It changes with every call, most of which are no events.',
  preferences: 'No event reports them.',
  erasures: 'The progress of a job is polled.',
  revocations: 'The progress of a job is polled.',
}

/** Long to compute, or of one moment: the view offers to refresh it. */
const OFFERED: Kinds = ['matrix', 'access-review']

const ACCESS: Kinds = [
  ...(['permitted-users', 'permitted-resources', 'explanation', 'grants'] as const),
  ...(['users', 'user-data', 'matrix', 'access-review', 'overview', 'findings'] as const),
]
const NAMED: Kinds = ['search', 'resource-names', 'chain', 'explanation', 'permitted-resources']
const FOLDERS: Kinds = ['folders', ...NAMED]
const DOCUMENTS: Kinds = ['documents', ...NAMED]
/** Where something is, and who has access to it. */
const PLACED: Kinds = ['permitted-users', 'matrix', 'overview']
/** The data that is deleted with a resource. */
const INSIDE: Kinds = ['folders', 'documents', 'threads', 'invitations', 'migrations', ...ACCESS, ...NAMED]
const ORGANIZATIONS: Kinds = ['organizations', ...NAMED]
const THREADS: Kinds = ['threads', 'inbox', 'comment-mails']
const PROFILES: Kinds = [
  'findings',
  'users',
  'profiles',
  'user-data',
  'user-names',
  'search',
  'permitted-users',
  'explanation',
]
const GROUPS: Kinds = ['user-groups', 'search', 'grants', 'permitted-users', 'explanation']
const MEMBERS: Kinds = ['user-groups', ...ACCESS]
const KEYS: Kinds = ['keys']

/** Every event also concerns lists of events. */
export const CONCERNED: Readonly<Record<EventType, Kinds>> = {
  'workspace.created': [],
  'workspace_token.created': ['tokens'],
  'workspace_token.reset': ['tokens'],
  'workspace_token.shown': [],
  'workspace_token.revoked': ['tokens', 'sessions', 'findings'],
  'operator.invited': ['operators', 'findings'],
  'operator.added': ['operators', 'findings'],
  'operator.updated': ['operators', 'findings'],
  'operator.removed': ['operators', 'sessions', 'findings'],
  'operator.signed_in': ['operators', 'sessions'],
  'operator.passkey_added': ['passkeys', 'findings'],
  'operator.passkey_removed': ['passkeys', 'findings'],
  'operator.session_ended': ['sessions'],
  'sso_config.updated': ['sso-config'],
  'sso_domain.verified': ['sso-config'],
  'sso_domain.lost': ['sso-config'],
  'api_key.created': KEYS,
  'api_key.updated': ['keys', 'settings', 'webhooks', 'chain', 'folders', 'documents', ...ACCESS],
  'domain_request.added': ['settings'],
  'domain_request.accepted': ['settings'],
  'domain_request.rejected': ['settings'],
  'api_key.secret_shown': [],
  'api_key.disabled': KEYS,
  'api_key.enabled': KEYS,
  'api_key.deleted': KEYS,
  'auth_token.created': ['auth-tokens'],
  'auth_token.reset': ['auth-tokens'],
  'auth_token.shown': [],
  'auth_token.revoked': ['auth-tokens'],
  'signing_key.rotated': [],
  'webhook_endpoint.created': ['webhooks', 'overview'],
  'webhook_endpoint.updated': ['webhooks', 'overview'],
  'webhook_endpoint.deleted': ['webhooks', 'overview'],
  'webhook_endpoint.secret_rotated': ['webhooks'],
  'webhook_endpoint.secret_shown': [],
  'webhook_endpoint.disabled': ['webhooks', 'overview'],
  'webhook_endpoint.enabled': ['webhooks', 'overview'],
  'webhook.test': ['webhooks'],
  'webhook.resent': ['webhooks'],
  'webhook.replayed': ['webhooks'],
  'message.attempt.exhausted': ['webhooks', 'overview'],
  'organization.added': [...ORGANIZATIONS, 'overview'],
  'organization.updated': ORGANIZATIONS,
  'organization.disabled': [...ORGANIZATIONS, ...ACCESS],
  'organization.enabled': [...ORGANIZATIONS, ...ACCESS],
  'organization.deleted': ['organizations', 'user-groups', ...INSIDE],
  'folder.added': [...FOLDERS, ...PLACED],
  'folder.updated': FOLDERS,
  'folder.moved': [...FOLDERS, ...PLACED],
  'folder.access_changed': [...FOLDERS, ...PLACED],
  'folder.deleted': INSIDE,
  'document.added': [...DOCUMENTS, ...PLACED],
  'document.updated': DOCUMENTS,
  'document.moved': [...DOCUMENTS, ...PLACED],
  'document.access_changed': [...DOCUMENTS, ...PLACED],
  'document.disabled': [...DOCUMENTS, ...PLACED],
  'document.enabled': [...DOCUMENTS, ...PLACED],
  'document.deleted': INSIDE,
  'document.migration.started': ['migrations', 'overview'],
  'document.migration.completed': INSIDE,
  'document.migration.failed': ['migrations', 'overview'],
  'thread.added': THREADS,
  'thread.updated': THREADS,
  'thread.status_changed': THREADS,
  'thread.assigned': THREADS,
  'thread.priority_changed': THREADS,
  'thread.visibility_changed': THREADS,
  'thread.suggestion_accepted': THREADS,
  'thread.suggestion_rejected': THREADS,
  'thread.subscribed': THREADS,
  'thread.unsubscribed': THREADS,
  'thread.deleted': THREADS,
  'comment.added': THREADS,
  'comment.updated': THREADS,
  'comment.deleted': THREADS,
  'user.added': [...PROFILES, 'overview'],
  'user.updated': PROFILES,
  'user.removed': [...PROFILES, ...MEMBERS],
  'user.disabled': ['disabled-users', ...PROFILES, ...ACCESS],
  'user.enabled': ['disabled-users', ...PROFILES, ...ACCESS],
  'user_group.added': GROUPS,
  'user_group.updated': GROUPS,
  'user_group.deleted': [...GROUPS, ...ACCESS],
  'user_group.user_added': MEMBERS,
  'user_group.user_removed': MEMBERS,
  'user_group.emptied': MEMBERS,
  'invitation.added': ['invitations'],
  'invitation.renewed': ['invitations'],
  'invitation.accepted': ['invitations', ...ACCESS],
  'invitation.rejected': ['invitations'],
  'invitation.withdrawn': ['invitations'],
  'permission.added': ACCESS,
  'permission.removed': ACCESS,
  'permission.expiring': [],
  'permission.expired': ACCESS,
  'user_token.generated': [],
  'user_token.revoked': ['user-data'],
}

/** Queries whose key names the organization first. */
const ORGANIZATION_FIRST: Kinds = [
  ...(['users', 'user-groups', 'inbox', 'invitations', 'grants', 'folders', 'documents', 'migrations'] as const),
  'access-review',
]

/** Events whose user is the only one whose queries they concern. */
const OF_ONE_USER = /^(?:permission|user|user_token)\.|^user_group\.user_/

const kindOf = ([scope, second, third]: QueryKey): unknown => (scope === 'key' ? third : second)

/** Returns whether events refetch the query at all. */
export function isFollowed(queryKey: QueryKey): boolean {
  const kind = kindOf(queryKey)
  if (queryKey[0] === 'workspace') return true
  return queryKey[0] === 'key' && KEY_QUERIES.some((known) => known === kind && NOT_FOLLOWED[known] === undefined)
}

export const isOffered = (queryKey: QueryKey): boolean => OFFERED.some((kind) => kind === kindOf(queryKey))

/** Returns whether one of the changes concerns a query. If in doubt, it does. */
export function isConcerned(queryKey: QueryKey, changes: readonly Change[]): boolean {
  const kind = kindOf(queryKey)
  if (!isFollowed(queryKey)) return false
  const organizationId = organizationOf(queryKey)
  const userId = userOf(queryKey)
  return changes.some(
    (change) =>
      (kind === 'events' || CONCERNED[change.type]?.some((concerned) => concerned === kind)) &&
      (organizationId === undefined ||
        change.organizationId === undefined ||
        organizationId === change.organizationId) &&
      (userId === undefined ||
        change.userId === undefined ||
        userId === change.userId ||
        !OF_ONE_USER.test(change.type)),
  )
}

/** Returns the organization that a query is about; undefined: about several, or none. */
function organizationOf(queryKey: QueryKey): string | undefined {
  const [, , kind, first] = queryKey
  if (ORGANIZATION_FIRST.some((known) => known === kind)) return typeof first === 'string' ? first : undefined
  for (const part of queryKey.slice(3)) {
    const { resource = part, ...about } = (isRecord(part) ? part : {}) as Record<string, unknown>
    if (typeof about.organizationId === 'string') return about.organizationId
    if (!isRecord(resource)) continue
    if (resource.type === 'organization' && typeof resource.id === 'string') return resource.id
    if (typeof resource.organizationId === 'string') return resource.organizationId
  }
  return undefined
}

/** Returns the user that a query is about. */
function userOf(queryKey: QueryKey): string | undefined {
  const [, , kind, first] = queryKey
  if (kind === 'user-data') return typeof first === 'string' ? first : undefined
  if (kind !== 'explanation' && kind !== 'permitted-resources') return undefined
  return isRecord(first) && typeof first.userId === 'string' ? first.userId : undefined
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
