/** E-mail addresses: how SQL compares them, and the refusal of addresses that cannot get mail (rules/data.md#addresses). */
import { isMailAddress, MUST_BE_MAIL_ADDRESS } from '#contract/core/addresses.ts'
import { invalidArgument } from '#platform/status-error.ts'

/** SQL: an address as it is compared, like `foldedAddress` of the contract: in the collation "C", `lower` changes A to Z alone. */
export const foldedInSql = (address: string): string => `lower(${address} collate "C")`

/** Refuses an address that no mail can be sent to, where the call is about writing to it. */
export function requireMailAddress(field: string, address: string): void {
  if (isMailAddress(address)) return
  throw invalidArgument([{ field, message: `${field} ${MUST_BE_MAIL_ADDRESS}` }])
}
