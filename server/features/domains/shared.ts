/** Exports of the domain feature for other features. */
export { allowsOrigin, LOCAL_HOSTS, normalizeDomains } from './hosts.ts'
