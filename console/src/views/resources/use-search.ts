/** Filters the loaded rows by a part of the name or id, or finds the folder and the document with a full id anywhere. */
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { documentQuery } from '../../queries/documents.ts'
import { folderQuery, ROOT } from '../../queries/folders.ts'
import { type Rows, staticRows } from '../../queries/rows.ts'
import { useKey } from '../../session/use-session.ts'
import { documentResource, folderResource, type Resource } from './resource.ts'

interface Search {
  rows: Rows<Resource>
  typed: string
  /** The full id that was searched everywhere; empty without such a search. */
  searchedId: string
  status: string
  type: (text: string) => void
  find: (id: string) => void
}

/** The filter loads at most this many rows. */
const SCAN_MAX = 5_000

export function useSearch(organizationId: string, rows: Rows<Resource>): Search {
  const [typed, setTyped] = useState('')
  const [searchedId, find] = useState('')
  const found = useIdSearch(organizationId, searchedId)
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
    searchedId !== ''
      ? `Searched the whole organization for this id.`
      : text === ''
        ? ''
        : `${matching.length.toLocaleString()} of ${loaded.toLocaleString()} loaded items match${rows.hasMore ? '; this folder has more' : ''}.`
  return {
    rows:
      searchedId !== ''
        ? found
        : text === ''
          ? rows
          : staticRows(matching, { error: rows.error, isFetching: rows.isLoading }),
    typed,
    searchedId,
    status,
    type(text) {
      setTyped(text)
      find('')
    },
    find,
  }
}

function useIdSearch(organizationId: string, id: string): Rows<Resource> {
  const key = useKey()
  const folder = useQuery({ ...folderQuery(key, organizationId, id), enabled: id !== '' && id !== ROOT })
  const document = useQuery({ ...documentQuery(key, organizationId, id), enabled: id !== '' })
  return staticRows(
    [
      ...(folder.data ? [folderResource(folder.data)] : []),
      ...(document.data ? [documentResource(document.data)] : []),
    ],
    { error: folder.error ?? document.error, isFetching: folder.isFetching || document.isFetching },
  )
}
