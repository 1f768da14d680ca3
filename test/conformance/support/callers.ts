/** A caller for each kind of credentials that an operation can take, on one server. */

import type { Credentials, Operation } from '#contract/core/operation.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { type Client, createClient } from '#testing/client.ts'

export type Callers = Record<Credentials, Client>

let signups = 0
const nextEmail = (): string => `caller${process.pid}.${++signups}@example.com`

/** Returns a caller without credentials, the owner of a new workspace, and a caller with a new API key of it. */
export const newCallers = (url: string): Promise<Callers> => callersFrom(createClient(url))

/** The same through a client without credentials. */
export async function callersFrom(none: Client, headerPrefix = 'service'): Promise<Callers> {
  const ownerEmail = nextEmail()
  const workspace = await newWorkspace(none, ownerEmail, headerPrefix)
  return { none, workspace, apiKey: await keyOf(workspace, ownerEmail, headerPrefix) }
}

/** Returns one new caller, with the credentials that an operation takes. Keys share workspaces, which they do not see. */
export async function callerOf(none: Client, { credentials }: Operation): Promise<Client> {
  return { none: () => none, workspace: () => newWorkspace(none), apiKey: () => none.newKey() }[credentials]()
}

async function newWorkspace(none: Client, ownerEmail = nextEmail(), headerPrefix = 'service'): Promise<Client> {
  const { id, authToken } = await none.call(createWorkspace, { ownerEmail })
  return none.with({ [`x-${headerPrefix}-workspace-id`]: id, [`x-${headerPrefix}-auth-token`]: authToken })
}

/** Creates another key of a workspace, and returns a caller with it. */
export async function keyOf(workspace: Client, ownerEmail = nextEmail(), headerPrefix = 'service'): Promise<Client> {
  const created = await workspace.call(createApiKey, { ownerEmail, type: 'testing', createAuthToken: true })
  const { apiKey, authToken = '' } = created
  return workspace.with({ [`x-${headerPrefix}-api-key`]: apiKey, [`x-${headerPrefix}-auth-token`]: authToken })
}

/** Returns the API key that a client calls with. */
export const apiKeyOf = (client: Client): string => client.headers['x-service-api-key'] ?? ''
