/** Simulates changes of access without making them (rules/access.md#simulations, ADR 0017). */
import type { ResourceName, ResourceType } from '#contract/access/permissions.ts'
import type { Simulation, simulatePermissions } from '#contract/access/simulations.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { Db } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import { StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { publicWarnings } from '#tenancy/public-access.ts'
import { inTurn } from '#tenancy/writes/turns.ts'
import { decisionOf } from '../decision/forms.ts'
import { EVERYTHING, simulateFirstUsers, simulateInBatches } from './batches.ts'
import { inOrder } from './effect-group-sums.ts'
import { prepareSimulation } from './prepared.ts'
import type { SimulatedRow, SimulationRow } from './rows.ts'
import { SIMULATE } from './statements.ts'

type Data = DataOf<typeof simulatePermissions>
type Page = Paged<Simulation>

/** How many users gain and lose access, and whether these are all whom the changes affect. */
interface CountedUsers extends Pick<Simulation, 'users' | 'everyone'> {
  complete: boolean
}

export function createSimulations({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  const inOwnTurn = <Result>(caller: Caller, work: () => Promise<Result>) =>
    inTurn(db, { keys: [`simulations of ${caller.apiKeyId}`], tenant: caller.apiKeyId, queue: 'long' }, work)
  return {
    async simulate(caller: Caller, data: Data): Promise<Page> {
      const { pageSize = LIMITS.pageSizeMax, pageToken, ...query } = data
      const scope = ['permissions.simulate', caller.apiKeyId, query]
      const { read, given } = prepareSimulation(db, caller, data, {
        pageSize,
        ...positionOf(pageTokens.decode(scope, pageToken)),
      })
      const rows = await inOwnTurn(caller, () =>
        db.connections > 1 ? read(SIMULATE, EVERYTHING) : simulateInBatches(read, pageSize),
      )
      if ((rows[0]?.pairs ?? 0) > LIMITS.simulatedPairsMax) throw tooManyPairs()
      const changed = rows.filter(({ userId }) => userId !== null)
      const { page, next } = pageTokens.cut(scope, changed, pageSize, ({ userId, kind, resourceId }) =>
        JSON.stringify([userId, kind, resourceId]),
      )
      return { data: simulationOf(rows[0], page, data.organizationId), ...next, ...publicWarnings(caller, given()) }
    },

    /**
     * Counts the users among the first `LIMITS.countedUsersMax` that the changes affect, so a large organization costs no more. With
     * `enabled`, this resource and its organization would be enabled too.
     */
    async countUsers(caller: Caller, data: Data, enabled?: ResourceName): Promise<CountedUsers> {
      const { read } = prepareSimulation(db, caller, data, { pageSize: 1, ...positionOf(null) }, enabled)
      const { counts, complete } = await inOwnTurn(caller, () => simulateFirstUsers(read))
      return { ...usersOf(counts), complete }
    },
  }
}

/** Returns the pair after which a page begins. */
function positionOf(after: string | null): Pick<SimulationRow, 'afterUserId' | 'afterKind' | 'afterResourceId'> {
  const [afterUserId, afterKind, afterResourceId] = (after === null ? [null, null, null] : JSON.parse(after)) as [
    string | null,
    ResourceType | null,
    string | null,
  ]
  return { afterUserId, afterKind, afterResourceId }
}

function simulationOf(counts: SimulatedRow | undefined, page: SimulatedRow[], organizationId: string): Simulation {
  return {
    counts: { gained: counts?.gained ?? 0, lost: counts?.lost ?? 0, changed: counts?.changed ?? 0 },
    ...usersOf(counts),
    groups: inOrder(counts?.groups ?? []).map(({ effect, accessRole, people, ...group }) => {
      const via = effect === 'kept' ? people[0] && decisionOf(people[0].after).via : undefined
      return {
        effect,
        ...(accessRole === null ? {} : { accessRole }),
        ...(via === undefined ? {} : { via }),
        ...(group.groupName === null ? {} : { groupName: group.groupName }),
        users: group.users,
        organizations: group.organizations,
        folders: group.folders,
        documents: group.documents,
        people: people.map((one) => ({
          ...changeOf(one, organizationId),
          ...(one.name === null ? {} : { name: one.name }),
          resources: one.resources,
        })),
      }
    }),
    changes: page.map((row) => changeOf(row, organizationId)),
  }
}

const usersOf = (counts: SimulatedRow | undefined): Pick<Simulation, 'users' | 'everyone'> => ({
  users: {
    gained: counts?.usersGained ?? 0,
    lost: counts?.usersLost ?? 0,
    changed: counts?.usersChanged ?? 0,
  },
  everyone: { gained: counts?.everyoneGained ?? 0, lost: counts?.everyoneLost ?? 0 },
})

type ChangedPair = Pick<SimulatedRow, 'userId' | 'kind' | 'resourceId' | 'before' | 'after'>

const changeOf = ({ userId, kind: type, resourceId: id, before, after }: ChangedPair, organizationId: string) => ({
  userId: userId ?? '',
  resource: type === 'organization' ? { type, id } : { type, id, organizationId },
  before: decisionOf(before),
  after: decisionOf(after),
})

const tooManyPairs = (): StatusError =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'too_many_pairs',
    `The changes affect more than ${LIMITS.simulatedPairsMax} pairs of a user and a resource; simulate fewer at once.`,
  )
