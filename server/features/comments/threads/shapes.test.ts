/** The fields that reads of threads add to the stored ones. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { getThreads } from '#contract/comments/threads.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, newKeyWithDocuments, ON_ROADMAP, organizationId, readThread } from '#testing/threads.ts'

const server = await sharedServer()

describe('a thread as reads return it', () => {
  it('has empty lists and maps for absent items, and nothing about who has viewed it', async () => {
    const key = await newKeyWithDocuments(server)
    await addThread(key, { annotationId: 'a' })
    const { comments, ...thread } = await readThread(key, 'a')
    assert.deepEqual(
      [thread.unsubscribedUsers, thread.subscribedGroups, thread.customList, thread.mentionedUserIds],
      [{}, {}, [], []],
    )
    const [root] = comments as unknown as Record<string, unknown>[]
    for (const list of ['to', 'attachments', 'recorders', 'customList', 'reactionAnnotationIds', 'taggedUserContacts'])
      assert.deepEqual(root?.[list], [], list)
    assert.equal('viewedBy' in thread, false)
    assert.match(String(root?.lastUpdated), /^\d{4}-\d\d-\d\dT.*Z$/)
    assert.equal(typeof root?.createdAt, 'number')
  })

  it('has the address of the thread on its page, unless the caller gave one or the page has none', async () => {
    const key = await newKeyWithDocuments(server)
    const commentUrlOf = async (annotationId: string, pageInfo: object) => {
      await addThread(key, { annotationId, pageInfo })
      return (await readThread(key, annotationId)).pageInfo as { commentUrl?: string }
    }
    const page = { url: 'https://app.example.com/roadmap?tab=2#top', title: 'Roadmap' }
    assert.deepEqual(await commentUrlOf('a', page), {
      ...page,
      commentUrl: 'https://app.example.com/roadmap?tab=2&scommentId=a#top',
    })
    const own = { ...page, commentUrl: 'https://app.example.com/threads/b' }
    assert.deepEqual(await commentUrlOf('b', own), own)
    assert.deepEqual(await commentUrlOf('c', { url: 'javascript:alert(1)' }), { url: 'javascript:alert(1)' })
    assert.deepEqual(await commentUrlOf('d', { title: 'Roadmap' }), { title: 'Roadmap' })
  })

  it('is the same with includeMetadata and includePageInfo, which are accepted', async () => {
    const key = await newKeyWithDocuments(server)
    await addThread(key, { annotationId: 'a', pageInfo: { title: 'Roadmap' } })
    const read = (flags: object) => key.call(getThreads, { ...ON_ROADMAP, ...flags })
    assert.deepEqual(await read({ includeMetadata: false, includePageInfo: false }), await read({}))
  })

  it('stays private when the key switches private threads off', async () => {
    const key = await newKeyWithDocuments(server)
    await key.call(updateKeyConfig, { enablePrivateComments: true })
    await addThread(key, { annotationId: 'a', visibility: { type: 'restricted', userIds: ['bob'] } })
    await key.call(updateKeyConfig, { enablePrivateComments: false })
    assert.deepEqual((await readThread(key, 'a')).visibilityConfig, { type: 'restricted', userIds: ['bob', 'ada'] })
    const [found] = (await key.call(getThreads, { organizationId })) as { annotationId: string }[]
    assert.equal(found?.annotationId, 'a')
  })
})
