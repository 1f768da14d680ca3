/** A caller for each kind of credentials that an operation can take, on one server. */

import type { Credentials } from '#contract/core/operation.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { type Client, createClient } from '#testing/client.ts'

export type Callers = Record<Credentials, Client>

let signups = 0

/** Returns a caller without credentials, the owner of a new workspace, and a caller with a new API key of it. */
export const newCallers = (url: string, headerPrefix?: string): Promise<Callers> =>
  callersFrom(createClient(url), headerPrefix)

/** The same through a client without credentials. */
export async function callersFrom(none: Client, headerPrefix = 'service'): Promise<Callers> {
  const ownerEmail = `caller${process.pid}.${++signups}@example.com`
  const { id, authToken: workspaceToken } = await none.call(createWorkspace, { ownerEmail })
  const workspace = none.with({
    [`x-${headerPrefix}-workspace-id`]: id,
    [`x-${headerPrefix}-auth-token`]: workspaceToken,
  })
  const { apiKey, authToken = '' } = await workspace.call(createApiKey, {
    ownerEmail,
    type: 'testing',
    createAuthToken: true,
  })
  return {
    none,
    workspace,
    apiKey: none.with({ [`x-${headerPrefix}-api-key`]: apiKey, [`x-${headerPrefix}-auth-token`]: authToken }),
  }
}

/** Returns the API key that a client calls with. */
export const apiKeyOf = (client: Client): string => client.headers['x-service-api-key'] ?? ''
