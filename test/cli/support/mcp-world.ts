/** A server, a small data set, and a call of each tool of `commonhold mcp`. */
import { checkPermissions } from '#contract/access/decisions.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { environmentOf } from '#testing/processes/cli.ts'
import { sharedServer } from '#testing/server.ts'
import { newCallers } from '../../conformance/support/callers.ts'

export const server = await sharedServer()
export const organizationId = 'acme'
export const acme = { type: 'organization', id: organizationId } as const
/** A change of access. */
export const GRANT = { organizationId, add: [{ userId: 'ada', resource: acme, accessRole: 'viewer' }] }

/** Creates an API key with the organization `acme`, and the environment of a program that uses it. */
export async function newWorld() {
  const callers = await newCallers(server.url)
  await callers.apiKey.call(addOrganizations, { organizations: [{ organizationId }] })
  return { ...callers, environment: environmentOf(server.url, callers) }
}

/** Returns the role of Ada in `acme`, as the server decides it. */
export const roleOfAda = async (key: Awaited<ReturnType<typeof newWorld>>['apiKey']) =>
  (await key.call(checkPermissions, { checks: [{ userId: 'ada', resource: acme }] })).checks[0]?.accessRole

/** A call of each tool, by its name. */
export const CALLS: Readonly<Record<string, object>> = {
  search: { query: 'a' },
  get: { kind: 'user', id: 'ada' },
  list_changes: {},
  check_access: { checks: [{ userId: 'ada', resource: acme }] },
  explain_access: { userId: 'ada', resource: acme },
  who_has_access: { resource: acme },
  what_can_user_access: { organizationId, userId: 'ada' },
  describe_operation: { operation: 'users.get' },
  read_operation: { operation: 'organizations.get' },
  preview_thread: { organizationId, documentId: 'nowhere', userId: 'ada', text: 'Hello' },
  preview_change: GRANT,
  apply_change: { change: GRANT, previewToken: 'guessed' },
}
