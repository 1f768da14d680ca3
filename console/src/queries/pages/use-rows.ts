/**
 * Loads a list of any length page by page. Visible pages are loaded, and refetched after a change. Some pages around
 * them are kept; of all other pages only the token is kept. So a list of a million rows is as fast as a short one, and
 * needs as little memory.
 */
import { hashKey, useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { isComplete, type KnownPages, NO_PAGES, pageOfRow, pagesOfRows, recordPage, rowCount } from './known-pages.ts'
import { useOwnChanges } from './own-changes.ts'
import { type PageOfRows, type PagesQuery, pageQuery } from './pages.ts'
import type { Rows } from './rows.ts'

/** On both sides of the visible rows. */
const ROWS_AROUND = 5_000

interface ListState {
  /** The list that the state belongs to. */
  list: string
  pages: KnownPages
  /** The visible pages. */
  from: number
  to: number
}

const initialState = (list: string): ListState => ({ list, pages: NO_PAGES, from: 0, to: 0 })

interface PagedRows<Row> extends Rows<Row> {
  refetch: () => Promise<unknown>
}

export function useRows<Row>(query: PagesQuery<Row>): PagedRows<Row> {
  const list = hashKey(query.queryKey)
  const ownChanges = useOwnChanges()
  const [state, setState] = useState(() => initialState(list))
  const current = state.list === list ? state : initialState(list)
  const { pages, from } = current
  const visible = useQueries({ queries: pages.slice(from, current.to + 1).map(({ token }) => pageQuery(query, token)) })
  const updated = updatePages(current, visible)
  if (state.list !== list || updated !== pages) setState({ ...current, pages: updated })

  const request = useCallback(
    (first: number, last: number) => {
      const { from, to } = pagesOfRows(updated, first, last)
      setState((before) =>
        before.list !== list || (before.from === from && before.to === to) ? before : { ...before, from, to },
      )
    },
    [list, updated],
  )
  const { loaded, pageOf } = useLoadedPages(query, { ...current, pages: updated }, visible)
  return {
    count: rowCount(updated),
    hasMore: !isComplete(updated),
    at(index) {
      const nth = pageOfRow(updated, index)
      const page = updated[nth]
      return page && pageOf(nth)?.rows[index - page.first]
    },
    loaded,
    request,
    error: visible.find(({ error }) => error !== null)?.error ?? null,
    isLoading: visible.some(({ data, isFetching }) => data === undefined && isFetching),
    source: { list, ownChanges, isFetching: visible.some(({ isFetching }) => isFetching) },
    refetch: () => Promise.all(visible.map(({ refetch }) => refetch())),
  }
}

function updatePages<Row>(
  { pages, from }: ListState,
  visible: readonly { data: PageOfRows<Row> | undefined }[],
): KnownPages {
  let updated = pages
  for (const [nth, { data }] of visible.entries()) {
    // The next page now starts elsewhere than the one that was loaded.
    if (updated[from + nth]?.token !== pages[from + nth]?.token) break
    if (data !== undefined) updated = recordPage(updated, from + nth, data.rows.length, data.next)
  }
  return updated
}

/** Keeps the pages around the visible ones, and drops those further away. */
function useLoadedPages<Row>(
  query: PagesQuery<Row>,
  { list, pages, from, to }: ListState,
  visible: readonly { data: PageOfRows<Row> | undefined; dataUpdatedAt: number }[],
) {
  const client = useQueryClient()
  const pageOf = (nth: number): PageOfRows<Row> | undefined =>
    visible[nth - from]?.data ?? client.getQueryData(pageQuery(query, pages[nth]?.token).queryKey)
  const { first = 0 } = pages[from] ?? {}
  const { first: end = 0, length = 0 } = pages[Math.min(to, pages.length - 1)] ?? {}
  const around = pagesOfRows(pages, first - ROWS_AROUND, end + length + ROWS_AROUND)
  const before = useRef({ list, pages, ...around })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query follows from the list
  useEffect(() => {
    const { pages: formerly, ...last } = before.current
    if (last.list === list)
      for (let nth = last.from; nth <= last.to; nth++)
        if (nth < around.from || nth > around.to)
          client.removeQueries({
            queryKey: pageQuery(query, formerly[nth]?.token).queryKey,
            exact: true,
            type: 'inactive',
          })
    before.current = { list, pages, ...around }
  }, [client, list, pages, around.from, around.to])
  const version = visible.map(({ dataUpdatedAt }) => dataUpdatedAt).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows depend on the listed values only
  const loaded = useMemo(() => {
    const rows: Row[] = []
    for (let nth = around.from; nth <= around.to; nth++) rows.push(...(pageOf(nth)?.rows ?? []))
    return rows
  }, [list, pages, around.from, around.to, version])
  return { loaded, pageOf }
}
