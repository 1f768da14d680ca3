/** The names of the subjects of events: the current ones, and for deleted subjects the names in their events. */
import type { Event, EventName } from '../generated/operations.ts'
import type { NamedPart, PartKind } from './parts.ts'

/** Anything but spaces and characters that are not drawn; U+2800 is a letter of Braille without dots. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/u

/** Returns whether a name can be read. Records with other names are named by their ids. */
export const isVisible = (name: string | undefined): name is string => name !== undefined && VISIBLE.test(name)

/** The key by which a name is looked up. Ids of folders, documents and user groups count within their organization. */
export interface NamedThing {
  kind: EventName['kind']
  id: string
  organizationId?: string | undefined
}

const keyOf = ({ kind, id, organizationId = '' }: NamedThing): string => JSON.stringify([kind, organizationId, id])

const textIn = (state: Readonly<Record<string, unknown>> | undefined, field: string): string | undefined => {
  const text = state?.[field]
  return typeof text === 'string' && isVisible(text) ? text : undefined
}

/** Collects the names that pages of events have, and those in the events themselves. Newer names win. */
export class EventNames {
  readonly #current = new Map<string, string>()
  /** The names of things that may be gone. */
  readonly #former = new Map<string, string>()

  /** Adds the names of a page and what its events say. */
  add({ events, names = [] }: { events: readonly Event[]; names?: readonly EventName[] }): this {
    for (const one of names) {
      const text = [one.name, one.email].find(isVisible)
      if (text !== undefined) this.#current.set(keyOf(one), text)
    }
    for (const event of events)
      for (const [thing, name] of namesSaidBy(event)) {
        const key = keyOf(thing)
        if (!this.#former.has(key)) this.#former.set(key, name)
      }
    return this
  }

  /** Adds all names of another page. */
  addAll(others: EventNames): this {
    for (const [key, name] of others.#current) this.#current.set(key, name)
    for (const [key, name] of others.#former) if (!this.#former.has(key)) this.#former.set(key, name)
    return this
  }

  of(thing: NamedThing): string | undefined {
    const key = keyOf(thing)
    return this.#current.get(key) ?? this.#former.get(key)
  }

  /** Returns the part of a sentence that names a thing; without a name it has its id. */
  part(thing: NamedThing): NamedPart {
    const kind: PartKind = thing.kind
    return { kind, text: this.of(thing) ?? thing.id, id: thing.id }
  }
}

const NAME_FIELDS = { organization: 'organizationName', folder: 'folderName', document: 'documentName' } as const

/** Returns the names of its subjects that an event itself contains. */
function namesSaidBy({ type, organizationId, resource, groupId, userId, apiKey, before, after }: Event) {
  const said: [NamedThing, string][] = []
  const add = (thing: NamedThing, field: string) => {
    const name = textIn(after, field) ?? textIn(before, field)
    if (name !== undefined) said.push([thing, name])
  }
  const isAbout = (family: string) => type.startsWith(`${family}.`)
  if (organizationId !== undefined && isAbout('organization'))
    add({ kind: 'organization', id: organizationId }, NAME_FIELDS.organization)
  else if (resource !== undefined)
    add(
      { kind: resource.type, id: resource.id, organizationId: ownerOf(resource, organizationId) },
      NAME_FIELDS[resource.type],
    )
  if (groupId !== undefined) add({ kind: 'userGroup', id: groupId, organizationId }, 'groupName')
  if (userId !== undefined && isAbout('user')) add({ kind: 'user', id: userId }, 'name')
  if (apiKey !== undefined && isAbout('api_key')) add({ kind: 'apiKey', id: apiKey }, 'name')
  if (isAbout('operator')) {
    const operatorId = textIn(after, 'operatorId') ?? textIn(before, 'operatorId')
    if (operatorId !== undefined) add({ kind: 'operator', id: operatorId }, 'name')
  }
  const endpointId = textIn(after, 'endpointId') ?? textIn(before, 'endpointId')
  // A profile can have such fields too, because its metadata is free.
  if (endpointId !== undefined && isAbout('webhook_endpoint')) add({ kind: 'webhookEndpoint', id: endpointId }, 'url')
  return said
}

/** An organization is named without itself. */
const ownerOf = ({ type }: { type: string }, organizationId: string | undefined): string | undefined =>
  type === 'organization' ? undefined : organizationId
