/** What every read of one organization begins with. */
import type { OrganizationKey } from '#contract/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import { organizationDoesNotExist } from './refusals.ts'

export const FIND_ORGANIZATION = statement<object>(
  'organizations.find',
  'select from organizations where organization_key = $1 and added_at is not null',
)

/** Refuses with NOT_FOUND unless the organization has been added. */
export async function requireOrganization(session: Session, key: OrganizationKey): Promise<void> {
  const [organization] = await session.run(FIND_ORGANIZATION, [key])
  if (organization === undefined) throw organizationDoesNotExist()
}
