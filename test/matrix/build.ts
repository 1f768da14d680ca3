/** Builds a world twice: in the server, through the API, and as objects of the interpreter. */
import assert from 'node:assert/strict'
import { addGrants } from '#contract/access/grants.ts'
import { type AccessType, addPermissions, type ResourceName, removePermissions } from '#contract/access/permissions.ts'
import type { BatchResult } from '#contract/core/envelope.ts'
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import type { Operation } from '#contract/core/operation.ts'
import {
  addDocuments,
  deleteDocuments,
  disableDocuments,
  moveDocuments,
  setDocumentAccess,
} from '#contract/resources/documents.ts'
import { addFolders, deleteFolder, setFolderAccess, updateFolders } from '#contract/resources/folders.ts'
import { addOrganizations, disableOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import {
  addUserGroups,
  addUserGroupUsers,
  deleteUserGroups,
  deleteUserGroupUsers,
} from '#contract/users/user-groups.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import type { Client } from '#testing/client.ts'
import { completeMigration } from '#testing/jobs.ts'
import { FULL } from '#testing/run/mode.ts'
import { chainOf, type Grant, type Resource } from './interpreter.ts'
import { GROUPS, type GrantSpec, type OrganizationSpec, type Step, USERS } from './worlds.ts'

/** Ids that only grants name at first. */
const DECLARED_FOLDER = 'declared-folder'
const DECLARED_DOCUMENT = 'declared-document'

export interface World {
  client: Client
  key: OrganizationKey
  organization: Resource
  /** Resources by id, added and declared. */
  folders: Map<string, Resource>
  documents: Map<string, Resource>
  /** Ids that a migration left behind. */
  left: Map<string, Resource>
  added: Set<Resource>
}

export async function buildWorld(client: Client, id: string, spec: OrganizationSpec): Promise<World> {
  const apiKeyId = client.headers['x-service-api-key'] as ApiKeyId
  const organization: Resource = { type: 'organization', id, disabled: false, grants: new Map(), groups: new Map() }
  const world: World = {
    client,
    key: organizationKey({ apiKeyId }, id),
    organization,
    folders: new Map(),
    documents: new Map(),
    left: new Map(),
    added: new Set([organization]),
  }
  await client.call(addOrganizations, { organizations: [{ organizationId: id }] })
  await addAllFolders(world, spec.folders)
  for (const [index, { folder, accessType }] of spec.documents.entries())
    await addDocument(world, `d${index}`, placeFor(world, folder), accessType)
  if (spec.members !== null) await addGroups(world)
  const byHolder = Map.groupBy(spec.grants, ({ holder }) => holder)
  await Promise.all([...byHolder.values()].map((grants) => grant(world, grants)))
  for (const [group, user] of spec.members ?? []) await join(world, group, user)
  if (spec.crowded) await crowd(world)
  if (FULL && spec.crowded && spec.members !== null) await crowdWithGroups(world)
  for (const step of spec.steps) await take(world, step)
  return world
}

/** Disables or enables users of the API key. */
export async function setDisabled(client: Client, userIds: readonly string[], disabled: boolean): Promise<void> {
  if (userIds.length > 0) await client.call(disableUsers, { userIds: [...userIds], disabled })
}

async function addAllFolders(world: World, specs: OrganizationSpec['folders']): Promise<void> {
  const { organization, folders, client, added } = world
  for (const [index, { climb, accessType }] of specs.entries()) {
    const parent = folders.get(`f${index - 1 - climb}`) ?? organization
    const folder = newResource('folder', `f${index}`, parent, accessType)
    folders.set(folder.id, folder)
    added.add(folder)
  }
  if (folders.size === 0) return
  const answers = await client.call(addFolders, {
    organizationId: organization.id,
    folders: [...folders.values()].reverse().map(folderInput),
  })
  for (const [id, { success }] of Object.entries(answers)) assert.ok(success, `folder ${id} was not added`)
}

async function addDocument(world: World, id: string, parent: Resource, accessType: AccessType | null): Promise<void> {
  const answer = await world.client.call(addDocuments, {
    organizationId: world.organization.id,
    ...(parent.type === 'folder' ? { folderId: parent.id } : {}),
    documents: [{ documentId: id, ...(accessType === null ? {} : { accessType }) }],
  })
  assert.ok(answer[id]?.success, `document ${id} was not added`)
  world.left.delete(id)
  settle(world, world.documents, newResource('document', id, parent, accessType))
}

/** Adds a resource to its parent. A declared resource keeps its grants. */
function settle(world: World, into: Map<string, Resource>, resource: Resource): void {
  const settled = Object.assign(into.get(resource.id) ?? resource, {
    parent: resource.parent,
    accessType: resource.accessType,
  })
  into.set(resource.id, settled)
  world.added.add(settled)
}

async function grant(world: World, grants: GrantSpec[]): Promise<void> {
  const [first] = grants
  if (first === undefined) return
  const { organization, client } = world
  if (isGroup(first.holder) && !organization.groups?.has(first.holder)) return
  const resources = grants.map(({ target, role, expiresAt, replaceExisting }) => {
    const name = nameFor(world, target)
    const written = { role, ...(expiresAt === null ? {} : { expiresAt }) }
    write(declare(world, name), first.holder, written, replaceExisting)
    return { ...name, accessRole: role, ...(expiresAt === null ? {} : { expiresAt }), replaceExisting }
  })
  await client.call(addPermissions, { ...holderIn(world, first.holder), permissions: { resources } })
}

const isTemporary = ({ expiresAt }: Grant) => expiresAt !== undefined

export const isGroup = (holder: string): boolean => (GROUPS as readonly string[]).includes(holder)

/** Returns the holder in the form of `permissions/add`. */
const holderIn = ({ organization }: World, holder: string) =>
  isGroup(holder) ? { group: { organizationId: organization.id, groupId: holder } } : { user: { userId: holder } }

async function addGroups({ client, organization }: World): Promise<void> {
  const organizationUserGroups = GROUPS.map((groupId) => ({ groupId }))
  await client.call(addUserGroups, { organizationId: organization.id, organizationUserGroups })
  organization.groups = new Map(GROUPS.map((group) => [group, new Set()]))
}

/** Adds a user to a group. Only members of the organization can be added. */
async function join({ client, organization }: World, group: string, userId: string): Promise<void> {
  const users = organization.groups?.get(group)
  if (users === undefined) return
  const isMember = (organization.grants.get(userId) ?? []).length > 0
  const data = { organizationId: organization.id, organizationUserGroupId: group, userIds: [userId] }
  const answer = await client.call(addUserGroupUsers, data)
  assert.equal(answer[userId]?.success, isMember, `${userId} in ${group}`)
  if (isMember) users.add(userId)
}

/** Replaces the grant of the same kind, and with `alone` the other one too (rules/access.md#granting). */
export function write({ grants }: Resource, userId: string, grant: Grant, alone = false): void {
  const beside = (grants.get(userId) ?? []).filter((other) => !alone && isTemporary(other) !== isTemporary(grant))
  grants.set(userId, [...beside, grant])
}

/** More grants of each user than a decision reads at once (FEW in decision/stored-data.ts). */
async function crowd(world: World): Promise<void> {
  const resources = Array.from({ length: 17 }, (_, nth): ResourceName => {
    return { type: 'folder', id: `beside${nth}`, organizationId: world.organization.id }
  })
  for (const userId of USERS) {
    for (const name of resources) write(declare(world, name), userId, { role: 'editor' })
    await world.client.call(addPermissions, { user: { userId }, permissions: { resources } })
  }
}

/**
 * Grants of more groups on the organization and its folders than a decision reads before it probes for each (READ_MAX
 * in decision/stored-data.ts). Nobody is in these groups.
 */
async function crowdWithGroups({ client, organization, folders }: World): Promise<void> {
  const organizationId = organization.id
  const groupIds = Array.from({ length: 256 }, (_, nth) => `crowd${nth}`)
  const organizationUserGroups = groupIds.map((groupId) => ({ groupId }))
  await client.call(addUserGroups, { organizationId, organizationUserGroups })
  const resources = [organization, ...folders.values()].slice(0, 3)
  const grants = groupIds.flatMap((groupId) => resources.map(({ type, id }) => ({ groupId, type, id, organizationId })))
  await client.call(addGrants, { grants })
}

/** Applies one step to a world. An impossible step is skipped. */
async function take(world: World, step: Step): Promise<void> {
  const { organization, folders, documents, added, client } = world
  const organizationId = organization.id
  const addedAmong = (resources: Map<string, Resource>, pick: number) =>
    at(
      [...resources.values()].filter((resource) => added.has(resource)),
      pick,
    )
  const call = async (operation: Operation, id: string, data: object) => {
    const answer = (await client.call(operation, { organizationId, ...data })) as BatchResult
    assert.ok(answer[id]?.success, `${operation.name} of ${id}: ${JSON.stringify(answer)}`)
  }
  switch (step.do) {
    case 'move folder': {
      const folder = addedAmong(folders, step.folder)
      const to = placeFor(world, step.to)
      if (folder === undefined || chainOf(to).includes(folder)) return
      folder.parent = to
      return call(updateFolders, folder.id, { folders: [{ folderId: folder.id, parentFolderId: folderIdOf(to) }] })
    }
    case 'move document': {
      const document = addedAmong(documents, step.document)
      if (document === undefined) return
      document.parent = placeFor(world, step.to)
      return call(moveDocuments, document.id, { documentIds: [document.id], folderId: folderIdOf(document.parent) })
    }
    case 'set access of folder': {
      const folder = addedAmong(folders, step.folder)
      if (folder === undefined) return
      folder.accessType = step.accessType ?? undefined
      return call(setFolderAccess, folder.id, { folderIds: [folder.id], ...accessOf(folder) })
    }
    case 'set access of document': {
      const document = addedAmong(documents, step.document)
      if (document === undefined) return
      document.accessType = step.accessType ?? undefined
      return call(setDocumentAccess, document.id, { documentIds: [document.id], ...accessOf(document) })
    }
    case 'disable organization': {
      organization.disabled = true
      await client.call(disableOrganizations, { organizationIds: [organizationId], disabled: true })
      return
    }
    case 'disable document': {
      const document = addedAmong(documents, step.document)
      if (document === undefined) return
      document.disabled = true
      return call(disableDocuments, document.id, { documentIds: [document.id], disabled: true })
    }
    case 'delete document': {
      const document = addedAmong(documents, step.document)
      if (document === undefined) return
      forget(world, document)
      return call(deleteDocuments, document.id, { documentIds: [document.id] })
    }
    case 'delete folder': {
      const folder = addedAmong(folders, step.folder)
      if (folder === undefined) return
      for (const resource of [...folders.values(), ...documents.values()])
        if (chainOf(resource).includes(folder)) forget(world, resource)
      await client.call(deleteFolder, { organizationId, folderId: folder.id })
      return
    }
    case 'migrate document': {
      const document = at([...documents.values()], step.document)
      if (document !== undefined) await migrate(world, document, step.ontoDeclared)
      return
    }
    case 'add declared document': {
      const there = documents.get(DECLARED_DOCUMENT)
      if (there !== undefined && added.has(there)) return
      return addDocument(world, DECLARED_DOCUMENT, placeFor(world, step.to), step.accessType)
    }
    case 'add declared folder': {
      const there = folders.get(DECLARED_FOLDER)
      if (there !== undefined && added.has(there)) return
      const folder = newResource('folder', DECLARED_FOLDER, placeFor(world, step.to), step.accessType)
      await client.call(addFolders, { organizationId, folders: [folderInput(folder)] })
      return settle(world, folders, folder)
    }
    case 'remove grant': {
      const name = nameFor(world, step.target)
      const { holder, temporaryOnly } = step
      if (isGroup(holder) && !organization.groups?.has(holder)) return
      const permissions = { resources: [{ ...name, temporaryOnly }] }
      await client.call(removePermissions, { ...holderIn(world, holder), permissions })
      const grants = find(world, name)?.grants
      const left = (grants?.get(holder) ?? []).filter((grant) => temporaryOnly && !isTemporary(grant))
      // Simulations do not list users without a grant in the organization.
      if (left.length > 0) grants?.set(holder, left)
      else grants?.delete(holder)
      return
    }
    case 'join group':
      return join(world, step.group, step.user)
    case 'leave group': {
      if (!organization.groups?.get(step.group)?.delete(step.user)) return
      const data = { organizationId, organizationUserGroupId: step.group, userIds: [step.user] }
      await client.call(deleteUserGroupUsers, data)
      return
    }
    case 'delete group': {
      if (!organization.groups?.delete(step.group)) return
      for (const { grants } of [organization, ...folders.values(), ...documents.values()]) grants.delete(step.group)
      await client.call(deleteUserGroups, { organizationId, organizationUserGroupIds: [step.group] })
      return
    }
    case 'grant':
      return grant(world, [step])
  }
}

/** Removes a deleted resource and its aliases. */
function forget({ folders, documents, left, added }: World, resource: Resource): void {
  ;(resource.type === 'folder' ? folders : documents).delete(resource.id)
  for (const [old, to] of left) if (to === resource) left.delete(old)
  added.delete(resource)
}

const accessOf = ({ accessType }: Resource) => (accessType === undefined ? { inheritFromParent: true } : { accessType })

const folderIdOf = (place: Resource | undefined): string => (place?.type === 'folder' ? place.id : 'root')

async function migrate(world: World, document: Resource, ontoDeclared: boolean): Promise<void> {
  const { client, organization, documents, left } = world
  const newDocumentId = ontoDeclared ? DECLARED_DOCUMENT : `${document.id}-new`
  const target = documents.get(newDocumentId)
  if (newDocumentId === document.id || (target !== undefined && world.added.has(target))) return
  await completeMigration(client, { organizationId: organization.id, documentId: document.id, newDocumentId })
  for (const [user, held] of target?.grants ?? []) {
    const own = document.grants.get(user) ?? []
    const moved = held.filter((grant) => own.every((other) => isTemporary(other) !== isTemporary(grant)))
    document.grants.set(user, [...own, ...moved])
  }
  for (const [old, to] of left) if (to === target) left.set(old, document)
  documents.delete(document.id)
  left.set(document.id, document)
  left.delete(newDocumentId)
  document.id = newDocumentId
  documents.set(newDocumentId, document)
}

const newResource = (type: 'folder' | 'document', id: string, parent: Resource, accessType: AccessType | null) => ({
  type,
  id,
  parent,
  accessType: accessType ?? undefined,
  disabled: false,
  grants: new Map(),
})

const folderInput = ({ id, parent, accessType }: Resource) => ({
  folderId: id,
  parentFolderId: folderIdOf(parent),
  ...(accessType === undefined ? {} : { accessType }),
})

const at = <T>(list: readonly T[], pick: number): T | undefined => list[pick % list.length]

/** Picks an added folder, or the organization. */
function placeFor({ organization, folders, added }: World, pick: number): Resource {
  const places = [organization, ...[...folders.values()].filter((folder) => added.has(folder))]
  return at(places, pick) ?? organization
}

/** Picks a resource for a grant: an existing one, or one that the grant declares. */
function nameFor({ organization, folders, documents, left }: World, pick: number): ResourceName {
  const organizationId = organization.id
  const names: ResourceName[] = [{ type: 'organization', id: organizationId }]
  for (const id of new Set([...folders.keys(), DECLARED_FOLDER])) names.push({ type: 'folder', id, organizationId })
  for (const id of new Set([...documents.keys(), DECLARED_DOCUMENT]))
    if (!left.has(id)) names.push({ type: 'document', id, organizationId })
  return at(names, pick) ?? { type: 'organization', id: organizationId }
}

export const find = ({ organization, folders, documents }: World, { type, id }: ResourceName): Resource | undefined =>
  type === 'organization' ? organization : (type === 'folder' ? folders : documents).get(id)

function declare(world: World, name: ResourceName): Resource {
  const there = find(world, name)
  if (there !== undefined || name.type === 'organization') return there ?? world.organization
  const declared = newResource(name.type, name.id, world.organization, null)
  const into = name.type === 'folder' ? world.folders : world.documents
  into.set(declared.id, declared)
  return declared
}

/** Returns all ids that a world has, had or never had, as callers name them. */
export function everyName({ organization, folders, documents, left }: World): ResourceName[] {
  const organizationId = organization.id
  const named = (type: 'folder' | 'document', ids: Iterable<string>) =>
    [...new Set([...ids, 'unknown'])].map((id) => ({ type, id, organizationId }))
  return [
    { type: 'organization', id: organizationId },
    ...named('folder', [...folders.keys(), DECLARED_FOLDER]),
    ...named('document', [...documents.keys(), ...left.keys(), DECLARED_DOCUMENT]),
  ]
}
