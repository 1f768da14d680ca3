/** Cautions about grants on what did not exist: the API declares it, so a misspelt id would go unnoticed (rules/access.md#granting-before-adding). */
import { CommonholdError } from '#sdk/errors.ts'
import type { Connection } from '../connection.ts'
import { plain } from '../terminal.ts'

interface Granting {
  user?: { userId: string }
  group?: { groupId: string; organizationId: string }
  permissions: {
    resources: readonly { type: 'organization' | 'folder' | 'document'; id: string; organizationId?: string }[]
  }
}

/**
 * Returns a sentence that names the resources of the call that do not exist yet; undefined if all do, or if the token may not ask. To be
 * called before the grant, which declares them.
 */
export async function unknownResources(connection: Connection, data: Granting): Promise<string | undefined> {
  const { user, group, permissions } = data
  // Whether a resource exists does not depend on the user of the question.
  const userId = user?.userId ?? group?.groupId ?? ''
  const place = group === undefined ? {} : { organizationId: group.organizationId }
  const resources = permissions.resources.map((resource) => ({ ...place, ...resource }))
  try {
    const { checks } = await connection.forKey().permissions.check({
      checks: resources.map(({ type, id, organizationId }) => ({
        userId,
        resource: { type, id, ...(organizationId === undefined || type === 'organization' ? {} : { organizationId }) },
      })),
    })
    const unknown = resources.filter((_, index) => checks[index]?.reason === 'does_not_exist')
    if (unknown.length === 0) return undefined
    const names = unknown.map(({ type, id }) => plain(`${type}:${id}`)).join(', ')
    return `Not added before: ${names}. The grant has declared ${unknown.length === 1 ? 'it' : 'them'}. If an id is misspelt, revoke the grant. To refuse such grants: commonhold settings set --require-known-resources true`
  } catch (error) {
    if (error instanceof CommonholdError) return undefined // the grant itself says what is wrong
    throw error
  }
}
