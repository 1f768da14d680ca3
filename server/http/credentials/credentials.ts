/** The credentials of callers, and the look-ups of them that features offer. */
import type { FastifyRequest } from 'fastify'
import type { ApiKeyId, WorkspaceId } from '#contract/core/ids.ts'
import type { Scope } from '#contract/core/operation.ts'
import type { KeyType } from '#contract/keys/api-keys.ts'
import type { StatusError } from '#platform/status-error.ts'
import type { Caller, UserCaller } from '#tenancy/callers/caller.ts'
import type { SignedInOperator } from './operator-access.ts'

/** The account of a console session: a token of a workspace or of an API key, or an operator of a workspace. */
export type SignedIn =
  | { workspaceId: WorkspaceId; tokenHash: Buffer; apiKeyId?: undefined; operator?: undefined }
  | { apiKeyId: ApiKeyId; tokenHash: Buffer; workspaceId?: undefined; operator?: undefined }
  | { workspaceId: WorkspaceId; operator: SignedInOperator; apiKeyId?: undefined; tokenHash?: undefined }

export type AuthenticatedKey = Omit<Caller, 'actor' | 'isAdmin'> & {
  tokenName: string
  scopes: Scope[]
  disabled: boolean
}

interface AuthenticatedWorkspace {
  tokenId: string
  tokenName: string
}

/** The look-ups of credentials that features offer. Undefined means that the pair does not match or is not valid now. */
export interface CredentialLookups {
  apiKey(apiKeyId: ApiKeyId, hash: Buffer): Promise<AuthenticatedKey | undefined>
  workspace(workspaceId: WorkspaceId, hash: Buffer): Promise<AuthenticatedWorkspace | undefined>
  /**
   * Returns the secret in the session cookie of a call that asks for its session, or '' without a cookie. Undefined:
   * the call does not use a session.
   */
  sessionSecret(request: FastifyRequest): string | undefined
  /**
   * Finds a session by the secret of its cookie; undefined when it has expired or was signed out, or when the page acts
   * for another account.
   */
  session(request: FastifyRequest, secret: string): Promise<SignedIn | undefined>
  /** Finds the session of a command line by its secret; undefined when it has expired or was ended. */
  commandLineSession(secret: string): Promise<SignedIn | undefined>
  keyOfWorkspace(
    workspaceId: WorkspaceId,
    apiKeyId: ApiKeyId,
  ): Promise<(Omit<AuthenticatedKey, 'tokenName'> & { type: KeyType }) | undefined>
  /**
   * Checks a user token of `namedKey`, or else of the API key that the token names. `caller` is undefined when the
   * token is not valid now, and an error when its user may not call.
   */
  userToken(
    token: string,
    namedKey: string | undefined,
  ): Promise<
    | {
        apiKeyId: ApiKeyId
        allowsOrigin: (origin: string) => boolean
        disabled: boolean
        caller: UserCaller | StatusError | undefined
      }
    | undefined
  >
}
