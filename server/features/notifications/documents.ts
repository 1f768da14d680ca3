/** Mutes a document for a user, or follows it: levels of its channels, which hold in the inbox and everywhere else (rules/comments.md#following). */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { DEFAULT_CHANNELS } from '#contract/notifications/preferences.ts'
import type { Session } from '#platform/db/db.ts'
import { FOLLOW_DOCUMENT, MUTE_DOCUMENT } from './preference-statements.ts'

interface DocumentOfUser {
  organizationKey: OrganizationKey
  resourceKey: string
  userId: string
}

/** Sets every channel of the document to `NONE`: the known ones, and those for which the user has a level. */
export async function muteDocument(session: Session, document: DocumentOfUser): Promise<void> {
  const { organizationKey, resourceKey, userId } = document
  const channels = [...Object.keys(DEFAULT_CHANNELS), 'slack']
  await session.run(MUTE_DOCUMENT, [organizationKey, resourceKey, userId, channels])
}

/** Sets the inbox of the document to `ALL`; on the other channels the levels of the organization hold. */
export async function followDocument(session: Session, document: DocumentOfUser): Promise<void> {
  const { organizationKey, resourceKey, userId } = document
  await session.run(FOLLOW_DOCUMENT, [organizationKey, resourceKey, userId, JSON.stringify({ inbox: 'ALL' })])
}
