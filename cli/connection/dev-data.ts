/** The initial data of a development server: a workspace, a key, a token, and the calls of a seed file. */

import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { OPERATIONS, operationNamed } from '#contract/operations.ts'
import { createClient, createPublicClient, createWorkspaceClient } from '#sdk/client.ts'
import { wrongUsage } from '../failures.ts'
import { io } from '../terminal/io.ts'
import { readJson } from '../text-files.ts'
import { call } from './calls.ts'
import { connect } from './connection.ts'

/** The environment variables that the client and this program read. */
export interface DevEnvironment {
  COMMONHOLD_URL: string
  COMMONHOLD_API_KEY: string
  COMMONHOLD_AUTH_TOKEN: string
  COMMONHOLD_WORKSPACE_ID: string
  COMMONHOLD_WORKSPACE_TOKEN: string
  /** Marks the server as one for development, which test helpers may use. */
  COMMONHOLD_DEV: 'true'
}

const OWNER = 'dev@example.com'

/** In the folder of `--persist`, so that the next start has the same credentials. */
const CREDENTIALS_FILE = 'dev-credentials.json'

/** Returns the credentials of an earlier start in this folder, or creates them. */
export async function credentialsOf(url: string, folder: string): Promise<DevEnvironment> {
  const file = path.join(folder, CREDENTIALS_FILE)
  if (existsSync(file)) return { ...(readJson(file) as DevEnvironment), COMMONHOLD_URL: url }
  const workspace = await createPublicClient({ url }).workspaces.create({
    ownerEmail: OWNER,
    workspaceName: 'Development',
  })
  const owner = createWorkspaceClient({ url, workspaceId: workspace.id, workspaceToken: workspace.authToken })
  const { apiKey, authToken = '' } = await owner.apiKeys.create({
    ownerEmail: OWNER,
    apiKeyName: 'Development',
    type: 'testing',
    createAuthToken: true,
    addLocalHostToAllowedDomains: true,
  })
  const environment: DevEnvironment = {
    COMMONHOLD_URL: url,
    COMMONHOLD_API_KEY: apiKey,
    COMMONHOLD_AUTH_TOKEN: authToken,
    COMMONHOLD_WORKSPACE_ID: workspace.id,
    COMMONHOLD_WORKSPACE_TOKEN: workspace.authToken,
    COMMONHOLD_DEV: 'true',
  }
  await createClient({ url, apiKey, authToken }).advancedWebhookConfig.update({ isEnabled: true })
  writeFileSync(file, JSON.stringify(environment), { mode: 0o600 })
  return environment
}

interface Step {
  operation: string
  data: object
}

/** Reads a list of calls in JSON: `[{ "operation": "organizations.add", "data": { … } }]`. */
export function readSeed(file: string): Step[] {
  let value: unknown
  try {
    value = readJson(file)
  } catch (error) {
    throw wrongUsage(`${file} cannot be used as a seed: ${(error as Error).message}.`)
  }
  const next =
    'It must be a list such as [{"operation": "organizations.add", "data": {"organizations": [{"organizationId": "acme"}]}}].'
  if (!Array.isArray(value)) throw wrongUsage(`${file} cannot be used as a seed: it is not a list.`, next)
  for (const [index, step] of (value as Partial<Step>[]).entries())
    if (!OPERATIONS.some(({ name }) => name === step?.operation))
      throw wrongUsage(`${file} cannot be used as a seed: step ${index + 1} names no operation.`, next)
  return value as Step[]
}

export async function applySeed(steps: readonly Step[], environment: DevEnvironment): Promise<void> {
  const connection = connect({}, { ...environment, COMMONHOLD_CONFIG: io().env.COMMONHOLD_CONFIG })
  for (const { operation, data } of steps) await call(connection, operationNamed(operation), data)
}
