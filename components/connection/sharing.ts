/** The access to a document and its changes, as the calls return them, reduced to the fields that the elements use. */
import { CallError, sayError } from '../connection/call-error.ts'
import type { Say, Texts } from '../words/texts.ts'

export type Role = 'viewer' | 'commenter' | 'editor'

export interface Via {
  type: 'organization' | 'folder' | 'document' | 'keyDefault'
  id?: string
  name?: string
  inherited: boolean
  group?: string
  groupName?: string
}

export interface Access {
  accessRole: Role
  expiresAt?: number
  via?: Via
}

export interface Target {
  userId?: string
  groupId?: string
  name?: string
  email?: string
}

export interface Entry extends Target {
  access?: Access
  grants: { accessRole: Role; expiresAt?: number }[]
}

export interface Sharing {
  user: Access & { userId: string }
  canShare: boolean
  accessRoles: Role[]
  everyone: boolean
  everyoneRole?: Role
  isComplete: boolean
  entries: Entry[]
}

export interface Change extends Target {
  effect: 'given' | 'changed' | 'removed' | 'unchanged'
  before?: Access
  after?: Access
  members?: { gaining: number; changing: number; losing: number; isExact: boolean }
}

export interface Outcome {
  changes: Change[]
  user: { canShare: boolean }
}

/** The new access of somebody; undefined if their grants on the document are removed. */
export interface Wish {
  target: Target
  accessRole: Role | undefined
  expiresAt?: number | undefined
  /** It would last longer, but the own access ends. */
  isCapped?: boolean
}

export const idOf = ({ userId, groupId }: Target): string => (groupId === undefined ? `u ${userId}` : `g ${groupId}`)

export const targetName = ({ name, email, userId, groupId }: Target): string => name || email || userId || groupId || ''

/** Keeps the direction of a name apart from that of the sentence around it. */
export const isolated = (name: string): string => `\u2068${name}\u2069`

/** Says what gives access, where it is not a grant of their own on the document. */
export function sayVia(via: Via | undefined, say: Say): string {
  if (via?.group !== undefined) return say('viaGroup', { name: isolated(via.groupName ?? via.group) })
  if (via?.type === 'folder') return say('viaFolder', { name: isolated(via.name ?? via.id ?? '') })
  if (via?.type === 'organization') return say('viaOrganization')
  return via === undefined ? say('viaElsewhere') : ''
}

const REASONS: Record<string, keyof Texts> = {
  user_sharing_off: 'sharingOff',
  access_role_missing: 'needsEditor',
  document_does_not_exist: 'notOpen',
  organization_does_not_exist: 'notOpen',
  sharing_target_unknown: 'unknownTarget',
  user_group_does_not_exist: 'unknownTarget',
  sharing_exceeds_own_access: 'beyondOwn',
  sharing_would_lower: 'wouldLower',
  sharing_with_oneself: 'withOneself',
  own_access_would_end: 'ownAccessEnds',
  other_user: 'otherUser',
  user_disabled: 'notOpen',
  idempotency_key_in_use: 'inProgress',
}

/** Says why a call about sharing failed, and what to do. */
export function saySharingError(error: unknown, say: Say): string {
  const { status = '', reason = '' } = error instanceof CallError ? error : {}
  const key = REASONS[reason]
  if (key !== undefined) return say(key)
  // The server is not busy: the message says what to do.
  if (reason === 'too_many_group_users') return say('failed', { message: error instanceof Error ? error.message : '' })
  return status === 'UNREACHABLE' || status === 'UNAVAILABLE' ? say('noConnection') : sayError(error, say)
}
