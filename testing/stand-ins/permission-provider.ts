/** A permission provider for tests: a receiver that answers questions, and an API key with a user whose access it is asked about. */

import { updatePermissionProviderConfig } from '#contract/access/permission-provider.ts'
import type { ResourceName } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { cleanUp } from '../clean-up.ts'
import type { Client } from '../client.ts'
import type { TestServer } from '../server.ts'
import { type Received, type Receiver, type Reply, startReceiver } from './receiver.ts'

/** A resource in a question to the provider. */
export interface AskedResource {
  type: 'organization' | 'folder' | 'document'
  id: string
  organizationId: string
  parentFolderId?: string
  source: string
}

/** The provider's answer about a resource, in the form of the protocol. */
export interface Verdict {
  hasAccess: boolean
  accessRole?: unknown
  expiresAt?: unknown
}

export const askedIn = ({ json }: Received): { userId: string; resource: AskedResource }[] => json.data.requests

/** Returns the entries of an answer. */
export const entriesFor = (received: Received, verdict: (resource: AskedResource) => Verdict): object[] =>
  askedIn(received).map(({ userId, resource }) => {
    const { id: resourceId, type, organizationId } = resource
    return { userId, resourceId, type, organizationId, ...verdict(resource) }
  })

/** Returns a response with these entries; `more` replaces fields beside them. */
export const responseWith = (data: unknown, more: object = {}): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ data, success: true, statusCode: 200, ...more }),
})

export const PROVIDER_TOKEN = 'a-token-that-the-provider-recognizes'

export interface AskingUser {
  /** Calls with an auth token. */
  key: Client
  /** Calls with the user token of ada. */
  ada: Client
  provider: Receiver
  /** Returns the pairs that the provider was asked about, request by request. */
  asked(): string[][]
}

/** A document in a folder, in an organization that everybody needs a grant for. */
export const ROADMAP = { type: 'document', id: 'roadmap', organizationId: 'acme' } as const satisfies ResourceName
export const ACME = { type: 'organization', id: 'acme' } as const satisfies ResourceName

export async function userOf(key: Client, userId = 'ada'): Promise<Client> {
  const { token } = await key.call(generateToken, { userId })
  return key.with({ authorization: `Bearer ${token}` })
}

/** Starts a provider that answers as `verdict` says, for a new API key with the document ROADMAP. */
export async function startAskingUser(
  server: TestServer,
  verdict: (resource: AskedResource) => Verdict = () => ({ hasAccess: true }),
): Promise<AskingUser> {
  const key = await server.newKey()
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await key.call(addFolders, { organizationId: 'acme', createOrganization: true, folders: [{ folderId: 'plans' }] })
  await key.call(addDocuments, { organizationId: 'acme', folderId: 'plans', documents: [{ documentId: 'roadmap' }] })
  const provider = await startReceiver((received) => responseWith(entriesFor(received, verdict)))
  cleanUp(() => provider.close())
  await key.call(updatePermissionProviderConfig, {
    usePermissionProvider: true,
    permissionProviderConfig: { permissionProviderUrl: provider.url, authToken: PROVIDER_TOKEN },
  })
  const asked = () =>
    provider.received.map((one) => askedIn(one).map(({ resource }) => `${resource.type} ${resource.id}`))
  return { key, ada: await userOf(key), provider, asked }
}
