/** Filters the loaded rows by a part of the name or id, or searches the whole organization. */
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { type Rows, staticRows } from '../../queries/rows.ts'
import { foundResourcesQuery } from '../../queries/search.ts'
import { useKey } from '../../session/use-session.ts'
import { documentResource, folderResource, type Resource } from './resource.ts'

interface Search {
  rows: Rows<Resource>
  typed: string
  /** What was searched everywhere; empty without such a search. */
  searched: string
  status: string
  type: (text: string) => void
  find: (text: string) => void
}

/** The filter loads at most this many rows. */
const SCAN_MAX = 5_000

export function useSearch(organizationId: string, rows: Rows<Resource>): Search {
  const [typed, setTyped] = useState('')
  const [searched, find] = useState('')
  const found = useFoundRows(organizationId, searched)
  const text = useDeferredValue(typed.trim().toLowerCase())
  const { request } = rows
  useEffect(() => {
    if (text !== '') request(0, SCAN_MAX - 1)
  }, [text, request])
  const matching = useMemo(() => {
    if (text === '') return rows.loaded
    return rows.loaded.filter(
      ({ id, name = '' }) => id.toLowerCase().includes(text) || name.toLowerCase().includes(text),
    )
  }, [rows.loaded, text])
  const loaded = rows.loaded.length
  const status =
    searched !== ''
      ? 'Searched the whole organization by name and id.'
      : text === ''
        ? ''
        : `${matching.length.toLocaleString()} of ${loaded.toLocaleString()} loaded items match${rows.hasMore ? '; this folder has more' : ''}.`
  return {
    rows:
      searched !== ''
        ? found
        : text === ''
          ? rows
          : staticRows(matching, { error: rows.error, isFetching: rows.isLoading }),
    typed,
    searched,
    status,
    type(text) {
      setTyped(text)
      find('')
    },
    find,
  }
}

function useFoundRows(organizationId: string, text: string): Rows<Resource> {
  const { data, error, isFetching } = useQuery({
    ...foundResourcesQuery(useKey(), organizationId, text),
    enabled: text !== '',
  })
  const { folders = [], documents = [] } = data ?? {}
  return staticRows([...folders.map(folderResource), ...documents.map(documentResource)], { error, isFetching })
}
