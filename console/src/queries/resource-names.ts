/** Adds names to folders and documents: lists of access contain only ids. */
import { queryOptions } from '@tanstack/react-query'
import type {
  ListPermittedResourcesData,
  ListPermittedResourcesResult,
  ResourceType,
} from '#sdk/generated/operations.ts'
import { isFound } from '#sdk/items.ts'
import type { CallOptions, Page } from '#sdk/options.ts'
import type { Key } from '../session/session.ts'
import { folderOrNull } from './folders.ts'
import { queryKeyOf } from './keys.ts'
import { pagesQuery } from './pages.ts'

interface Place {
  type: ResourceType
  id: string
}

const DOCUMENTS_MAX = 1_000

/** The API returns one folder per call: others are shown by their ids. */
const FOLDERS_MAX = 50

export const placeKey = ({ type, id }: Place): string => `${type} ${id}`

/** Returns the names of resources that have one, by `placeKey`. */
export async function resourceNames(
  key: Key,
  organizationId: string,
  places: readonly Place[],
  options: CallOptions,
): Promise<ReadonlyMap<string, string>> {
  const idsOf = (wanted: ResourceType) => [...new Set(places.flatMap(({ type, id }) => (type === wanted ? [id] : [])))]
  const documentIds = idsOf('document').slice(0, DOCUMENTS_MAX)
  const folderIds = idsOf('folder').slice(0, FOLDERS_MAX)
  const organizationIds = idsOf('organization')
  const names = new Map<string, string>()
  const add = (type: ResourceType, id: string, name: string | undefined) => {
    if (name !== undefined) names.set(placeKey({ type, id }), name)
  }
  const { documents, organizations } = key.client
  await Promise.all([
    documentIds.length > 0 &&
      documents.get({ organizationId, documentIds }, options).then((found) => {
        for (const one of found) if (isFound(one)) add('document', one.id, one.documentName)
      }),
    organizationIds.length > 0 &&
      organizations.get({ organizationIds }, options).then((found) => {
        for (const one of found) if (isFound(one)) add('organization', one.id, one.organizationName)
      }),
    ...folderIds.map(async (id) =>
      add('folder', id, (await folderOrNull(key, organizationId, id, options))?.folderName),
    ),
  ])
  return names
}

export const resourceNamesQuery = (key: Key, organizationId: string, places: readonly Place[]) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'resource-names', organizationId, places.map(placeKey)),
    queryFn: ({ signal }) => resourceNames(key, organizationId, places, { signal }),
    enabled: places.length > 0,
  })

type Resources = Omit<ListPermittedResourcesResult, 'resources'> & { resources: NamedResource[] }
export type NamedResource = ListPermittedResourcesResult['resources'][number] & { name?: string }

/** What a user has access to, with names. */
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
    const names = await resourceNames(key, data.organizationId, resources, options)
    const named = resources.map((one): NamedResource => {
      const name = names.get(placeKey(one))
      return name === undefined ? one : { ...one, name }
    })
    yield { ...page, data: { ...page.data, resources: named } }
  }
}
