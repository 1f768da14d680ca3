/** Converts notifications of users, their preferences, and activities of a hosted service. */
import { ActivityData } from '#contract/comments/stored-data.ts'
import type { Answer } from './lines.ts'
import type { Organization } from './organization.ts'
import { type Item, type Output, objectOf, pick } from './output.ts'
import { documentOf, isFilled, movedDocument, withoutAccessFields } from './threads.ts'

const TEXTS = [
  'HeadlineMessageTemplate',
  'HeadlineMessageTemplateData',
  'BodyMessage',
  'BodyMessageTemplate',
  'BodyMessageTemplateData',
]
const OF_NOTIFICATION = [
  ...['timestamp', 'actionUser', 'actionType', 'notificationSourceData', 'isNotificationResolverUsed'],
  ...TEXTS.map((name) => `display${name}`),
]

/** The fields that a service adds to the metadata of a notification; the others are the caller's own. */
const OF_THE_SERVICE = [
  ...['apiKey', 'organizationId', 'documentId', 'clientOrganizationId', 'clientDocumentId', 'locationId'],
  ...['documentMetadata', 'organizationMetadata'],
]

/**
 * The file has the notifications of each user. A notification names every user for whom the file lists it, and is
 * listed as long as that user can open the document.
 */
export function convertNotification(answer: Answer, organization: Organization, output: Output): void {
  const { line, path, within, item } = answer
  const found = objectOf(item, line, path, output)
  if (found === undefined) return
  const { id, notificationSource = 'custom' } = found
  const what = `notification ${organization.id}/${id}`
  if (notificationSource === 'comment')
    return void output.leaveOut(
      line,
      what,
      'notification_of_comment',
      'the service does not say which comment it is about: threads show what is new',
    )
  const documentId = movedDocument(line, what, found, organization, output)
  if (documentId === undefined) return
  const at = { organizationId: organization.id, notificationId: id }
  const { location, ...more } = Object(found.metadata) as Item
  const metadata = Object.fromEntries(Object.entries(more).filter(([name]) => !OF_THE_SERVICE.includes(name)))
  const isMoved = output.add(line, what, {
    record: 'notification',
    ...at,
    documentId,
    notificationSource,
    ...pick(found, OF_NOTIFICATION),
    ...withoutAccessFields(found.context),
    ...(location === undefined ? {} : { location }),
    ...(isFilled(metadata) ? { metadata } : {}),
    notifyAll: false,
    requiresAccess: true,
  })
  if (isMoved) output.add(line, what, { record: 'notificationRecipient', ...at, userId: within.userId, isNamed: true })
}

export function convertPreference(
  { line, path, within, item }: Answer,
  organization: Organization,
  output: Output,
): void {
  const found = objectOf(item, line, path, output)
  if (found === undefined) return
  const { userId } = within
  const isOfDocument = documentOf(found) !== undefined
  const what = `notification preference of ${userId} in ${organization.id}`
  const documentId = isOfDocument ? movedDocument(line, what, found, organization, output) : undefined
  if (isOfDocument && documentId === undefined) return
  output.add(line, what, {
    ...{ record: 'notificationPreference', organizationId: organization.id, userId },
    ...(isOfDocument && { documentId }),
    config: found.config,
  })
}

const { documentId: _, ...ofActivity } = ActivityData.properties

export function convertActivity({ line, path, item }: Answer, organization: Organization, output: Output): void {
  const found = objectOf(item, line, path, output)
  if (found === undefined) return
  const what = `activity ${organization.id}/${found.id}`
  const documentId = movedDocument(line, what, found, organization, output)
  if (documentId === undefined) return
  const { immutable, ...fields } = pick(found, Object.keys(ofActivity))
  output.add(line, what, {
    ...{ record: 'activity', organizationId: organization.id, documentId },
    ...fields,
    ...(immutable === true && { immutable }),
  })
}
