/** A data set with documents, and threads on them, for the tests of threads and comments. */
import type { FirstComment, ThreadInput } from '#contract/comments/inputs.ts'
import type { ThreadRecord } from '#contract/comments/records.ts'
import { addThreads, getThreads } from '#contract/comments/threads.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import type { Client } from './client.ts'
import type { TestServer } from './server.ts'

export const organizationId = 'acme'
export const ON_ROADMAP = { organizationId, documentId: 'roadmap' }

/** Returns an API key with the documents `roadmap` and `plan` of `acme`. */
export async function newKeyWithDocuments(server: Pick<TestServer, 'newKey'>): Promise<Client> {
  const key = await server.newKey()
  const documents = [{ documentId: 'roadmap' }, { documentId: 'plan' }]
  await key.call(addDocuments, { organizationId, createOrganization: true, documents })
  return key
}

export const comment = <Fields extends Partial<FirstComment> = Record<never, never>>(
  userId: string,
  fields: Fields = {} as Fields,
) => ({
  commentText: `by ${userId}`,
  from: { userId },
  ...fields,
})

/** Adds a thread of `ada` to `roadmap`, and returns its id. */
export async function addThread(
  key: Client,
  fields: Partial<ThreadInput> = {},
  call: Partial<DataOf<typeof addThreads>> = {},
): Promise<string> {
  const thread = { ...(fields.comments === undefined && { commentData: [comment('ada')] }), ...fields }
  const added = await key.call(addThreads, { ...ON_ROADMAP, commentAnnotations: [thread], ...call })
  return Object.values(added)[0]?.annotationId ?? ''
}

export async function readThread(key: Client, annotationId: string): Promise<ThreadRecord> {
  const found = await key.call(getThreads, { organizationId, annotationIds: [annotationId] })
  const [thread] = found as (ThreadRecord | null)[]
  if (!thread) throw new Error(`there is no thread ${annotationId}`)
  return thread
}

/** Returns a client of the data set that calls with a token of a user. */
export async function asUser(key: Client, userId: string): Promise<Client> {
  const { token } = await key.call(generateToken, { userId })
  return key.with({ authorization: `Bearer ${token}` })
}

/** SQL that creates `$2` users of API key `$1` with an address, who follow its threads as if each had written in them. */
export const FOLLOW_THREADS = /* sql */ `
  with person as (
    insert into users (api_key_id, user_id, profile)
    select $1, 'follower ' || n, jsonb_build_object('name', 'Follower', 'email', 'follower' || n || '@busy.example')
      from generate_series(1, $2::int) n
    returning user_id
  )
  insert into thread_users (organization_key, resource_key, annotation_id, user_id, subscription)
  select t.organization_key, t.resource_key, t.annotation_id, p.user_id, 'subscribed'
    from person p, organizations o join threads t on t.organization_key = o.organization_key where o.api_key_id = $1`
