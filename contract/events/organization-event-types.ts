/** The types of events in the data of an API key: organizations, folders, documents, users, user groups, invitations and grants. */
import { FOLDER_FIELDS } from '../resources/folders.ts'
import type { EventMeaning } from './key-event-types.ts'

const FOLDER = Object.keys(FOLDER_FIELDS)
  .map((name) => `\`${name}\``)
  .join(', ')

export const ORGANIZATION_EVENT_TYPES = {
  'organization.added': {
    summary: 'An organization was added, or was created because a call named something in it.',
    after: '`organizationName`, `disabled`, `metadata`, if they were given',
  },
  'organization.updated': {
    summary: 'The name or metadata of an organization were changed.',
    before: '`organizationName`, `metadata`',
    after: 'the same',
  },
  'organization.disabled': {
    summary: 'An organization was disabled.',
    before: '`disabled`',
    after: '`disabled`',
  },
  'organization.enabled': {
    summary: 'An organization was enabled.',
    before: '`disabled`',
    after: '`disabled`',
  },
  'organization.deleted': {
    summary: 'An organization was deleted with everything in it.',
    before: '`organizationName`, and how many `folders`, `documents`, `permissions`',
  },
  'folder.added': {
    summary: 'A folder was added.',
    after: `${FOLDER}, \`parentFolderId\`, \`accessType\`, if they were given`,
  },
  'folder.updated': {
    summary: 'Fields of a folder were changed, such as its name.',
    before: FOLDER,
    after: 'the same',
  },
  'folder.moved': {
    summary: 'A folder was moved with everything in it.',
    before: '`parentFolderId`',
    after: '`parentFolderId`, and how many `folders` were moved',
  },
  'folder.access_changed': {
    summary: 'The access type of a folder was changed; null: it has none of its own.',
    before: '`accessType`',
    after: '`accessType`',
  },
  'folder.deleted': {
    summary: 'A folder was deleted with everything in it.',
    before: `${FOLDER}, and how many \`folders\`, \`documents\`, \`permissions\``,
  },
  'document.added': {
    summary: 'A document was added.',
    after: '`documentName`, `folderId`, `accessType`, `disabled`, `metadata`, if they were given',
  },
  'document.updated': {
    summary: 'The name or metadata of a document were changed.',
    before: '`documentName`, `metadata`',
    after: 'the same',
  },
  'document.moved': {
    summary: 'A document was moved to another folder.',
    before: '`folderId`',
    after: '`folderId`',
  },
  'document.access_changed': {
    summary: 'The access type of a document was changed; null: it has none of its own.',
    before: '`accessType`',
    after: '`accessType`',
  },
  'document.disabled': {
    summary: 'A document was disabled.',
    before: '`disabled`',
    after: '`disabled`',
  },
  'document.enabled': {
    summary: 'A document was enabled.',
    before: '`disabled`',
    after: '`disabled`',
  },
  'document.deleted': {
    summary: 'A document was deleted.',
    before: '`documentName`, `metadata`, and how many `permissions`',
  },
  'document.migration.started': {
    summary: 'A migration of a document to a new id was started.',
    after: '`migrationId`, `newDocumentId`',
  },
  'document.migration.completed': {
    summary: 'A document was migrated to a new id; the resource of the event has the new id.',
    before: '`documentId`',
    after: '`migrationId`, `documentId`',
  },
  'document.migration.failed': {
    summary: 'A document could not be migrated to a new id.',
    after: '`migrationId`, `newDocumentId`, `reason`',
  },
  'thread.added': {
    summary: 'A thread of comments was added to a document; the user of the event is its author.',
    after:
      '`annotationId`, `commentId` of the root, `statusId`, `priorityId`, `visibility`, `assigned` if it has an assignee, `notify` and `activity` if the call asked for them',
  },
  'thread.updated': {
    summary: 'A thread was changed.',
    after: '`annotationId`, the changed `fields`, `isImported` if an import changed it, `jobId` of an erasure',
  },
  'thread.status_changed': {
    summary: 'The status of a thread was changed; the user of the event is who set it, if the call says so.',
    before: '`annotationId`, `statusId`, `statusName`, `statusType`',
    after: '`annotationId`, `statusId`, `statusName`, `statusType`, `isImported` if an import changed it',
  },
  'thread.assigned': {
    summary: 'The assignee of a thread was changed.',
    before: '`annotationId`, whether it was `assigned`',
    after: '`annotationId`, whether it is `assigned`, `isImported` if an import changed it',
  },
  'thread.priority_changed': {
    summary: 'The priority of a thread was changed.',
    before: '`annotationId`, `priorityId`, `priorityName`',
    after: '`annotationId`, `priorityId`, `priorityName`, `isImported` if an import changed it',
  },
  'thread.visibility_changed': {
    summary: 'The visibility of a thread was changed. A thread with an access context is reported as restricted.',
    before: '`annotationId`, `visibility`',
    after: '`annotationId`, `visibility`, `isImported` if an import changed it',
  },
  'thread.suggestion_accepted': {
    summary: 'The suggestion of a thread was accepted.',
    after: '`annotationId`, `isImported` if an import changed it',
  },
  'thread.suggestion_rejected': {
    summary: 'The suggestion of a thread was rejected.',
    after: '`annotationId`, `isImported` if an import changed it',
  },
  'thread.subscribed': {
    summary: 'The user of the event was set to follow a thread.',
    after: '`annotationId`',
  },
  'thread.unsubscribed': {
    summary: 'A thread was muted for the user of the event.',
    after: '`annotationId`',
  },
  'thread.deleted': {
    summary: 'A thread was deleted with its comments.',
    before: '`annotationId`, its `visibility`, and how many `comments`',
    after: '`jobId` of an erasure',
  },
  'comment.added': {
    summary: 'A comment was added to a thread; the user of the event is its author.',
    after: '`annotationId`, `commentId`, `notify` and `activity` if the call asked for them',
  },
  'comment.updated': {
    summary: 'A comment was changed; the user of the event is its author.',
    after:
      '`annotationId`, `commentId`, the changed `fields`, `isImported` if an import changed it, `notify` if the call asked for it',
  },
  'comment.deleted': {
    summary: 'A comment was deleted.',
    before: '`annotationId`, `commentId`',
    after: '`jobId` of an erasure',
  },
  'user.added': {
    summary: 'The profile of a user was stored for the first time.',
    after: 'the profile',
  },
  'user.updated': {
    summary: 'The profile of a user was changed.',
    before: 'the profile',
    after: 'the profile',
  },
  'user.removed': {
    summary: 'A user was removed from an organization, or erased.',
    before:
      'how many `permissions`, `userGroups` and (of an erasure) `invitations`, `accessRole` and `expiresAt` of the membership; `profiles` that were erased, `disabled` if the user was',
    after: '`jobId` of an erasure',
  },
  'user.disabled': {
    summary: 'A user was disabled: all access in the data set of the API key is denied.',
    before: '`disabled`',
    after: '`disabled`',
  },
  'user.enabled': {
    summary: 'A user was enabled. The user tokens from before have ended.',
    before: '`disabled`',
    after: '`disabled`',
  },
  'user_group.added': {
    summary: 'A user group was added.',
    after: '`groupName`',
  },
  'user_group.updated': {
    summary: 'A user group was renamed.',
    before: '`groupName`',
    after: '`groupName`',
  },
  'user_group.deleted': {
    summary: 'A user group was deleted.',
    before: '`groupName`, and how many `users` and `permissions` it had',
  },
  'user_group.user_added': {
    summary: 'A user was added to a user group.',
  },
  'user_group.user_removed': {
    summary: 'A user was removed from a user group.',
  },
  'user_group.emptied': {
    summary: 'All users were removed from a user group.',
    before: 'how many `users`',
  },
  'invitation.added': {
    summary: 'A person was invited to an organization, folder or document.',
    after: '`invitationId`, `email`, `accessRole` if the invitation has one',
  },
  'invitation.renewed': {
    summary: 'A pending invitation was added again.',
    before: '`invitationId`, `email`, `accessRole`',
    after: '`invitationId`, `email`, `accessRole`',
  },
  'invitation.accepted': {
    summary: 'An invitation was accepted; the user of the event was given the role.',
    before: '`invitationId`, `email`, `accessRole`',
  },
  'invitation.rejected': {
    summary: 'An invitation was rejected by the invited person.',
    before: '`invitationId`, `email`, `accessRole`',
  },
  'invitation.withdrawn': {
    summary: 'An invitation was withdrawn.',
    before: '`invitationId`, `email`, `accessRole`',
  },
  'permission.added': {
    summary: 'A user or user group was granted a role, or the role or expiry of a grant was changed.',
    before:
      '`accessRole`, `expiresAt` (seconds, or null) of the previous grant of the same kind, `groupId` if a user group holds it',
    after: '`accessRole`, `expiresAt`, `groupId` if a user group holds it',
  },
  'permission.removed': {
    summary: 'A grant was revoked.',
    before: '`accessRole`, `expiresAt`, `groupId` if a user group held it',
  },
  'permission.expiring': {
    summary: 'A grant is about to expire; `expiringSoonSeconds` of the key says how long before. It has no caller.',
    after: '`accessRole`, `expiresAt`, as they are, `groupId` if a user group holds it',
  },
  'permission.expired': {
    summary: 'A grant has expired. It has no caller.',
    before: '`accessRole`, `expiresAt`, `groupId` if a user group held it',
  },
  'user_token.generated': {
    summary: 'A user signed in: a user token was generated.',
    after: '`jti`',
  },
  'user_token.revoked': {
    summary: 'All tokens of a user that were issued before this time were revoked.',
    after: '`tokensSince` (milliseconds)',
  },
} as const satisfies Record<string, EventMeaning>
