/** Finds out whether everyone has access to the resources on which a call gives or lists access, and warns (rules/contract.md#warnings). */
import type { AccessRole, ResourceName, ResourceType } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Warning } from '#contract/core/warnings.ts'
import type { Session } from '#platform/db/db.ts'
import { setStatement } from '#platform/db/statement.ts'
import type { Caller } from './callers/caller.ts'
import { organizationKey } from './callers/keys.ts'

/** The access type in force on a resource, without the default of the API key. */
export interface AccessInForce {
  /** Null: the default of the API key. `public`, a space and the id of a folder: the folder is public, and the resource is in it. */
  access: string | null
}

/**
 * Returns the column `access` of the resource `r`: a lookup of the folder of a document, or of the folder above a
 * folder that has an access type. It is a single expression, because one more join and column took 5 % of the time of a
 * grant.
 */
export const accessInForce = (
  organizationKey: string,
): string => /* sql */ `case when r.own_access_type is not null then r.own_access_type::text
                when r.folder_key is not null or r.boundary_key is not null then (
                  select case when f.boundary_access_type = 'public' then 'public ' || f.id else f.boundary_access_type::text end
                    from resources f
                   where f.organization_key = ${organizationKey} and f.resource_key = coalesce(r.boundary_key, r.folder_key)
                ) end as access`

/** Finds the access type in force on folders or documents. Returns a row for each that exists. */
export const FIND_ACCESS = setStatement<
  { organizationKey: OrganizationKey; kind: ResourceType; resourceId: string },
  AccessInForce & { id: string; type: ResourceType }
>(
  'resources.find-access',
  { organizationKey: 'uuid', kind: 'resource_kind', resourceId: 'text' },
  /* sql */ `
  select item.kind as type, r.id, ${accessInForce('item.organization_key')}
    from $input
   cross join lateral (
      select r.id, r.folder_key, r.own_access_type, r.boundary_access_type, r.boundary_key from resources r
       where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
    ) r
   order by item.ord`,
)

/** Returns `{ warnings }` about the public parts of an organization, its folders and its documents. */
export async function publicAmong(
  session: Session,
  caller: Caller,
  organizationId: string,
  resources: readonly Pick<ResourceName, 'type' | 'id'>[],
): Promise<{ warnings?: Warning[] }> {
  const distinct = [...new Map(resources.map((resource) => [`${resource.type} ${resource.id}`, resource])).values()]
  const organizations = distinct.filter(({ type }) => type === 'organization')
  const inside = distinct.filter(({ type }) => type !== 'organization')
  const key = organizationKey(caller, organizationId)
  const rows = inside.map(({ type, id }) => ({ organizationKey: key, kind: type, resourceId: id }))
  const found = rows.length === 0 ? [] : await session.runSet(FIND_ACCESS, rows)
  return publicWarnings(caller, [
    ...organizations.map((resource) => ({ access: null, resource })),
    ...found.map(({ type, id, access }) => ({ access, resource: { type, id, organizationId } })),
  ])
}

/** Returns `{ warnings }` about folders or documents that were just made public, or that now inherit it. */
export const madePublic = (
  session: Session,
  caller: Caller,
  organizationId: string,
  type: 'folder' | 'document',
  ids: readonly string[],
): Promise<{ warnings?: Warning[] }> =>
  publicAmong(
    session,
    caller,
    organizationId,
    ids.map((id) => ({ type, id })),
  )

type Defaults = Pick<Caller, 'defaultAccessType' | 'defaultAccessRole'>

/**
 * A resource to which everyone has access, or an organization in which everyone has access to resources without an access
 * type. It is named with its organization, because another one may have a folder or document with the same id.
 */
export type Found = AccessInForce & { resource: ResourceName }

/** The access type, and the id of the folder if there is one; ids may have spaces. */
function halves(access: string): [accessType: string, folderId?: string] {
  const at = access.indexOf(' ')
  return at < 0 ? [access] : [access.slice(0, at), access.slice(at + 1)]
}

/** The cause that makes resources public: one of the constants below, or the id of a folder. */
interface Cause {
  cause: string
  resources: ResourceName[]
}

/** How many resources a sentence names. */
const NAMED_MAX = 3

/** Returns `{ warnings }` with a sentence for each cause that makes some of the resources public, or nothing. */
export function publicWarnings(caller: Defaults, found: readonly Found[]): { warnings?: Warning[] } {
  const byCause = new Map<string, Cause>()
  for (const { resource, access } of found) {
    const { type, organizationId } = resource
    const [accessType = '', folderId] = access === null ? [caller.defaultAccessType] : halves(access)
    if (accessType !== 'public') continue
    const cause = type === 'organization' ? IN_ORGANIZATION : access === null ? BY_DEFAULT : BY_ITSELF
    // Equal ids of folders of two organizations are two causes.
    const of = folderId === undefined ? cause : `${organizationId}\u0000${folderId}`
    const known = byCause.get(of)
    if (known === undefined) byCause.set(of, { cause: folderId ?? cause, resources: [resource] })
    else known.resources.push(resource)
  }
  const warnings = [...byCause.values()].slice(0, CAUSES_MAX).map((each) => warningOf(caller, each))
  return warnings.length === 0 ? {} : { warnings }
}

