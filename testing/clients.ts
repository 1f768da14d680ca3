/** Creates clients of the SDK for the credentials that tests have as headers. */
import assert from 'node:assert/strict'
import {
  CommonholdError,
  createClient,
  createPublicClient,
  createWorkspaceClient,
  type SharedOptions,
} from '#sdk/index.ts'
import type { Client as Headers } from './client.ts'

const header = ({ headers }: Headers, name: string): string => headers[`x-service-${name}`] ?? ''

export const apiKeyClient = (url: string, key: Headers, options: SharedOptions = {}) =>
  createClient({ url, apiKey: header(key, 'api-key'), authToken: header(key, 'auth-token'), ...options })

export const workspaceClient = (url: string, workspace: Headers) =>
  createWorkspaceClient({
    url,
    workspaceId: header(workspace, 'workspace-id'),
    workspaceToken: header(workspace, 'auth-token'),
  })

export const publicClient = (url: string) => createPublicClient({ url })

/** Returns the error with which a call fails. */
export async function failureOf(call: Promise<unknown>): Promise<CommonholdError> {
  const error = await call.then(
    () => assert.fail('it succeeded'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof CommonholdError, String(error))
  return error
}
