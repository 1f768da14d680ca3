/**
 * Loads a list of any length page by page. Visible pages are loaded, and refetched after a change; some around them are
 * kept; of all others only the token is kept. So a list of a million rows is as fast and as light as a short one.
 */
import { hashKey, useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type Chain, countOf, isWhole, pagesAt, pageWith, START, settle } from './page-chain.ts'
import { type PagesQuery, pageQuery, type RowsOfPage } from './pages.ts'
import type { Rows } from './rows.ts'

/** On both sides of the visible rows. */
const ROWS_KEPT = 5_000

interface Known {
  /** The list that the state belongs to. */
  list: string
  chain: Chain
  /** The visible pages. */
  from: number
  to: number
}

const begin = (list: string): Known => ({ list, chain: START, from: 0, to: 0 })

export interface PagedRows<Row> extends Rows<Row> {
  refetch: () => Promise<unknown>
}

export function useRows<Row>(query: PagesQuery<Row>): PagedRows<Row> {
  const list = hashKey(query.queryKey)
  const [state, setState] = useState(() => begin(list))
  const known = state.list === list ? state : begin(list)
  const { chain, from } = known
  const seen = useQueries({ queries: chain.slice(from, known.to + 1).map(({ token }) => pageQuery(query, token)) })
  const settled = settledBy(known, seen)
  if (state.list !== list || settled !== chain) setState({ ...known, chain: settled })

  const want = useCallback(
    (first: number, last: number) => {
      const { from, to } = pagesAt(settled, first, last)
      setState((before) =>
        before.list !== list || (before.from === from && before.to === to) ? before : { ...before, from, to },
      )
    },
    [list, settled],
  )
  const { kept, pageOf } = useKept(query, { ...known, chain: settled }, seen)
  return {
    count: countOf(settled),
    hasMore: !isWhole(settled),
    at(index) {
      const nth = pageWith(settled, index)
      const page = settled[nth]
      return page && pageOf(nth)?.rows[index - page.first]
    },
    kept,
    want,
    error: seen.find(({ error }) => error !== null)?.error ?? null,
    isReading: seen.some(({ data, isFetching }) => data === undefined && isFetching),
    refetch: () => Promise.all(seen.map(({ refetch }) => refetch())),
  }
}

function settledBy<Row>({ chain, from }: Known, seen: readonly { data: RowsOfPage<Row> | undefined }[]): Chain {
  let settled = chain
  for (const [nth, { data }] of seen.entries()) {
    // The next page now starts elsewhere than the one that was loaded.
    if (settled[from + nth]?.token !== chain[from + nth]?.token) break
    if (data !== undefined) settled = settle(settled, from + nth, data.rows.length, data.next)
  }
  return settled
}

/** Keeps the pages around the visible ones, and drops those further away. */
function useKept<Row>(
  query: PagesQuery<Row>,
  { list, chain, from, to }: Known,
  seen: readonly { data: RowsOfPage<Row> | undefined; dataUpdatedAt: number }[],
) {
  const client = useQueryClient()
  const pageOf = (nth: number): RowsOfPage<Row> | undefined =>
    seen[nth - from]?.data ?? client.getQueryData(pageQuery(query, chain[nth]?.token).queryKey)
  const { first = 0 } = chain[from] ?? {}
  const { first: end = 0, length = 0 } = chain[Math.min(to, chain.length - 1)] ?? {}
  const around = pagesAt(chain, first - ROWS_KEPT, end + length + ROWS_KEPT)
  const before = useRef({ list, chain, ...around })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query follows from the list
  useEffect(() => {
    const { chain: formerly, ...last } = before.current
    if (last.list === list)
      for (let nth = last.from; nth <= last.to; nth++)
        if (nth < around.from || nth > around.to)
          client.removeQueries({
            queryKey: pageQuery(query, formerly[nth]?.token).queryKey,
            exact: true,
            type: 'inactive',
          })
    before.current = { list, chain, ...around }
  }, [client, list, chain, around.from, around.to])
  const version = seen.map(({ dataUpdatedAt }) => dataUpdatedAt).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows depend on the listed values only
  const kept = useMemo(() => {
    const rows: Row[] = []
    for (let nth = around.from; nth <= around.to; nth++) rows.push(...(pageOf(nth)?.rows ?? []))
    return rows
  }, [list, chain, around.from, around.to, version])
  return { kept, pageOf }
}
