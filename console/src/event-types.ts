/** A sentence for each type of event, copied from the contract; a test compares them. */
import type { EventFilter, EventType } from '#sdk/generated/operations.ts'

export const EVENT_SAYS: Readonly<Record<EventType, string>> = {
  'workspace.created': 'A workspace was created.',
  'api_key.created': 'An API key was created.',
  'api_key.updated':
    'Settings of the API key were changed: its name, its allowed domains, its configuration, or that of e-mail or webhooks.',
  'api_key.disabled': 'The API key was disabled.',
  'api_key.enabled': 'The API key was enabled.',
  'api_key.deleted': 'The API key was deleted with everything in it.',
  'auth_token.created': 'An auth token was created.',
  'auth_token.reset': 'All auth tokens of the key were replaced by a new one.',
  'auth_token.revoked': 'An auth token was revoked.',
  'signing_key.rotated': 'User tokens are signed with a new key.',
  'organization.added': 'An organization was added, or came into being because something in it was mentioned.',
  'organization.updated': 'Name or metadata of an organization were changed.',
  'organization.disabled': 'An organization was disabled.',
  'organization.enabled': 'An organization was enabled.',
  'organization.deleted': 'An organization was deleted with everything in it.',
  'folder.added': 'A folder was added.',
  'folder.updated': 'The name of a folder was changed.',
  'folder.moved': 'A folder was moved with everything in it.',
  'folder.access_changed': 'The access type of a folder was changed; null: none of its own.',
  'folder.deleted': 'A folder was deleted with everything in it.',
  'document.added': 'A document was added.',
  'document.updated': 'Name or metadata of a document were changed.',
  'document.moved': 'A document was moved to another folder.',
  'document.access_changed': 'The access type of a document was changed; null: none of its own.',
  'document.disabled': 'A document was disabled.',
  'document.enabled': 'A document was enabled.',
  'document.deleted': 'A document was deleted.',
  'document.migration.started': 'A document is being given another id.',
  'document.migration.completed': 'A document was given another id; the resource of the event has the new one.',
  'document.migration.failed': 'A document could not be given another id.',
  'user.added': 'A profile of a user was stored for the first time.',
  'user.updated': 'The profile of a user was changed.',
  'user.removed': 'A user was taken out of an organization, or erased.',
  'user_group.added': 'A user group was added.',
  'user_group.updated': 'A user group was renamed.',
  'user_group.deleted': 'A user group was deleted.',
  'user_group.user_added': 'A user was put into a user group.',
  'user_group.user_removed': 'A user was taken out of a user group.',
  'user_group.emptied': 'All users were taken out of a user group.',
  'permission.added': 'A user was granted a role, or a grant got another role or expiry.',
  'permission.removed': 'A grant was taken away.',
  'permission.expiring':
    'A grant ends soon, as soon as the key asks to be told (`expiringSoonSeconds`); nobody caused it.',
  'permission.expired': 'A grant has expired; nobody caused it.',
  'user_token.generated': 'A user signed in: a user token was generated.',
  'user_token.revoked': 'All tokens of a user that were issued until then were revoked.',
  'webhook_endpoint.created': 'A webhook endpoint was created.',
  'webhook_endpoint.updated': 'A webhook endpoint was changed.',
  'webhook_endpoint.deleted': 'A webhook endpoint was deleted.',
  'webhook_endpoint.secret_rotated': 'A webhook endpoint got another secret.',
  'webhook_endpoint.disabled':
    'A webhook endpoint was disabled, because it has failed for five days or answered that it is gone.',
  'webhook_endpoint.enabled': 'A basic URL of webhooks that was disabled for its failures was enabled again.',
  'webhook.test': 'A webhook endpoint was sent a test.',
  'webhook.resent': 'A webhook message was sent again.',
  'webhook.replayed': 'Webhook messages were sent again.',
  'message.attempt.exhausted': 'A webhook message could not be delivered and was given up.',
}

export const EVENT_TYPES = Object.keys(EVENT_SAYS) as EventType[]

/** Filters for all types with a common prefix: `permission.*`, `document.migration.*`. */
export const EVENT_FAMILIES = [
  ...new Set(
    EVENT_TYPES.flatMap((type) => {
      const parts = type.split('.')
      return parts.slice(1).map((_, length) => `${parts.slice(0, length + 1).join('.')}.*`)
    }),
  ),
] as EventFilter[]
