/** Creates the workspace with its two API keys: one for the company, and one with almost the same settings. */
import { randomBytes } from 'node:crypto'
import {
  type Client,
  createClient,
  createPublicClient,
  createWorkspaceClient,
  type PublicClientOptions,
} from '#sdk/index.ts'
import { inDays } from './fill.ts'

export interface Demo {
  workspaceId: string
  workspaceToken: string
  apiKey: string
  authToken: string
  /** The key of production, which has settings and no data. */
  productionKey: string
  /** Clients with the API key of the company. */
  client: Client
}

const DAY_SECONDS = 86_400
const SETTINGS = { expiringSoonSeconds: 7 * DAY_SECONDS, userTokenLifetimeSeconds: DAY_SECONDS }

export async function createDemo({ signupToken, ...server }: PublicClientOptions): Promise<Demo> {
  // An address can own only a few workspaces, so each run uses another one.
  const ownerEmail = `ines.moreau+${randomBytes(4).toString('hex')}@example.com`
  const { id, authToken, apiKeyList } = await createPublicClient({ ...server, signupToken }).workspaces.create({
    ownerEmail,
    name: 'Inès Moreau',
    workspaceName: 'Larkspur (demo)',
  })
  const owner = createWorkspaceClient({ ...server, workspaceId: id, workspaceToken: authToken })
  const [apiKey = ''] = Object.keys(apiKeyList)
  await owner.apiKeys.update({ apiKey, apiKeyName: 'Larkspur testing' })
  const { authToken: own } = await owner.authTokens.create({ apiKey, name: 'demo' })
  await owner.authTokens.create({ apiKey, name: 'reporting', scopes: ['read'], expiresAt: inDays(90) })
  const { authToken: revoked } = await owner.authTokens.create({ apiKey, name: 'nightly import' })
  await owner.authTokens.revoke({ apiKey, authTokenId: revoked.id })
  const other = await owner.apiKeys.create({
    ownerEmail,
    type: 'production',
    planInfo: { type: 'production' },
    apiKeyName: 'Larkspur production',
    createAuthToken: true,
  })

  const client = createClient({ ...server, apiKey, authToken: own.token })
  await client.keyConfig.update({ ...SETTINGS, defaultDocumentAccessType: 'restricted' })
  await client.domains.add({ domains: ['app.example.com', 'staging.example.com', 'localhost'] })
  await client.emailConfig.update({ emailServiceConfig: { fromCompany: 'Larkspur Bicycles' } })

  const production = createClient({ ...server, apiKey: other.apiKey, authToken: other.authToken ?? '' })
  await production.keyConfig.update({
    ...SETTINGS,
    defaultDocumentAccessType: 'public',
    requireKnownResources: true,
  })
  await production.domains.add({ domains: ['app.example.com'] })
  await production.emailConfig.update({ emailServiceConfig: { fromCompany: 'Larkspur Bicycles' } })
  return {
    workspaceId: id,
    workspaceToken: authToken,
    apiKey,
    authToken: own.token,
    productionKey: other.apiKey,
    client,
  }
}
