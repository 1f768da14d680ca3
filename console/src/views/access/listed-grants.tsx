/** Shows grants that are not in the list of users with access: the grants of user groups on a resource, and expired grants. */
import { useNow } from '../../clock.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import type { Chain } from '../../queries/access/access.ts'
import { useScannedGrants } from '../../queries/access/use-scanned-grants.ts'
import type { Place } from './change/change.ts'
import type { PendingChange } from './change/change-dialog.tsx'
import { ExpiredGrants } from './expired-grants.tsx'
import { GroupGrants } from './group-grants.tsx'

interface ListedGrantsProps {
  place: Place
  chain: Chain['chain']
  onStart: (pending: PendingChange) => void
}

/** Returns the resources whose grants apply to the first resource of the chain. */
function applicableResources(chain: Chain['chain']): Chain['chain'] {
  const boundaryAt = chain.findIndex(({ boundary }) => boundary)
  const isOpenToMembers =
    (chain[boundaryAt]?.accessType ?? chain[boundaryAt]?.defaultAccessType) === 'organizationPrivate'
  return chain.filter(
    ({ type }, index) => boundaryAt < 0 || index <= boundaryAt || (isOpenToMembers && type === 'organization'),
  )
}

export function ListedGrants({ place, chain, onStart }: ListedGrantsProps) {
  useNow() // grants leave one list for the other when they expire
  const places = applicableResources(chain)
  const scan = useScannedGrants(
    place.organizationId,
    places.map(({ type, id }) => ({ type, id })),
  )
  if (scan.error !== null && scan.grants.length === 0) return <Failure error={scan.error} />
  return (
    <>
      <GroupGrants place={place} scan={scan} onStart={onStart} />
      <ExpiredGrants
        place={place}
        places={places}
        scan={scan}
        onGive={(principal) => onStart({ kind: 'give', principals: [principal] })}
      />
    </>
  )
}
