/** The types of events of workspaces and API keys: keys, their tokens and settings, and webhooks. */

/** The description of an event type. */
export interface EventMeaning {
  /** The change, and the record that was changed. */
  summary: string
  /** The fields of `before`; absent when the event has none. */
  before?: string
  /** The fields of `after`; absent when the event has none. */
  after?: string
}
const ENDPOINT =
  '`endpointId`, `url`, `description`, `filterTypes`, `channels`, `disabled`, `rateLimit`, `uid`, `metadata`'

const DOMAIN_REQUEST = '`id`, `domain`; `organizationId` and `documentId` if the request named them'
const OPERATOR = '`operatorId`, `email`, `name`, `role`'
const SSO_CONFIG = '`enabled`, `issuer`, `clientId`, `hasClientSecret`, `roles`, `domains`'

export const KEY_EVENT_TYPES = {
  'workspace.created': { summary: 'A workspace was created.', after: '`name`, `ownerEmail`' },
  'workspace_token.created': {
    summary: 'A token of the workspace was created.',
    after: '`id`, `name`, `expiresAt` if it expires',
  },
  'workspace_token.reset': {
    summary: 'All tokens of the workspace were replaced by a new one.',
    after: '`id`, `name`, `gracePeriodSeconds`',
  },
  'workspace_token.shown': {
    summary: 'The token of a call was shown, with `workspace/authtoken/ensure`.',
    after: '`id`',
  },
  'workspace_token.revoked': { summary: 'A token of the workspace was revoked.', before: '`id`, `name`' },
  'operator.invited': {
    summary: 'An operator was invited to the workspace, or invited again.',
    after: `${OPERATOR}, \`isMailed\`: whether the link went to the address, or to the inviter`,
  },
  'operator.added': {
    summary: 'An operator signed in with single sign-on for the first time, and was added with the role of a rule.',
    after: OPERATOR,
  },
  'operator.updated': {
    summary: 'The name or the role of an operator was changed.',
    before: OPERATOR,
    after: OPERATOR,
  },
  'operator.removed': { summary: 'An operator was removed from the workspace.', before: OPERATOR },
  'operator.signed_in': {
    summary: 'An operator signed in to the console or on the command line, or confirmed a session under way.',
    after:
      '`operatorId`, `method`: how they proved who they are ("link", "passkey", "token", "oidc"), or that a command line was approved in the console ("device", with the `machine`); `confirmed` if a session under way was confirmed; `addressConfirmed` if the sign-in was the first to prove the address, with the number of earlier `endedSessions` and `removedPasskeys`',
  },
  'operator.passkey_added': { summary: 'An operator added a passkey.', after: '`passkeyId`, `name`' },
  'operator.passkey_removed': { summary: 'An operator removed a passkey.', before: '`passkeyId`, `name`' },
  'operator.session_ended': {
    summary: 'A console session was ended from the list of sessions.',
    before: '`sessionId`, `operatorId` if it was of an operator',
  },
  'sso_config.updated': {
    summary: 'The settings of single sign-on were changed.',
    before: SSO_CONFIG,
    after: SSO_CONFIG,
  },
  'sso_domain.verified': {
    summary: 'The workspace proved that a domain is its own; addresses at it find the workspace at single sign-on.',
    after: '`domain`',
  },
  'sso_domain.lost': {
    summary: 'Another workspace proved that a domain is its own, whose record for this workspace was gone.',
    before: '`domain`',
  },
  'api_key.created': {
    summary: 'An API key was created.',
    after: '`name`, `type`, `ownerEmail`, `allowedDomains`, `defaultDocumentAccessType`, `defaultAccessRole`',
  },
  'api_key.updated': {
    summary:
      'Settings of the API key were changed: its name, allowed domains, configuration, e-mail, webhooks, notifications or activities.',
    before: 'the previous values of the settings that changed, secrets hidden',
    after: 'their new values',
  },
  'domain_request.added': { summary: 'A domain was requested.', after: DOMAIN_REQUEST },
  'domain_request.accepted': {
    summary: 'A requested domain was accepted; `api_key.updated` has the allowed domains.',
    after: DOMAIN_REQUEST,
  },
  'domain_request.rejected': { summary: 'A requested domain was rejected.', after: DOMAIN_REQUEST },
  'api_key.secret_shown': {
    summary: 'A secret in the e-mail or webhook settings was shown, which only `REVEAL_SECRETS` allows.',
    after: '`field`',
  },
  'api_key.disabled': { summary: 'The API key was disabled.' },
  'api_key.enabled': { summary: 'The API key was enabled.' },
  'api_key.deleted': {
    summary: 'The API key was deleted with everything in it.',
    before:
      '`name`, `type`, `ownerEmail`, and how many `organizations`, `folders`, `documents`, `users`, `userGroups`, `permissions`',
  },
  'auth_token.created': {
    summary: 'An auth token was created.',
    after: '`id`, `name`, `scopes`, `expiresAt` if it expires',
  },
  'auth_token.reset': {
    summary: 'All auth tokens of the key were replaced by a new one.',
    after: '`id`, `name`, `gracePeriodSeconds`',
  },
  'auth_token.shown': { summary: 'The auth tokens of the key were shown.', after: '`ids`' },
  'auth_token.revoked': { summary: 'An auth token was revoked.', before: '`id`, `name`' },
  'signing_key.rotated': {
    summary: 'The signing key of user tokens was rotated.',
    after: '`kid` of the new key; `verifying`, the keys that still verify tokens',
  },
  'webhook_endpoint.created': { summary: 'A webhook endpoint was created.', after: ENDPOINT },
  'webhook_endpoint.updated': { summary: 'A webhook endpoint was changed.', before: ENDPOINT, after: ENDPOINT },
  'webhook_endpoint.deleted': { summary: 'A webhook endpoint was deleted.', before: ENDPOINT },
  'webhook_endpoint.secret_rotated': {
    summary: 'The secret of a webhook endpoint was rotated.',
    after: '`endpointId`, `gracePeriodSeconds`',
  },
  'webhook_endpoint.secret_shown': {
    summary: 'The secret of a webhook endpoint was shown.',
    after: '`endpointId`',
  },
  'webhook_endpoint.disabled': {
    summary:
      'A webhook endpoint was disabled because it has failed for five days, or because it responded that it is gone.',
    after: '`endpointId`, `url`, `reason`: "failing" or "gone", `failingSince` (milliseconds)',
  },
  'webhook_endpoint.enabled': {
    summary: 'A basic webhook URL that was disabled after its failures was enabled again.',
    after: '`endpointId`',
  },
  'webhook.test': { summary: 'A test was sent to a webhook endpoint.', after: '`endpointId`' },
  'webhook.resent': { summary: 'A webhook message was sent again.', after: '`endpointId`, `messageId`' },
  'webhook.replayed': {
    summary: 'Webhook messages were sent again.',
    after: '`endpointId`, `since`, `until`, and how many `messages`',
  },
  'message.attempt.exhausted': {
    summary: 'A webhook message could not be delivered; it will not be tried again.',
    after: '`endpointId`, `messageId`, `eventType`, `attempts`, `httpStatus` or `error` of the last attempt',
  },
} as const satisfies Record<string, EventMeaning>
