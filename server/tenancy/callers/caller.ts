/** The authenticated caller. It is the first argument of every operation: without it, no key of a row can be computed. */

import type { AccessRole, AccessType } from '#contract/access/permissions.ts'
import type { ApiKeyId, WorkspaceId } from '#contract/core/ids.ts'
import type { OperatorRole } from '#contract/workspace/operator-roles.ts'

/** The part of the server that made a change by itself, as stored with its event. */
export interface SystemActor {
  system: string
}

/** The origin of a change, as stored with its event. Never holds a secret. A change by the server itself has a `SystemActor`. */
export interface Actor {
  apiKey?: string
  /** The name of the auth token or workspace token. The first token of a workspace, and one created by a reset, are named `workspace`. */
  token?: string
  /** The person who caused it in the console or on the command line, with the name at that time. */
  operator?: { id: string; name: string }
  /** A user caused it with a user token: `userId`, or else the user of the event. */
  userToken?: true
  /** The user who shared a document: the event is about somebody else. An erasure finds it by an index of its own. */
  userId?: string
  /** Absent with a user token: an erasure of the user would not find it. */
  address?: string
}

/** A caller with an auth token of an API key that has the scope of the operation. */
export interface Caller {
  apiKeyId: ApiKeyId
  workspaceId: WorkspaceId
  defaultAccessType: AccessType
  /** The role of users whom an access type admits and who have no grant. */
  defaultAccessRole: AccessRole
  /** Whether the API key has the role `commenter`. */
  hasCommenter: boolean
  /** Whether users may be disabled; false: none is. */
  hasDisabledUsers: boolean
  /** Whether it also has the scope `admin`. */
  isAdmin: boolean
  requireKnownResources: boolean
  /** How long before its expiry a grant gets an event; 0: it gets none. */
  expiringSoonSeconds: number
  actor: Actor
}

/** An API key that is being changed, and who changes it: the caller, or a caller of its workspace. */
export type KeyOfActor = Pick<Caller, 'apiKeyId' | 'workspaceId' | 'actor'>

/** A caller with a user token. May ask only about that user (rules/access.md#what-a-user-token-may-do). */
export interface UserCaller
  extends Pick<
    Caller,
    | 'apiKeyId'
    | 'workspaceId'
    | 'defaultAccessType'
    | 'defaultAccessRole'
    | 'hasCommenter'
    | 'hasDisabledUsers'
    | 'actor'
  > {
  userId: string
  /** The value of `users.tokens_since` in the token, in milliseconds: another one there means that it was revoked. */
  tokensSince: number
  /**
   * The version of the settings of the API key, if it has a permission provider that is asked before the user is
   * denied; otherwise null.
   */
  providerVersion: string | null
}

/**
 * A caller with a token of the workspace, or one of its operators in the console or on the command line. May manage its
 * tokens and API keys, and read the tokens of these, as far as the operator's role allows.
 */
export interface WorkspaceCaller {
  workspaceId: WorkspaceId
  /** The id of the token; undefined for an operator. */
  tokenId?: string | undefined
  /** Undefined for a token. */
  operator?: { id: string; role: OperatorRole } | undefined
  actor: Actor
}

/** A caller without credentials. */
export interface PublicCaller {
  address: string
  signupToken: string | undefined
  actor: Actor
}
