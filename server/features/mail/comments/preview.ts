/** Previews a mail about comments with the code that writes it (rules/comments.md#mails-about-comments). */
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { getEmailPreview } from '#contract/keys/email-preview.ts'
import { showing, threadDoesNotExist } from '#features/comments/shared.ts'
import type { Kernel } from '#kernel'
import { credentialsInvalid, invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireResource } from '#tenancy/existence.ts'
import { senderName } from '../carriers/smtp.ts'
import { GET_KEY } from '../statements.ts'
import { line } from '../text.ts'
import { digestContent } from './content.ts'
import { digestOf } from './digest.ts'
import { GET_LAST_COMMENT, type ItemRow } from './digest-statements.ts'
import { SUBSCRIPTION_PATH } from './links.ts'

type Data = DataOf<typeof getEmailPreview>

export function createGetEmailPreview({ db, publicUrl }: Kernel) {
  /** Returns the last comment of the thread that a call names, or an example. */
  async function commentFor(caller: Caller, data: Data): Promise<ItemRow> {
    const { organizationId, documentId, annotationId } = data
    const names = { organizationId, documentId, annotationId }
    const given = Object.values(names).filter((name) => name !== undefined)
    if (given.length === 0) return EXAMPLE
    const [missing] = Object.entries(names).filter(([, name]) => name === undefined)
    if (organizationId === undefined || documentId === undefined || annotationId === undefined)
      throw invalidArgument([{ field: missing?.[0] ?? '', message: `${missing?.[0]} is required to name a thread` }])
    const key = organizationKey(caller, organizationId)
    const document = await requireResource(db, key, { type: 'document', id: documentId })
    const [row] = await db.run(GET_LAST_COMMENT, [key, document, annotationId])
    if (row === undefined) throw threadDoesNotExist()
    return row
  }

  return async (caller: Caller, data: Data): Promise<ResultOf<typeof getEmailPreview>> => {
    const [key] = await db.run(GET_KEY, [caller.apiKeyId])
    if (key === undefined) throw credentialsInvalid()
    const { fromCompany = '', documentUrl = '', commentTemplateId = '', tagTemplateId = '', type } = key.config
    const row = await commentFor(caller, data)
    const people = row.comments.flatMap(({ from, taggedUserContacts }) => [from, ...taggedUserContacts])
    const show =
      row === EXAMPLE
        ? (contact: ItemRow['comments'][number]['from']) => contact
        : await showing(db, caller, new Set(people.map(({ userId }) => userId)))
    const digest = digestOf([{ row, recipient: { ...RECIPIENT, reason: data.kind } }], {
      show,
      documentUrl,
      linkTo: () => `${publicUrl()}${SUBSCRIPTION_PATH}`,
    })
    const templateId = data.kind === 'mention' ? tagTemplateId : commentTemplateId
    return {
      sender: digest.actor === undefined ? line(fromCompany) : senderName(digest.actor, line(fromCompany)),
      ...digestContent(digest),
      templateId: type === 'sendgrid' ? templateId : '',
    }
  }
}

/** Nobody in particular, so that the mail greets nobody by name. */
const RECIPIENT = {
  ...{ userId: '', leftOut: null, level: 'MINE', isMember: true, organizationChannels: null, documentChannels: null },
  ...{ name: null, email: null, timezone: null },
}

const AT = Date.UTC(2027, 0, 4, 9, 30)
const ADA = { userId: 'ada', name: 'Ada Byron' }
const BOB = { userId: 'bob', name: 'Bob Marsh' }
const STATUS = { id: 'OPEN', name: 'Open', type: 'default' } as const

const EXAMPLE: ItemRow = {
  ...{
    resourceKey: '',
    commentId: 2,
    changedAt: null,
    actionType: 'added',
    organizationId: 'acme',
    organizationName: 'Acme',
  },
  ...{ documentName: 'Prices 2027', documentMetadata: null, allowedDomains: [], commentCount: 2 },
  createdAt: new Date(AT),
  lastUpdated: new Date(AT),
  thread: {
    ...{ annotationId: 'example', resourceKey: '', documentId: 'prices-2027', folderId: null, mentionedUserIds: [] },
    content: {
      ...{ type: 'comment', from: BOB, status: STATUS, visibility: { type: 'public' } },
      targetElement: { targetText: 'The price of the basic plan rises by four percent in January.' },
      pageInfo: { url: 'https://app.example.com/prices-2027' },
    },
  },
  threadHash: '',
  comments: [
    {
      ...{ commentId: 1, position: 1, createdAt: AT, from: BOB, taggedUserContacts: [], hash: '' },
      commentText: 'Is this agreed with sales?',
    },
    {
      ...{ commentId: 2, position: 2, createdAt: AT + 14 * 60_000, from: ADA, hash: '' },
      commentText: '{{bob}} Since May. Customers of this year keep their price.',
      taggedUserContacts: [{ userId: 'bob', contact: BOB }],
    },
  ],
}
