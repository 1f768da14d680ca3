/** The types of events in the data of an API key: organizations, folders, documents, users, user groups, invitations and grants. */
import type { EventMeaning } from './event-meaning.ts'

export const ORGANIZATION_EVENT_TYPES = {
  'organization.added': {
    summary: 'An organization was added, or was created because a call named something in it.',
    sentence: '{organization} was added.',
    after: '`organizationName`, `disabled`, `metadata`, if they were given',
  },
  'organization.updated': {
    summary: 'The name or metadata of an organization were changed.',
    sentence: '{organization} was changed.',
    before: '`organizationName`, `metadata`',
    after: 'the same',
  },
  'organization.disabled': {
    summary: 'An organization was disabled.',
    sentence: '{organization} was disabled.',
    before: '`disabled`',
    after: '`disabled`',
  },
  'organization.enabled': {
    summary: 'An organization was enabled.',
    sentence: '{organization} was enabled.',
    before: '`disabled`',
    after: '`disabled`',
  },
  'organization.deleted': {
    summary: 'An organization was deleted with everything in it.',
    sentence: '{organization} was deleted.',
    before: '`organizationName`, and how many `folders`, `documents`, `permissions`',
  },
  'folder.added': {
    summary: 'A folder was added.',
    sentence: '{resource} was added to {organization}.',
    after: '`folderName`, `parentFolderId`, `accessType`, if they were given',
  },
  'folder.updated': {
    summary: 'The name of a folder was changed.',
    sentence: '{resource} of {organization} was changed.',
    before: '`folderName`',
    after: '`folderName`',
  },
  'folder.moved': {
    summary: 'A folder was moved with everything in it.',
    sentence: '{resource} of {organization} was moved.',
    before: '`parentFolderId`',
    after: '`parentFolderId`, and how many `folders` were moved',
  },
  'folder.access_changed': {
    summary: 'The access type of a folder was changed; null: it has none of its own.',
    sentence: 'The access type of {resource} of {organization} was changed.',
    before: '`accessType`',
    after: '`accessType`',
  },
  'folder.deleted': {
    summary: 'A folder was deleted with everything in it.',
    sentence: '{resource} of {organization} was deleted.',
    before: '`folderName`, and how many `folders`, `documents`, `permissions`',
  },
  'document.added': {
    summary: 'A document was added.',
    sentence: '{resource} was added to {organization}.',
    after: '`documentName`, `folderId`, `accessType`, `disabled`, `metadata`, if they were given',
  },
  'document.updated': {
    summary: 'The name or metadata of a document were changed.',
    sentence: '{resource} of {organization} was changed.',
    before: '`documentName`, `metadata`',
    after: 'the same',
  },
  'document.moved': {
    summary: 'A document was moved to another folder.',
    sentence: '{resource} of {organization} was moved.',
    before: '`folderId`',
    after: '`folderId`',
  },
  'document.access_changed': {
    summary: 'The access type of a document was changed; null: it has none of its own.',
    sentence: 'The access type of {resource} of {organization} was changed.',
    before: '`accessType`',
    after: '`accessType`',
  },
  'document.disabled': {
    summary: 'A document was disabled.',
    sentence: '{resource} of {organization} was disabled.',
    before: '`disabled`',
    after: '`disabled`',
  },
  'document.enabled': {
    summary: 'A document was enabled.',
    sentence: '{resource} of {organization} was enabled.',
    before: '`disabled`',
    after: '`disabled`',
  },
  'document.deleted': {
    summary: 'A document was deleted.',
    sentence: '{resource} of {organization} was deleted.',
    before: '`documentName`, `metadata`, and how many `permissions`',
  },
  'document.migration.started': {
    summary: 'A migration of a document to a new id was started.',
    sentence: 'The migration of {resource} of {organization} has started.',
    after: '`migrationId`, `newDocumentId`',
  },
  'document.migration.completed': {
    summary: 'A document was migrated to a new id; the resource of the event has the new id.',
    sentence: 'The migration of {resource} of {organization} has completed.',
    before: '`documentId`',
    after: '`migrationId`, `documentId`',
  },
  'document.migration.failed': {
    summary: 'A document could not be migrated to a new id.',
    sentence: 'The migration of {resource} of {organization} has failed.',
    after: '`migrationId`, `newDocumentId`, `reason`',
  },
  'user.added': {
    summary: 'The profile of a user was stored for the first time.',
    sentence: '{user} was added.',
    after: 'the profile',
  },
  'user.updated': {
    summary: 'The profile of a user was changed.',
    sentence: '{user} was changed.',
    before: 'the profile',
    after: 'the profile',
  },
  'user.removed': {
    summary: 'A user was removed from an organization, or erased.',
    sentence: '{user} was removed.',
    before:
      'how many `permissions`, `userGroups` and (of an erasure) `invitations`, `accessRole` and `expiresAt` of the membership; `profiles` that were erased, `disabled` if the user was',
    after: '`jobId` of an erasure',
  },
  'user.disabled': {
    summary: 'A user was disabled: denied everything in the data set of the API key.',
    sentence: '{user} was disabled.',
    before: '`disabled`',
    after: '`disabled`',
  },
  'user.enabled': {
    summary: 'A user was enabled. The user tokens from before have ended.',
    sentence: '{user} was enabled.',
    before: '`disabled`',
    after: '`disabled`',
  },
  'user_group.added': {
    summary: 'A user group was added.',
    sentence: 'A user group was added to {organization}.',
    after: '`groupName`',
  },
  'user_group.updated': {
    summary: 'A user group was renamed.',
    sentence: 'A user group of {organization} was changed.',
    before: '`groupName`',
    after: '`groupName`',
  },
  'user_group.deleted': {
    summary: 'A user group was deleted.',
    sentence: 'A user group of {organization} was deleted.',
    before: '`groupName`, and how many `users` and `permissions` it had',
  },
  'user_group.user_added': {
    summary: 'A user was added to a user group.',
    sentence: '{user} was added to a user group of {organization}.',
  },
  'user_group.user_removed': {
    summary: 'A user was removed from a user group.',
    sentence: '{user} was removed from a user group of {organization}.',
  },
  'user_group.emptied': {
    summary: 'All users were removed from a user group.',
    sentence: 'All users were removed from a user group of {organization}.',
    before: 'how many `users`',
  },
  'invitation.added': {
    summary: 'A person was invited to an organization, folder or document.',
    sentence: '{email} was invited to {resource}.',
    after: '`invitationId`, `email`, `accessRole` if the invitation has one',
  },
  'invitation.renewed': {
    summary: 'A pending invitation was added again.',
    sentence: 'The invitation of {email} to {resource} was renewed.',
    before: '`invitationId`, `email`, `accessRole`',
    after: '`invitationId`, `email`, `accessRole`',
  },
  'invitation.accepted': {
    summary: 'An invitation was accepted; the user of the event was given the role.',
    sentence: '{user} accepted the invitation to {resource}.',
    before: '`invitationId`, `email`, `accessRole`',
  },
  'invitation.rejected': {
    summary: 'An invitation was rejected by the invited person.',
    sentence: '{email} rejected the invitation to {resource}.',
    before: '`invitationId`, `email`, `accessRole`',
  },
  'invitation.withdrawn': {
    summary: 'An invitation was withdrawn.',
    sentence: 'The invitation of {email} to {resource} was withdrawn.',
    before: '`invitationId`, `email`, `accessRole`',
  },
  'permission.added': {
    summary: 'A user or user group was granted a role, or the role or expiry of a grant was changed.',
    sentence: '{user} was made {role} of {resource}.',
    before:
      '`accessRole`, `expiresAt` (seconds, or null) of the previous grant of the same kind, `groupId` if a user group holds it',
    after: '`accessRole`, `expiresAt`, `groupId` if a user group holds it',
  },
  'permission.removed': {
    summary: 'A grant was revoked.',
    sentence: '{user} has lost the role of {role} of {resource}.',
    before: '`accessRole`, `expiresAt`, `groupId` if a user group held it',
  },
  'permission.expiring': {
    summary: 'A grant is about to expire; `expiringSoonSeconds` of the key says how long before. It has no caller.',
    sentence: 'The role of {user}, {role} of {resource}, is about to expire.',
    after: '`accessRole`, `expiresAt`, as they are, `groupId` if a user group holds it',
  },
  'permission.expired': {
    summary: 'A grant has expired. It has no caller.',
    sentence: 'The role of {user}, {role} of {resource}, has expired.',
    before: '`accessRole`, `expiresAt`, `groupId` if a user group held it',
  },
  'user_token.generated': {
    summary: 'A user signed in: a user token was generated.',
    sentence: '{user} was given a user token.',
    after: '`jti`',
  },
  'user_token.revoked': {
    summary: 'All tokens of a user that were issued before this time were revoked.',
    sentence: 'The user tokens of {user} were revoked.',
    after: '`tokensSince` (milliseconds)',
  },
} as const satisfies Record<string, EventMeaning>
