/**
 * The content of mails. Facts are the variables of a provider's template; without a template, `contentOf` writes them as
 * plain text and as HTML. All text from callers has passed `line`.
 */

import type { ResourceType } from '#contract/access/permissions.ts'
import type { MailKind } from '#contract/keys/service-configs.ts'
import { type Html, html } from '#platform/html.ts'
import type { ReportedEvent } from './content-statements.ts'
import { line, unlinked } from './text.ts'

/** A mail lists no more events. */
export const ITEMS_MAX = 50

/** One event, with the fields of its kind of mail. */
export interface Item {
  at: string
  resource?: { type: ResourceType; id: string; name: string }
  accessRole?: string
  /** The name of the inviter; empty if the invitation has none. */
  invitedBy?: string
  /** The user group that was given the access; absent: the user was. */
  groupId?: string
  /** `2026-11-21 10:00 UTC`; empty for access that does not expire. */
  expiresAt?: string
  documentId?: string
  newDocumentId?: string
  error?: string
  name?: string
  by?: string
}

export interface Facts {
  kind: MailKind
  apiKeyName: string
  company: string
  userName: string
  organization: { id: string; name: string }
  /** At most `ITEMS_MAX`; `more` is the number of others. */
  items: Item[]
  more: number
}

export interface Content {
  subject: string
  text: string
  html: string
}

