/** How an allowed domain is stored (rules/keys.md#allowed-domains). */
import { domainToAscii } from '../core/addresses.ts'

/** What a field must be that names an allowed domain. */
export const MUST_BE_HOST = 'must be a host such as example.com or *.example.com'

/**
 * Converts `https://WWW.Example.com:8443/a` to `example.com` and `https://*.example.com` to `*.example.com`. Returns
 * null if the text is not a host.
 */
export function normalizeDomain(text: string): string | null {
  const host = text
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:\d*$/, '')
    .replace(/\.$/, '')
  const wildcard = host.startsWith('*.')
  const bare = wildcard ? host.slice(2) : host.replace(/^www\./i, '') // `*.www.example.com` without www. would allow more hosts
  const ascii = bare === '' || bare.includes('*') ? '' : domainToAscii(bare)
  if (ascii === '' || ascii.length > 253) return null
  return wildcard ? `*.${ascii}` : ascii
}
