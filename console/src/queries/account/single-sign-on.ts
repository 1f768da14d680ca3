/** Queries and mutations of single sign-on; only for sessions of the workspace. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { UpdateSsoConfigData } from '#sdk/generated/operations.ts'
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
