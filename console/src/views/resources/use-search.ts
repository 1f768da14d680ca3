/** Filters the loaded rows by a part of the name or id, or finds the folder and the document with a full id anywhere. */
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { documentQuery } from '../../queries/documents.ts'
import { folderQuery, ROOT } from '../../queries/folders.ts'
import { fixedRows, type Rows } from '../../queries/rows.ts'
import { useKey } from '../../session/use-session.ts'
import { documentResource, folderResource, type Resource } from './resource.ts'

export interface Search {
  rows: Rows<Resource>
  typed: string
  /** The full id that was searched everywhere; empty without such a search. */
  sought: string
  said: string
  type: (text: string) => void
  find: (id: string) => void
}

/** The filter loads at most this many rows. */
const LOOKED_THROUGH_MAX = 5_000

export function useSearch(organizationId: string, rows: Rows<Resource>): Search {
  const [typed, setTyped] = useState('')
  const [sought, find] = useState('')
  const found = useFound(organizationId, sought)
  const text = useDeferredValue(typed.trim().toLowerCase())
  const { want } = rows
  useEffect(() => {
    if (text !== '') want(0, LOOKED_THROUGH_MAX - 1)
  }, [text, want])
  const matching = useMemo(() => {
    if (text === '') return rows.kept
    return rows.kept.filter(({ id, name = '' }) => id.toLowerCase().includes(text) || name.toLowerCase().includes(text))
  }, [rows.kept, text])
  const loaded = rows.kept.length
  const said =
    sought !== ''
      ? `Searched the whole organization for this id.`
      : text === ''
        ? ''
        : `${matching.length.toLocaleString()} of ${loaded.toLocaleString()} loaded items match${rows.hasMore ? '; this folder has more' : ''}.`
  return {
    rows:
      sought !== ''
        ? found
        : text === ''
          ? rows
          : fixedRows(matching, { error: rows.error, isFetching: rows.isReading }),
    typed,
    sought,
    said,
    type(text) {
      setTyped(text)
      find('')
    },
    find,
  }
}

function useFound(organizationId: string, id: string): Rows<Resource> {
  const key = useKey()
  const folder = useQuery({ ...folderQuery(key, organizationId, id), enabled: id !== '' && id !== ROOT })
  const document = useQuery({ ...documentQuery(key, organizationId, id), enabled: id !== '' })
  return fixedRows(
    [
      ...(folder.data ? [folderResource(folder.data)] : []),
      ...(document.data ? [documentResource(document.data)] : []),
    ],
    { error: folder.error ?? document.error, isFetching: folder.isFetching || document.isFetching },
  )
}
