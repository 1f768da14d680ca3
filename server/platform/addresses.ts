/** Which addresses of the network are out in the world, and which lead inside: to this machine, its network or its provider. */
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** Unicast by its range, and yet inside: what a provider answers to its own machines alone. */
const OF_PROVIDERS = new Set(['168.63.129.16'])

/** All that is given out of IPv6; whatever else looks like an address there is a form of something else. */
const GIVEN_OUT: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]
/** IPv4 behind a translator (RFC 6052): a public address in an IPv6-only network. */
const TRANSLATED: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96]

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !OF_PROVIDERS.has(address.toString())
}

/** The IPv4 address that an IPv6 address stands for, where such a thing is of use. */
function carriedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  return address.match(TRANSLATED) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : undefined
}

/** Whether an address, as the resolver or a URL has it, is out in the world. Anything that is not plainly so is not. */
export function isPublicAddress(text: string): boolean {
  if (text.includes('%') || isIP(text) === 0) return false
  const address = ipaddr.parse(text)
  if (address instanceof ipaddr.IPv4) return isPublicIPv4(address)
  const carried = carriedIPv4(address)
  if (carried !== undefined) return isPublicIPv4(carried)
  return address.range() === 'unicast' && address.match(GIVEN_OUT)
}

/** Whether an address is one of this machine's own, which a public one can be too. */
export function isOwnAddress(text: string): boolean {
  const address = ipaddr.process(text).toString()
  return Object.values(networkInterfaces()).some((all = []) =>
    all.some((own) => ipaddr.process(own.address.replace(/%.*/, '')).toString() === address),
  )
}

/** The address that stands in the host of a URL, without brackets; undefined for a name. */
export function addressInHost(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) !== 0 || bare.includes(':') ? bare : undefined
}
