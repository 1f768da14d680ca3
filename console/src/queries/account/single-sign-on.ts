/** Queries and mutations of single sign-on; only for sessions of the workspace. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { TestSsoConfigData, UpdateSsoConfigData, VerifySsoDomainData } from '#sdk/generated/operations.ts'
import { workspace } from '../../session/session.ts'

const SSO_CONFIG = ['workspace', 'sso-config'] as const

export const ssoConfigQuery = queryOptions({
  queryKey: SSO_CONFIG,
  queryFn: ({ signal }) => workspace.ssoConfig.get({}, { signal }),
})

export const updateSsoConfig = mutationOptions({
  mutationFn: (data: UpdateSsoConfigData) => workspace.ssoConfig.update(data),
  meta: { invalidates: [SSO_CONFIG] },
})

/** Calls the provider with settings that need not be saved. */
export const testSsoConfig = mutationOptions({
  mutationFn: (data: TestSsoConfigData) => workspace.ssoConfig.test(data),
})

export const verifySsoDomain = mutationOptions({
  mutationFn: (data: VerifySsoDomainData) => workspace.ssoDomains.verify(data),
  meta: { invalidates: [SSO_CONFIG] },
})
