/** What other features use of allowed domains. */
export { allowsOrigin, LOCAL_HOSTS, normalizeDomains } from './hosts.ts'
