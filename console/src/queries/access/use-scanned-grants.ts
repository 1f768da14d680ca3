/** Scans the grants of an organization: the first pages automatically, more of them on request. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useKey } from '../../session/use-session.ts'
import { type ListedGrant, scannedGrantsQuery } from './access.ts'

/** A page has a thousand grants. This many pages are scanned automatically, and with each click. */
const PAGES_AT_ONCE = 5

export interface ScannedGrants {
  grants: readonly ListedGrant[]
  /** Other grants have not been scanned. */
  hasMore: boolean
  isScanning: boolean
  error: Error | null
  scanMore: () => void
}

/** Reads the grants of an organization, some pages at once; with `places`, none after the last of these. */
export function useScannedGrants(
  organizationId: string,
  places?: Parameters<typeof scannedGrantsQuery>[2],
): ScannedGrants {
  const [pagesMax, setPagesMax] = useState(PAGES_AT_ONCE)
  const query = scannedGrantsQuery(useKey(), organizationId, places)
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(query)
  const pages = data?.pages.length ?? 0
  const shouldContinue = hasNextPage && !isFetching && error === null && pages < pagesMax
  useEffect(() => {
    if (shouldContinue) void fetchNextPage()
  }, [shouldContinue, fetchNextPage])
  const grants = useMemo(() => (data?.pages ?? []).flatMap(({ data }) => data.grants), [data])
  return {
    grants,
    hasMore: hasNextPage,
    isScanning: isFetching || shouldContinue,
    error,
    scanMore: () => setPagesMax(pages + PAGES_AT_ONCE),
  }
}
