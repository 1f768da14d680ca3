/** The English texts of the elements, and how a page replaces them by others. */

/**
 * `{name}` is replaced. A key with `.one` or another plural category of the language takes precedence where `{count}`
 * is of that category.
 */
export const ENGLISH = {
  comments: 'Comments',
  show: 'Show',
  open: 'Open',
  resolved: 'Resolved',
  all: 'All',
  loading: 'Loading comments…',
  noComments: 'No comments yet.',
  firstComment: 'No comments yet. Select a passage of the text, or write about the whole page.',
  noResolved: 'No resolved comments.',
  more: 'Show more',
  newComment: 'Comment on the page',
  commentOn: 'Comment on the selection',
  comment: 'Comment',
  placeholder: 'Write a comment. @ mentions people.',
  replyPlaceholder: 'Write a reply. @ mentions people.',
  post: 'Post',
  posting: 'Posting…',
  cancel: 'Cancel',
  reply: 'Reply',
  resolve: 'Resolve',
  reopen: 'Reopen',
  edit: 'Edit',
  save: 'Save',
  delete: 'Delete',
  deleteComment: 'Delete this comment?',
  deleteThread: 'Delete this comment, and with it the thread?',
  edited: 'edited',
  you: 'you',
  resolvedBy: 'Resolved by {name}',
  threadOf: 'Thread of {name}',
  aboutPage: 'About the whole page',
  orphaned: 'The text is no longer on the page',
  showInText: 'Show in the text',
  'earlier.one': 'Show {count} earlier reply',
  earlier: 'Show {count} earlier replies',
  whole: 'Show all of it',
  readOnly: 'You can read these comments. To write, you need the role of a commenter or editor.',
  people: 'People to mention',
  'found.one': '{count} person. Arrow keys choose, Enter mentions.',
  found: '{count} people. Arrow keys choose, Enter mentions.',
  noOne: 'Nobody with that name can open this document.',
  added: 'Comment added.',
  resolvedNow: 'Thread resolved.',
  reopenedNow: 'Thread reopened.',
  deletedNow: 'Comment deleted.',
  savedNow: 'Comment saved.',
  'arrived.one': '{count} new comment.',
  arrived: '{count} new comments.',
  notifications: 'Notifications',
  'unread.one': '{count} unread notification',
  unread: '{count} unread notifications',
  started: '{name} started a thread',
  replied: '{name} replied',
  isUnread: 'Unread',
  noNotifications: 'Nothing new.',
  markRead: 'Mark as read',
  markAll: 'Mark all as read',
  tryAgain: 'Try again',
  tooLong: 'A comment has at most {count} characters; this one has more.',
  unreachable: 'The comments could not be reached. Check your connection.',
  signedOut: 'Your session has ended. Reload the page to sign in again.',
  signedOutWriting:
    'Your session has ended. Sign in again in another tab, then try again. If you reload this page, copy your text first.',
  forbidden: 'You have no access to these comments.',
  mayNot: 'You may not do this: {message}',
  gone: 'It is no longer there. Somebody may have deleted it.',
  busy: 'Too many requests at once. Try again in a moment.',
  failed: 'That did not work: {message}',
  share: 'Share',
  shareTitle: 'Share this document',
  accessTitle: 'Who has access',
  accessLoading: 'Loading who has access…',
  notSetUp: 'This page does not say yet which document this is about, or where its server is.',
  close: 'Close',
  addPeople: 'People and groups',
  addPeopleHint: 'Type the beginning of a name.',
  'targets.one': '{count} found. Arrow keys choose, Enter adds.',
  targets: '{count} found. Arrow keys choose, Enter adds.',
  noTarget: 'Nobody with that name whom you can share with.',
  isGroup: 'Group',
  takeOut: 'Do not share with {name}',
  role: 'Role',
  roleOf: 'Role of {name}',
  viewer: 'Can view',
  commenter: 'Can comment',
  editor: 'Can edit',
  removeAccess: 'Remove access',
  leave: 'Leave the document',
  until: 'Access ends',
  never: 'Never',
  'inDays.one': 'In {count} day',
  inDays: 'In {count} days',
  likeMine: 'When mine does, {when}',
  endsOn: 'until {when}',
  viaFolder: 'through the folder {name}',
  viaOrganization: 'through the organization',
  viaGroup: 'through the group {name}',
  viaElsewhere: 'from elsewhere',
  changedThere: 'It can be changed only there.',
  everyone:
    'Everybody who uses this app has access: {role}. A role given here replaces that one for the person. Removing somebody here does not end that access.',
  notComplete: 'You are not a member of the organization, so you see only people who were added to this document.',
  onlyEditors: 'Only editors can change this.',
  preview: 'What will change',
  choose: 'Choose somebody to see what will change.',
  gets: '{name} gets access: {role}',
  becomes: '{name}: {role}, no longer {before}',
  loses: '{name} loses access',
  keeps: '{name} keeps access {via}: {role}',
  keepsRole: '{name} keeps access: {role}',
  same: '{name}: nothing changes',
  groupGains: '{count} members gain access',
  'groupGains.one': '{count} member gains access',
  groupChanges: '{count} members keep access with another role or end date',
  'groupChanges.one': '{count} member keeps access with another role or end date',
  groupLoses: '{count} members lose access',
  'groupLoses.one': '{count} member loses access',
  atLeast: 'At least {what}',
  notCounted: 'The group is too large to count all members whose access changes',
  capped: 'You cannot give access for longer than you have it, so it ends when yours does, {when}',
  ownLoss: 'After this, you can no longer share this document, and you may lose access to it.',
  apply: 'Apply changes',
  applying: 'Applying…',
  applied: 'Access changed.',
  noConnection: 'The server could not be reached. Check your connection, then try again.',
  sharingOff: 'This app does not let its users share. Ask whoever runs it to allow it.',
  needsEditor: 'Your role does not allow this. Ask an editor of the document.',
  notOpen: 'This document is no longer open to you. Reload the page, or ask an editor for access.',
  unknownTarget: 'Somebody on your list can no longer be added. Remove them, and try again.',
  beyondOwn: 'You cannot give access for longer than you have it. Choose an earlier end.',
  wouldLower:
    'This would lower a stronger role that comes from a folder, a group or the organization. Choose that role, or change it there.',
  withOneself: 'You cannot give access to yourself.',
  ownAccessEnds: 'After this, you can no longer share this document. Try again to see what will change.',
  otherUser: 'You are signed in as somebody else now. Close this, and open it again.',
  inProgress: 'The change is still being made. Try again in a moment.',
} as const

