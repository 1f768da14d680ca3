/** The TypeScript client of Commonhold: what the package `@commonhold/client` exports. */
export type { CheckMethod, Question } from './checks.ts'
export {
  type Client,
  createClient,
  createPublicClient,
  createUserClient,
  createWorkspaceClient,
  type PublicClient,
  type UserClient,
  type WorkspaceClient,
} from './client.ts'
export { type ClientReason, CommonholdError, type Fault, type Reason } from './errors.ts'
export type { ServerReason, Status } from './generated/errors.ts'
export type * from './generated/operations.ts'
export type * from './generated/warnings.ts'
export type { Grant, Holder, Revocation } from './grants.ts'
export { type FailedItem, ItemFailureError, isFound } from './items.ts'
export type { LiveOptions, ReceivedLiveEvent } from './live.ts'
export type {
  Bounds,
  CallOptions,
  ClientOptions,
  KeyedCallOptions,
  Page,
  PublicClientOptions,
  ServerOptions,
  SharedOptions,
  UserClientOptions,
  WorkspaceClientOptions,
} from './options.ts'
export { type UserToken, type UserTokenFault, type UserTokenOptions, verifyUserToken } from './user-tokens.ts'
export { VerificationError } from './verification.ts'
export { type IncomingWebhook, verifyWebhook, type WebhookFault, type WebhookMessage } from './webhooks.ts'
