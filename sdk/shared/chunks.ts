/** Splits lists that are too long for one call. */

/** The limit of the API for the items of one call. */
export const ITEMS_MAX = 1_000

/** Splits items into lists that fit into one call each. */
export const chunks = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / ITEMS_MAX) }, (_, nth) =>
    items.slice(nth * ITEMS_MAX, (nth + 1) * ITEMS_MAX),
  )
