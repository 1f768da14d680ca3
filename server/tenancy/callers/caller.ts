/** Who is calling, as authentication found it. The first argument of every operation: without it no row can be named. */
import type { ApiKeyId, WorkspaceId } from '#contract/ids.ts'
import type { AccessType } from '#contract/permissions.ts'

/** What changes something by itself, as stored with its event. */
export interface SystemActor {
  system: string
}

/** Who caused a change, as stored with its event. Never holds a secret. Where nobody did, a `SystemActor` is stored. */
export interface Actor {
  apiKey?: string
  /** The name of the auth token, or `workspace` for the workspace's own. */
  token?: string
  address: string
}

/** Holds an auth token of an API key, with the scope of the operation that it calls. */
export interface Caller {
  apiKeyId: ApiKeyId
  workspaceId: WorkspaceId
  defaultAccessType: AccessType
  requireKnownResources: boolean
  /** Before its end a grant has an event; 0: it has none. */
  expiringSoonSeconds: number
  actor: Actor
}

/** Holds a user token: may ask about that user alone (rules/access.md#what-a-user-token-may-ask). */
export interface UserCaller extends Pick<Caller, 'apiKeyId' | 'defaultAccessType'> {
  userId: string
}

/** Holds the workspace's token: may manage its API keys and read their tokens. */
export interface WorkspaceCaller {
  workspaceId: WorkspaceId
  actor: Actor
}

/** Anybody. */
export interface PublicCaller {
  /** On this machine, asking for this machine by a loopback name, and not through a proxy that the configuration does not know. */
  local: boolean
  address: string
  signupToken: string | undefined
  actor: Actor
}
