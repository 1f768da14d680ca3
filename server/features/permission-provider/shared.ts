/** Exports of the permission provider feature for other features. */
export type { AskedResource, ProvidedGrant } from './answer.ts'
export { ProviderFailed } from './answer.ts'
export { createPermissionProviders, type Provider } from './provider.ts'
