/** E-mail addresses: which are equal, and which can get mail (rules/data.md#addresses). */
import { domainToAscii } from './domain-ascii.ts'

/**
 * Returns an e-mail address, or the domain of one, as it is compared: A to Z become a to z, and everything else stays.
 * Unicode folds more, such as the Kelvin sign to `k`: with that, somebody else's address would count as one's own.
 * `foldedInSql` in `server/tenancy/addresses.ts` does the same in SQL.
 */
export const foldedAddress = (address: string): string => address.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** The part before the @ that servers accept without quotes. */
const LOCAL = /^[^\s@"(),:;<>[\\\]\p{C}]{1,64}$/u
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Returns whether labels are those of a name of the DNS. One that ends with a number is an IP address, to which no mail is sent. */
const isNameOf = (labels: readonly string[]): boolean =>
  labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')

/** Returns whether an address names one mailbox of one domain and nothing else. No mail is sent to any other. */
export function isMailAddress(address: string): boolean {
  const [local = '', domain = '', ...more] = address.split('@')
  const labels = domainToAscii(domain).split('.')
  const isDomain = /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) && isNameOf(labels)
  return more.length === 0 && LOCAL.test(local) && !/^\.|\.\.|\.$/.test(local) && isDomain && address.length <= 254
}

/**
 * Returns the domain of an e-mail address, or a domain, as the DNS has it: `example.com` of `ada@Example.COM`. Undefined if
 * it has no domain of at least two labels.
 */
export function dnsDomainOf(text: string): string | undefined {
  const domain = domainToAscii(
    text
      .slice(text.lastIndexOf('@') + 1)
      .trim()
      .replace(/\.$/, ''),
  )
  return domain.length <= 253 && isNameOf(domain.split('.')) ? domain : undefined
}