export type Texts = Record<keyof typeof ENGLISH, string>
/** Some of the texts, and plurals of other languages, such as `found.few`. */
export type OtherTexts = Partial<Texts> & Record<string, string>

export type Say = (key: keyof Texts, values?: Record<string, string | number>) => string

const plurals = new Map<string, Intl.PluralRules>()

function pluralOf(count: number, locale: string): string {
  const rules = plurals.get(locale) ?? new Intl.PluralRules(locale)
  plurals.set(locale, rules)
  return rules.select(count)
}

/** Returns a function that says a text: in other words, where there are any, or else in English. */
export function speaker(others: OtherTexts | undefined, locale: string): Say {
  return (key, values = {}) => {
    const { count } = values
    const text =
      typeof count === 'number'
        ? // An English plural must not win over a translation without plurals.
          (others?.[`${key}.${pluralOf(count, locale)}`] ??
          others?.[key] ??
          (ENGLISH as Record<string, string>)[`${key}.${pluralOf(count, 'en')}`] ??
          ENGLISH[key])
        : (others?.[key] ?? ENGLISH[key])
    return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? formatted(values[name] as string | number, locale) : whole,
    )
  }
}

const formatted = (value: string | number, locale: string): string =>
  typeof value === 'number' ? value.toLocaleString(locale) : value
