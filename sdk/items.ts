/** The outcomes of calls on several items: which items were found, and the error of each item that failed. */
import type { ItemResult } from './generated/operations.ts'

/**
 * Returns whether an entry of a list is a record, and not the outcome of an id that was not found.
 * @example
 * const documents = (await client.documents.get({ organizationId: 'acme', documentIds })).filter(isFound)
 */
export const isFound = <Found extends object>(entry: Found | ItemResult): entry is Found =>
  !('success' in entry) || 'disabled' in entry // a field of metadata may be called `success`

/** An item that failed. */
export interface FailedItem extends ItemResult {
  /** The id of the item in the call. */
  id: string
}

const SHOWN_MAX = 5

/** Thrown with the option `throwOnItemFailure` if items of a call failed. The call itself succeeded, for the other items. */
export class ItemFailureError extends Error {
  override readonly name = 'ItemFailureError'
  /** The method that was called: `documents.add`. */
  readonly operation: string
  /** The items that failed. */
  readonly items: readonly FailedItem[]
  /** The result of the call without the option: the outcomes of all items. */
  readonly result: unknown

  constructor(operation: string, items: readonly FailedItem[], result: object) {
    const shown = items
      .slice(0, SHOWN_MAX)
      .map(({ id, code, message }) => `${JSON.stringify(id)} (${code}): ${message}`)
    const more = items.length > SHOWN_MAX ? ` And ${items.length - SHOWN_MAX} more.` : ''
    super(`${operation}: ${items.length} of ${Object.keys(result).length} items failed. ${shown.join(' ')}${more}`)
    this.operation = operation
    this.items = items
    this.result = result
  }
}

/** Throws an error if items of a call failed. Results contain items by their ids, or in a list. */
export function throwIfItemsFailed(operation: string, result: object): void {
  const isList = Array.isArray(result)
  const items = Object.entries<ItemResult>(result as Record<string, ItemResult>)
    .filter(([, item]) => (isList ? !isFound(item) : !item.success))
    .map(([key, item]) => ({ ...item, id: isList ? String(item.id) : key }))
  if (items.length > 0) throw new ItemFailureError(operation, items, result)
}