/** Returns `{ warnings }` about a public resource, for any cause. */
export const publicAnyhow = (caller: Defaults, resource: Found['resource']): { warnings?: Warning[] } =>
  publicWarnings(caller, [{ resource, access: 'public' }])

/** Returns `{ warnings }` about public resources in a folder or organization. */
export function publicInside(
  role: AccessRole,
  resource: Found['resource'],
  resources: number,
): { warnings: Warning[] } {
  const isOne = resources === 1
  const message = `Every user of the API key has access as ${role}, also without a grant, to ${resources.toLocaleString('en')} ${isOne ? 'resource' : 'resources'} in ${nameOf(resource)}: the access type in force there is "public".`
  return { warnings: [{ code: 'public_access', message }] }
}

/** How many documents follow the default of an API key; not all were counted if `isCut`. */
export interface Opened {
  documents: number
  isCut: boolean
}

/** Returns `{ warnings }` about an API key whose default was just set to public, and what it opens; absent: the key is new. */
export function publicByDefault(
  { defaultAccessType, defaultAccessRole }: Defaults,
  opened?: Opened,
): { warnings?: Warning[] } {
  if (defaultAccessType !== 'public') return {}
  const { documents = 0, isCut = false } = opened ?? {}
  const counted = `${isCut ? 'at least ' : ''}${documents.toLocaleString('en')} ${documents === 1 ? 'document' : 'documents'}`
  const present = documents === 0 && !isCut ? '' : `${counted} without an access type of their own, and to `
  const message = `Every user of the API key has access as ${defaultAccessRole}, also without a grant, to ${present}every document and folder that is added without one: the API key makes them public by default. To change that, set defaultDocumentAccessType to "restricted".`
  return { warnings: [{ code: 'public_access', message }] }
}

/** Causes that are no folder: no folder has such an id. */
const [BY_ITSELF, BY_DEFAULT, IN_ORGANIZATION] = ['\u0000itself', '\u0000default', '\u0000organization']
const CAUSES_MAX = 10

/** Made when it is needed first, and kept: making one takes several times as long as the rest of a sentence. */
let list: Intl.ListFormat | undefined

const nameOf = ({ type, id, organizationId }: ResourceName): string =>
  `the ${type} "${id}"${type === 'organization' ? '' : inside(organizationId)}`

const inside = (organizationId: string | undefined): string =>
  organizationId === undefined ? '' : ` of the organization "${organizationId}"`

/** Names the first resources, and their organization once if it is one. */
function listOf(resources: readonly ResourceName[]): string {
  const [first] = resources
  const isOfOne =
    first !== undefined &&
    first.type !== 'organization' &&
    resources.length > 1 &&
    resources.every(({ organizationId }) => organizationId === first.organizationId)
  const more = resources.length - NAMED_MAX
  list ??= new Intl.ListFormat('en')
  const named = list.format([
    ...resources
      .slice(0, NAMED_MAX)
      .map((resource) => (isOfOne ? `the ${resource.type} "${resource.id}"` : nameOf(resource))),
    ...(more > 0 ? [`${more.toLocaleString('en')} more`] : []),
  ])
  return isOfOne ? `${named}, all in the organization "${first.organizationId}"` : named
}

function warningOf({ defaultAccessRole }: Defaults, { cause, resources }: Cause): Warning {
  const distinct = [...new Map(resources.map((resource) => [nameOf(resource), resource])).values()]
  const what = listOf(distinct)
  const sentences = distinct.length === 1 ? ofOne(what, cause) : ofMany(what, cause)
  return {
    code: 'public_access',
    message: `Every user of the API key has access as ${defaultAccessRole}, also without a grant, to ${sentences}`,
  }
}

function ofOne(what: string, cause: string): string {
  if (cause === IN_ORGANIZATION) return inOrganizations(what)
  if (cause === BY_DEFAULT)
    return `${what}: the API key makes it public by default. To change that, set its access type, or defaultDocumentAccessType, to "restricted".`
  if (cause === BY_ITSELF)
    return `${what}: the access type in force is "public". To change that, set the access type "restricted" on it.`
  return `${what}: it is in the folder "${cause}", which is public. To change that, set an access type of its own, or that of the folder, to "restricted".`
}

function ofMany(what: string, cause: string): string {
  if (cause === IN_ORGANIZATION) return inOrganizations(what)
  if (cause === BY_DEFAULT)
    return `${what}: the API key makes them public by default. To change that, set the access type of each, or defaultDocumentAccessType, to "restricted".`
  if (cause === BY_ITSELF)
    return `${what}: the access type in force is "public". To change that, set the access type "restricted" on each.`
  return `${what}: they are in the folder "${cause}", which is public. To change that, set access types of their own, or that of the folder, to "restricted".`
}

const inOrganizations = (what: string): string =>
  `the folders and documents in ${what} that have no access type of their own: the API key makes them public by default. To change that, set defaultDocumentAccessType to "restricted".`
