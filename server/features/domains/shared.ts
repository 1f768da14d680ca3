/** Exports of the domain feature for other features. */
export { allowableDomains, allowsOrigin, LOCAL_HOSTS } from './hosts.ts'
