/** Adds names to folders and documents, and whether they are public: lists of access contain only ids. */
import { partialMatchKey, queryOptions } from '@tanstack/react-query'
import type {
  AccessType,
  ListPermittedResourcesData,
  ListPermittedResourcesResult,
  ResourceType,
} from '#sdk/generated/operations.ts'
import { isFound } from '#sdk/items.ts'
import type { CallOptions, Page } from '#sdk/options.ts'
import { chunks } from '#sdk/shared/chunks.ts'
import { givingResource } from '../../resource.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { pagesQuery } from '../pages/pages.ts'

interface Place {
  type: ResourceType
  id: string
}

export const placeKey = ({ type, id }: Place): string => `${type} ${id}`

/** The data of a resource in a list of access. */
interface Facts {
  name: string | undefined
  /** Everyone has access to it. */
  isPublic: boolean
}

/** Returns the facts about resources that exist, by `placeKey`. */
export async function resourceFacts(
  key: Key,
  organizationId: string,
  places: readonly Place[],
  options: CallOptions,
): Promise<ReadonlyMap<string, Facts>> {
  const idsOf = (wanted: ResourceType) => [...new Set(places.flatMap(({ type, id }) => (type === wanted ? [id] : [])))]
  const facts = new Map<string, Facts>()
  const add = (type: ResourceType, id: string, name: string | undefined, accessType?: AccessType) =>
    facts.set(placeKey({ type, id }), { name, isPublic: accessType === 'public' })
  const { documents, folders, organizations } = key.client
  await Promise.all([
    ...chunks(idsOf('document')).map(async (documentIds) => {
      for (const one of await documents.get({ organizationId, documentIds }, options))
        if (isFound(one)) add('document', one.id, one.documentName, one.accessType)
    }),
    ...chunks(idsOf('folder')).map(async (folderIds) => {
      for (const one of await folders.get({ organizationId, folderIds }, options))
        add('folder', one.folderId, one.folderName, one.accessType)
    }),
    ...chunks(idsOf('organization')).map(async (organizationIds) => {
      for (const one of await organizations.get({ organizationIds }, options))
        if (isFound(one)) add('organization', one.id, one.organizationName)
    }),
  ])
  return facts
}

type FactsByPlace = ReadonlyMap<string, Facts>

const namesAmong = (facts: FactsByPlace): ReadonlyMap<string, string> =>
  new Map([...facts].flatMap(([place, { name }]) => (name === undefined ? [] : [[place, name] as const])))

const publicAmong = (facts: FactsByPlace): ReadonlySet<string> =>
  new Set([...facts].flatMap(([place, { isPublic }]) => (isPublic ? [place] : [])))

/** Returns the names of resources that have one, by `placeKey`. */
export const resourceNames = async (...args: Parameters<typeof resourceFacts>): Promise<ReadonlyMap<string, string>> =>
  namesAmong(await resourceFacts(...args))

interface Known {
  names: ReadonlyMap<string, string>
  publicPlaces: ReadonlySet<string>
}

/** While others are added to the places, what is known stays: only in the same organization, since others have the same ids. */
function factsQuery(key: Key, organizationId: string, places: readonly Place[]) {
  const inOrganization = queryKeyOf(key, 'resource-names', organizationId)
  return queryOptions({
    queryKey: [...inOrganization, places.map(placeKey)],
    queryFn: async ({ signal }): Promise<Known> => {
      const facts = await resourceFacts(key, organizationId, places, { signal })
      // Made once, so that the selections below return the same object each time.
      return { names: namesAmong(facts), publicPlaces: publicAmong(facts) }
    },
    enabled: organizationId !== '' && places.length > 0,
    placeholderData: (known, query) =>
      query !== undefined && partialMatchKey(query.queryKey, inOrganization) ? known : undefined,
  })
}

/** The resources to which everyone has access, by `placeKey`. */
export const publicPlacesQuery = (...of: Parameters<typeof factsQuery>) => ({
  ...factsQuery(...of),
  select: ({ publicPlaces }: Known) => publicPlaces,
})

/** The names of the resources that have one, by `placeKey`. */
export const resourceNamesQuery = (...of: Parameters<typeof factsQuery>) => ({
  ...factsQuery(...of),
  select: ({ names }: Known) => names,
})

/** A resource of one of several organizations. */
export interface PlaceInside extends Place {
  organizationId: string
}

export const placeKeyInside = ({ organizationId, type, id }: PlaceInside): string =>
  JSON.stringify(type === 'organization' ? [type, id] : [organizationId, type, id])

/** The names of resources of several organizations that have one, by `placeKeyInside`. */
export const namesInsideQuery = (key: Key, places: readonly PlaceInside[]) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'resource-names', 'inside', places.map(placeKeyInside)),
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      // Organizations are read in one call, whichever they are.
      const owners = Map.groupBy(places, ({ type, organizationId }) => (type === 'organization' ? '' : organizationId))
      const found = await Promise.all(
        [...owners].map(async ([owner, some]) => {
          const names = await resourceNames(key, owner, some, { signal })
          return some.flatMap((place) => {
            const name = names.get(placeKey(place))
            return name === undefined ? [] : [[placeKeyInside(place), name] as const]
          })
        }),
      )
      return new Map(found.flat())
    },
    enabled: places.length > 0,
  })

type Resources = Omit<ListPermittedResourcesResult, 'resources'> & { resources: NamedResource[] }
export type NamedResource = ListPermittedResourcesResult['resources'][number] & {
  name?: string | undefined
  /** The name of the resource that gives the access. */
  viaName?: string | undefined
}

/** The resources to which a user has access, with names. */
export const permittedResourcesQuery = (key: Key, data: Omit<ListPermittedResourcesData, 'pageToken'>) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'permitted-resources', data),
    method: { pages: (paged: ListPermittedResourcesData = data, options) => namedPages(key, paged, options) },
    data,
    rowsOf: ({ resources }) => resources,
  })

async function* namedPages(
  key: Key,
  data: ListPermittedResourcesData,
  options: CallOptions = {},
): AsyncGenerator<Page<Resources>, void, undefined> {
  for await (const page of key.client.permittedResources.list.pages(data, options)) {
    const { resources } = page.data
    const givingOf = ({ via }: NamedResource) => givingResource(via) ?? []
    const names = await resourceNames(key, data.organizationId, [...resources, ...resources.flatMap(givingOf)], options)
    const named = resources.map((one): NamedResource => {
      const giving = givingResource(one.via)
      return { ...one, name: names.get(placeKey(one)), viaName: giving && names.get(placeKey(giving)) }
    })
    yield { ...page, data: { ...page.data, resources: named } }
  }
}