/** `2026-11-21 10:00 UTC` */
const moment = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`

const text = (value: unknown): string => (typeof value === 'string' ? line(value) : '')

export function itemOf({
  changedAt,
  resourceType,
  resourceId,
  resourceName,
  actor,
  after,
  before,
  invitationId,
  inviterName,
}: ReportedEvent): Item {
  const { accessRole, expiresAt, groupId, newDocumentId, reason, name } = after ?? {}
  const by = [actor.operator?.name ?? actor.token, actor.address].map(text).filter((part) => part !== '')
  return {
    at: moment(changedAt),
    ...(resourceType === null || resourceId === null
      ? {}
      : { resource: { type: resourceType, id: line(resourceId), name: line(resourceName ?? '') || line(resourceId) } }),
    ...(accessRole === undefined ? {} : { accessRole: text(accessRole), expiresAt: expiryOf(expiresAt) }),
    ...(groupId === undefined ? {} : { groupId: text(groupId) }),
    ...(invitationId === null ? {} : { invitedBy: text(inviterName) }),
    ...(after?.migrationId === undefined
      ? {}
      : {
          documentId: text(before?.documentId) || text(resourceId),
          newDocumentId: text(newDocumentId) || text(after.documentId),
          error: text(reason).replaceAll('_', ' '),
        }),
    ...(resourceType === null ? { name: text(name), by: by.join(' from ') } : {}),
  }
}

const expiryOf = (seconds: unknown): string => (typeof seconds === 'number' ? moment(new Date(seconds * 1000)) : '')

/** The texts of a kind of mail. */
interface Wording {
  subject: (facts: Facts, first: Item) => string
  opening: (facts: Facts) => string
  item: (item: Item) => string
  closing?: (facts: Facts) => string
  /** It goes to people who never gave their address to the tenant: no text from callers may become a link. */
  isUnlinked?: true
}

const count = ({ items, more }: Facts): number => items.length + more
const several = (facts: Facts, one: string, many: string): string =>
  count(facts) === 1 ? one : `${count(facts)} ${many}`
const named = ({ resource }: Item): string => (resource === undefined ? '' : `${resource.type} “${resource.name}”`)
const inOrganization = ({ organization }: Facts): string => `in “${organization.name}”`

const access = (item: Item): string =>
  `${named(item)} as ${item.accessRole}${item.groupId === undefined ? '' : ` by user group “${item.groupId}”`}${item.expiresAt === '' ? '' : `, until ${item.expiresAt}`}`
const invited = (item: Item): string => `${named(item)}${item.accessRole === undefined ? '' : ` as ${item.accessRole}`}`
const senderOf = ({ company, apiKeyName }: Facts): string => (company === '' ? apiKeyName : company)
const done = ({ name, at, by }: Item): string => `“${name}”, ${at}${by === '' ? '' : `, by ${by}`}`
const moved = ({ documentId, newDocumentId }: Item): string => `“${documentId}” to “${newDocumentId}”`

const WORDINGS: Record<MailKind, Wording> = {
  'permission.added': {
    subject: (facts, first) =>
      `You have access to ${several(facts, named(first), `resources ${inOrganization(facts)}`)}`,
    opening: (facts) => `You have been given access ${inOrganization(facts)}:`,
    item: access,
  },
  'permission.expiring': {
    subject: (facts, first) =>
      `Your temporary access to ${several(facts, named(first), `resources ${inOrganization(facts)}`)} ends soon`,
    opening: (facts) => `Your temporary access ${inOrganization(facts)} ends soon:`,
    item: access,
  },
  'invitation.added': {
    subject: (facts, first) => {
      const to = several(facts, named(first), `resources ${inOrganization(facts)}`)
      return first.invitedBy ? `${first.invitedBy} invites you to ${to}` : `You are invited to ${to}`
    },
    opening: (facts) =>
      `${facts.items[0]?.invitedBy || 'Somebody'} invites you to work together ${inOrganization(facts)}:`,
    item: invited,
    closing: (facts) =>
      `To accept, sign in to ${senderOf(facts)} with this e-mail address. If you do not expect this invitation, ignore this mail.`,
    isUnlinked: true,
  },
  'api_key.created': {
    subject: ({ apiKeyName }) => `API key “${apiKeyName}” was created`,
    opening: () =>
      'An API key that names you as its owner was created. If you know nothing of it, tell the holder of the workspace.',
    item: done,
  },
  'auth_token.reset': {
    subject: ({ apiKeyName }) => `The auth token of API key “${apiKeyName}” was replaced`,
    opening: ({ apiKeyName }) =>
      `The auth tokens of your API key “${apiKeyName}” were replaced by a new one. If you know nothing of it, tell the holder of the workspace.`,
    item: done,
  },
  'document.migration.completed': {
    subject: (facts) => `${several(facts, 'A document was', 'documents were')} migrated ${inOrganization(facts)}`,
    opening: (facts) => `Migrated ${inOrganization(facts)}:`,
    item: moved,
  },
  'document.migration.failed': {
    subject: (facts) => `${several(facts, 'A migration', 'migrations')} failed ${inOrganization(facts)}`,
    opening: (facts) => `Not migrated ${inOrganization(facts)}:`,
    item: (item) => `${moved(item)}: ${item.error}`,
  },
}

/** Writes the facts as text and HTML. */
export function contentOf(facts: Facts): Content {
  const { kind, items, more, userName } = facts
  const { subject, opening, item, closing, isUnlinked } = WORDINGS[kind]
  const safe = isUnlinked ? unlinked : (text: string) => text
  const greeting = userName === '' ? 'Hello,' : `Hello ${userName},`
  const lines = [...items.map(item), ...(more > 0 ? [`and ${more} more`] : [])].map(safe)
  const paragraphs = {
    opening: safe(opening(facts)),
    closing: safe(closing?.(facts) ?? ''),
    sender: safe(senderOf(facts)),
  }
  const list = lines.map((each) => `- ${each}`).join('\n')
  return {
    subject: line(safe(subject(facts, items[0] ?? { at: '' }))),
    text: `${[greeting, paragraphs.opening, list, paragraphs.closing, paragraphs.sender].filter(Boolean).join('\n\n')}\n`,
    html: pageOf(greeting, paragraphs.opening, lines, paragraphs.sender, paragraphs.closing).text,
  }
}

/** The mail that `email-config.test` sends. */
export function testContent(apiKeyName: string): Content {
  const subject = `Test mail of API key “${line(apiKeyName)}”`
  const said = 'The e-mail settings of this API key work: you are reading a mail that was sent with them.'
  return {
    subject,
    text: `Hello,\n\n${said}\n\n${line(apiKeyName)}\n`,
    html: pageOf('Hello,', said, [], line(apiKeyName)).text,
  }
}

/** The question to an owner whether mail is wanted. It says nothing that a tenant chose. */
export function confirmationContent(link: string): Content {
  const said = 'This address was given as that of the owner of an API key. To get mail about it, confirm the address:'
  const otherwise = 'If you do not know of this, do nothing: without the confirmation you get no mail about API keys.'
  return {
    subject: 'Confirm your address',
    text: `Hello,\n\n${said}\n\n${link}\n\n${otherwise}\n`,
    html: pageOf('Hello,', said, [link], otherwise).text,
  }
}

/** Returns the HTML of a mail. */
export const pageOf = (
  greeting: string,
  opening: string,
  lines: readonly string[],
  sender: string,
  closing = '',
): Html => html`<!doctype html>
<html lang="en">
<body dir="ltr" style="font-family: sans-serif; line-height: 1.5">
<p>${greeting}</p>
<p>${opening}</p>
<ul>
${lines.map((each) => html`<li>${each}</li>`)}
</ul>
${closing === '' ? [] : [html`<p>${closing}</p>`]}
<p>${sender}</p>
</body>
</html>
`
