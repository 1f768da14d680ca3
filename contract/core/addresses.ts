/** E-mail addresses: which are equal, and which can get mail (rules/data.md#addresses). */

/**
 * Returns an e-mail address, or the domain of one, as it is compared: A to Z become a to z, and everything else stays.
 * Unicode folds more characters, such as the Kelvin sign to `k`: then the address of a stranger would equal another
 * person's address. `foldedInSql` in `server/tenancy/addresses.ts` does the same in SQL.
 */
export const foldedAddress = (address: string): string => address.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** The part before the @ that servers accept without quotes. */
const LOCAL = /^[^\s@"(),:;<>[\\\]\p{C}]{1,64}$/u
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Returns a domain as the DNS has it; undefined if it is not a name of at least two labels. A domain that ends with a
 * number is an IP address, to which no mail is sent. Of `example.com/a`, the URL parser would use only the part before
 * the slash.
 */
function nameInDns(domain: string): string | undefined {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain)) return undefined
  const name = domainToAscii(domain)
  const labels = name.split('.')
  const isName = labels.length > 1 && name.length <= 253 && labels.every((label) => LABEL.test(label))
  return isName && !/^\d+$/.test(labels.at(-1) ?? '') ? name : undefined
}

/**
 * Returns whether the DNS replaces no character of a domain but A to Z. It would replace fullwidth letters and the Kelvin
 * sign by others, and drop invisible ones, so that a thousand spellings lead to one mailbox: each would be counted as an
 * address of its own where mails to an address are limited.
 */
function isAsInDns(domain: string): boolean {
  const folded = foldedAddress(domain)
  return !/\p{Default_Ignorable_Code_Point}/u.test(folded) && folded === folded.normalize('NFKC').toLowerCase()
}

/** The requirement for a field with an address to which mail is sent. */
export const MUST_BE_MAIL_ADDRESS = 'must be an address that can get mail, such as ada@example.com'

/** Returns whether an address names one mailbox of one domain and nothing else. No mail is sent to any other. */
export function isMailAddress(address: string): boolean {
  const [local = '', domain = '', ...more] = address.split('@')
  const isMailbox = LOCAL.test(local) && !/^\.|\.\.|\.$/.test(local)
  const isDomain = isAsInDns(domain) && nameInDns(domain) !== undefined
  return more.length === 0 && isMailbox && isDomain && address.length <= 254
}

/** Returns whether mail addresses can have this domain. */
export const isMailDomain = (domain: string): boolean => nameInDns(domain) !== undefined

/**
 * Returns the domain of an e-mail address, or a domain, as the DNS has it: `example.com` of `ada@Example.COM`. Undefined if
 * it has no domain of at least two labels.
 */
export const dnsDomainOf = (text: string): string | undefined =>
  nameInDns(
    text
      .slice(text.lastIndexOf('@') + 1)
      .trim()
      .replace(/\.$/, ''),
  )

/** Returns a domain in lower case and with Punycode for other letters; empty: it is no domain. */
export function domainToAscii(domain: string): string {
  // A setter that refuses its value keeps the previous one.
  for (const other of ['a', 'b']) {
    const url = new URL(`ws://${other}`)
    url.hostname = domain
    if (url.hostname !== other) return url.hostname
  }
  return ''
}
