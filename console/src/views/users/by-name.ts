/** The order of the resources that a user has access to. */
import { useMemo } from 'react'
import { ROWS_MAX } from '../../components/tables/steady-rows.ts'
import type { Rows } from '../../queries/pages/rows.ts'
import type { NamedResource } from '../../queries/resources/resource-names.ts'

const collator = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

const KINDS: readonly NamedResource['type'][] = ['organization', 'folder', 'document']

const compare = (one: NamedResource, other: NamedResource): number =>
  KINDS.indexOf(one.type) - KINDS.indexOf(other.type) || collator.compare(one.name ?? one.id, other.name ?? other.id)

/**
 * Sorts a list that is loaded as a whole by kind and name. A longer one stays in the order of the server, which is that of keys
 * that never change (ADR 0014): its next page could belong anywhere.
 */
export function useByName(rows: Rows<NamedResource>): Rows<NamedResource> {
  const { loaded, count, hasMore } = rows
  const isWhole = !hasMore && loaded.length === count && count <= ROWS_MAX
  const sorted = useMemo(() => (isWhole ? loaded.toSorted(compare) : loaded), [isWhole, loaded])
  return isWhole ? { ...rows, loaded: sorted, at: (index) => sorted[index] } : rows
}
