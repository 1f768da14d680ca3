/** The search for threads: what it finds, that it follows every change, and what a user finds (rules/contract.md#threads-in-the-search). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { addComments, deleteComments, updateComments } from '#contract/comments/comments.ts'
import { addThreads, deleteThreads, getThreads, updateThreads } from '#contract/comments/threads.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { addDocuments, deleteDocuments, disableDocuments, setDocumentAccess } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { migrateDocument } from '#contract/resources/migrations.ts'
import { deleteOrganizations, updateOrganizations } from '#contract/resources/organizations.ts'
import { runSearch, type SearchResult } from '#contract/resources/search.ts'
import { deleteUserData } from '#contract/users/user-data.ts'
import type { Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, asUser, comment, newKeyWithDocuments, ON_ROADMAP, organizationId } from '#testing/threads.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let key: Client
beforeEach(async () => {
  key = await newKeyWithDocuments(server)
})

type Query = DataOf<typeof runSearch>

const find = (query: string, more: Partial<Query> = {}, client = key) =>
  client.call(runSearch, { query, kinds: ['thread'], ...more })
const found = async (query: string, more: Partial<Query> = {}, client = key) =>
  (await find(query, more, client)).map(({ id }) => id).sort()
const says = (annotationId: string, commentText: string, more: object = {}) =>
  addThread(key, { annotationId, commentData: [comment('ada', { commentText, ...more })] })
const reply = (annotationId: string, userId: string, commentText: string, commentId?: number) =>
  key.call(addComments, { ...ON_ROADMAP, annotationId, commentData: [comment(userId, { commentText, commentId })] })

/** Returns the results of all pages, and the number of pages. */
async function pages(data: Query, client = key): Promise<{ results: SearchResult[]; count: number }> {
  const results: SearchResult[] = []
  let pageToken: string | undefined
  for (let count = 1; ; count++) {
    const { body } = await client.post(runSearch.path, { ...data, ...(pageToken !== undefined && { pageToken }) })
    results.push(...body.result.data)
    pageToken = body.result.nextPageToken
    if (pageToken === undefined) return { results, count }
  }
}

describe('search.find of threads', () => {
  it('finds a thread by any of its comments, with distinguishing fields and the address of its page', async () => {
    await key.call(updateOrganizations, { organizations: [{ organizationId, organizationName: 'Acme Inc.' }] })
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'plans', folderName: 'Plans' }] })
    const documents = [{ documentId: 'budget', documentName: 'The budget' }]
    await key.call(addDocuments, { organizationId, folderId: 'plans', documents })
    const thread = {
      annotationId: 'pricing',
      pageInfo: { url: 'https://app.example.com/budget' },
      commentData: [comment('ada', { commentText: 'Is this right?' })],
    }
    await key.call(addThreads, { organizationId, documentId: 'budget', commentAnnotations: [thread] })
    const commentData = [comment('bob', { commentId: 7, commentText: 'The budget of 2028 was higher.' })]
    await key.call(addComments, { organizationId, documentId: 'budget', annotationId: 'pricing', commentData })
    const place = { organizationId, organizationName: 'Acme Inc.', folderId: 'plans', folderName: 'Plans' }
    assert.deepEqual(await key.call(runSearch, { query: 'budget' }), [
      { kind: 'document', id: 'budget', name: 'The budget', ...place },
      {
        kind: 'thread',
        id: 'pricing',
        text: 'The budget of 2028 was higher.',
        commentId: 7,
        ...place,
        documentId: 'budget',
        documentName: 'The budget',
        url: 'https://app.example.com/budget?scommentId=pricing',
      },
    ])
    assert.deepEqual(await found('budget', { kinds: ['document'] }), ['budget'])
    await says('bare', 'Without a page')
    assert.equal((await find('without'))[0]?.url, undefined)
  })

  it('finds all words of the query in one comment, each at the beginning of a word, in any order', async () => {
    await says('a', 'The annual budget, see e-mail of (Bob) in node_modules/foo.bar. C’est l’été!')
    await reply('a', 'bob', 'Contracts are elsewhere')
    for (const query of [
      'budget',
      'BUDG',
      'annual bud',
      'bud annual',
      'budget,',
      'e-mail',
      'mail',
      'bob',
      'node_mod',
      'ete',
      'foo.bar',
    ])
      assert.deepEqual(await found(query), ['a'], query)
    for (const query of ['udget', 'budget contracts', '%', '___', ' ', '!', '”', '\u0301'])
      assert.deepEqual(await found(query), [], query)
  })

  it('finds one or two characters as a whole word', async () => {
    await says('a', 'Plan B of 12')
    for (const query of ['b', 'B', 'of', '12', 'plan b']) assert.deepEqual(await found(query), ['a'], query)
    for (const query of ['p', 'pl', 'o', '1']) assert.deepEqual(await found(query), [], query)
  })

  it('ignores case and accents, and finds text in scripts without spaces at any position', async () => {
    const texts = [
      'Crème brûlée',
      'Согласен с ДОГОВОРОМ',
      'Ο ΟΔΟΣ',
      'Große Straße',
      'Ｆｕｌｌ width',
      'Łódź',
      '今年の契約書を確認',
      'ดูสัญญาฉบับนี้',
      'Fertig🎉',
    ]
    for (const [nth, text] of texts.entries()) await says(`t${nth}`, text)
    const queries = ['brulee', 'договор', 'οδός', 'STRASSE', 'full', 'lodz', '契約書', 'สัญญา', '🎉']
    for (const [nth, query] of queries.entries()) assert.deepEqual(await found(query), [`t${nth}`], query)
    for (const query of ['約契', '年契']) assert.deepEqual(await found(query), [], query)
  })

  it('finds every word of a text of 32 KB, and shows the text around it', async () => {
    const filler = Array.from({ length: 3_900 }, (_, nth) => `word${nth}`).join(' ')
    await says('long', `First ${filler.slice(0, 32_000)} über the zebra at the end`)
    assert.deepEqual(await found('zebra first word77'), ['long'])
    const [{ text = '' } = {}] = await find('zebra')
    assert.match(text, /^….* über the zebra at the end$/)
    assert.ok(text.length <= 201, text)
    assert.match((await find('UBER'))[0]?.text ?? '', /über the zebra/)
    await says('word', 'x'.repeat(32_000))
    assert.deepEqual(await found('x'.repeat(200)), ['word'])
  })

  it('finds the words of HTML between its tags, and no tags', async () => {
    const html = (commentHtml: string) => ({ commentText: '', commentHtml })
    await says('html', '', html('<p class="zebra">One<br>two</p><ul><li>th<b>re</b>e</li></ul>&nbsp;R&amp;D C&#39;est'))
    for (const query of ['one', 'two', 'three', 'r&d', 'c’est', 'one two three'])
      assert.deepEqual(await found(query), ['html'], query)
    for (const query of ['zebra', 'class', 'nbsp', 'onetwo']) assert.deepEqual(await found(query), [], query)
    await says('both', 'The text', { commentHtml: '<p>markup</p>' })
    assert.deepEqual(await found('text'), ['both'])
    assert.deepEqual(await found('markup'), [])
    await says('hostile', '', html(`${'<'.repeat(60_000)}whale`))
    assert.deepEqual(await found('whale'), ['hostile'])
  })

  it('follows changes and deletions of comments, and everything that is deleted with them', async () => {
    await says('a', 'before')
    await reply('a', 'bob', 'before too', 5)
    const on = { ...ON_ROADMAP, annotationId: 'a' }
    await key.call(updateComments, { ...on, commentIds: [5], updatedData: { commentText: 'after' } })
    assert.deepEqual(await found('after'), ['a'])
    assert.deepEqual(await found('too'), [])
    await key.call(deleteComments, { ...on, commentIds: [5] })
    assert.deepEqual(await found('after'), [])
    assert.deepEqual(await found('before'), ['a'])
    await key.call(deleteThreads, { ...ON_ROADMAP, annotationIds: ['a'] })
    assert.deepEqual(await found('before'), [])

    await says('b', 'of a document')
    await key.call(migrateDocument, { organizationId, documentId: 'roadmap', newDocumentId: 'later' })
    const documentOf = async () => (await find('document'))[0]?.documentId
    await eventually('the new id', async () => (await documentOf()) === 'later' || undefined)
    await key.call(deleteDocuments, { organizationId, documentIds: ['later'] })
    assert.deepEqual(await found('document'), [])
    await addThread(
      key,
      { commentData: [comment('ada', { commentText: 'of an organization' })] },
      { documentId: 'plan' },
    )
    assert.equal((await found('organization')).length, 1)
    await key.call(deleteOrganizations, { organizationIds: [organizationId] })
    assert.deepEqual(await found('organization'), [])
  })

  it('finds no text of an erased user, and no mention of the user', async () => {
    await says('a', 'Ask {{gone}} about the whale', {
      taggedUserContacts: [{ userId: 'gone', contact: { userId: 'gone' } }],
    })
    await reply('a', 'gone', 'It is a zebra')
    assert.deepEqual(await found('gone'), ['a'])
    await key.call(deleteUserData, { userIds: ['gone'] })
    await eventually('the erasure', async () => (await found('zebra')).length === 0 || undefined)
    assert.deepEqual(await found('gone'), [])
    assert.deepEqual(await found('whale'), ['a'])
    const { rows } = await server.db.query(
      `select from thread_comments where api_key_id = $1 and (words::text like '%zebra%' or words::text like '%gone%')`,
      [apiKeyOf(key)],
    )
    assert.equal(rows.length, 0)
  })

  it('searches one organization, and nothing of another API key', async () => {
    await says('a', 'secret')
    await addThread(
      key,
      { annotationId: 'b', commentData: [comment('ada', { commentText: 'secret' })] },
      { organizationId: 'globex', documentId: 'd', createOrganization: true, createDocument: true },
    )
    assert.deepEqual(await found('secret'), ['a', 'b'])
    assert.deepEqual(await found('secret', { organizationId: 'globex' }), ['b'])
    const other = await newKeyWithDocuments(server)
    assert.deepEqual(await found('secret', {}, other), [])
    assert.deepEqual(await found('secret', { organizationId }, other), [])
  })
})

describe('search.find for a user', () => {
  const restrict = (documentId: string, accessType: 'restricted' | 'public' = 'restricted') =>
    key.call(setDocumentAccess, { organizationId, documentIds: [documentId], accessType })
  const resources = [{ type: 'document' as const, id: 'roadmap', organizationId }]
  const grant = (userId: string) => key.call(addPermissions, { user: { userId }, permissions: { resources } })

  it('finds the threads that are visible to the user on documents that are open to the user, at that moment', async () => {
    await restrict('roadmap')
    for (const userId of ['bob', 'eve']) await grant(userId)
    const member = [{ type: 'organization' as const, id: organizationId }]
    await key.call(addPermissions, { user: { userId: 'eve' }, permissions: { resources: member } })
    await says('public', 'whale')
    const hidden = (annotationId: string, more: object) =>
      addThread(key, { annotationId, commentData: [comment('ada', { commentText: 'whale' })], ...more })
    await hidden('of-bob', { visibility: { type: 'restricted', userIds: ['bob'] } })
    await hidden('of-members', { visibility: { type: 'organizationPrivate', organizationId } })
    await hidden('with-context', { context: { access: { team: 'x' } } })
    const seenBy = async (userId: string) => {
      const named = await found('whale', { userId })
      assert.deepEqual(await found('whale', {}, await asUser(key, userId)), named)
      assert.deepEqual(await found('whale', { organizationId, userId }), named)
      return named
    }
    assert.equal((await found('whale')).length, 4)
    assert.deepEqual(await seenBy('bob'), ['of-bob', 'public'])
    assert.deepEqual(await seenBy('eve'), ['of-members', 'public'])
    assert.deepEqual(await seenBy('mallory'), [])
    await key.call(removePermissions, { user: { userId: 'bob' }, permissions: { resources } } as never)
    assert.deepEqual(await seenBy('bob'), [])
    const updatedData = { visibility: { type: 'public' as const } }
    await key.call(updateThreads, { ...ON_ROADMAP, annotationIds: ['of-members'], updatedData } as never)
    await restrict('roadmap', 'public')
    assert.deepEqual(await seenBy('mallory'), ['of-members', 'public'])
    await key.call(disableDocuments, { organizationId, documentIds: ['roadmap'], disabled: true })
    assert.deepEqual(await seenBy('mallory'), [])
  })

  it('finds only threads, and with a user token only for the user of the token', async () => {
    await says('a', 'roadmap')
    const user = await asUser(key, 'bob')
    assert.deepEqual(
      (await user.call(runSearch, { query: 'roadmap' })).map(({ kind }) => kind),
      ['thread'],
    )
    assert.deepEqual(
      (await key.call(runSearch, { query: 'roadmap', userId: 'bob' })).map(({ kind }) => kind),
      ['thread'],
    )
    refusedField(await user.post(runSearch.path, { query: 'roadmap', kinds: ['document'] }), 'kinds')
    refusedField(await key.post(runSearch.path, { query: 'x', userId: 'bob', kinds: ['thread', 'user'] }), 'kinds')
    const other = await user.post(runSearch.path, { query: 'roadmap', userId: 'ada' })
    assert.equal(refused(other, 'PERMISSION_DENIED').reason, 'other_user')
    assert.deepEqual(await found('roadmap', { organizationId: 'unknown' }, user), [])
    const unknown = await key.post(runSearch.path, { query: 'x', organizationId: 'unknown', userId: 'bob' })
    assert.equal(refused(unknown, 'NOT_FOUND').reason, 'organization_does_not_exist')
  })
})

describe('a search among thousands of comments', () => {
  /** Adds threads of two comments without events, faster than calls. $4 decides their text by their number `n`. */
  const fill = async (threads: number, text: string, from = 0) => {
    for (const table of ['threads', 'thread_comments'])
      await server.db.query(
        table === 'threads'
          ? `insert into threads (organization_key, resource_key, annotation_id, created_at, last_updated, content, comments_written,
                                  last_position, comment_count, bytes)
             select r.organization_key, r.resource_key, 't' || n, now(), now(), $4::jsonb, 2, 2, 2, 99
               from resources r join organizations o using (organization_key), generate_series($2::int, $3::int - 1) n
              where o.api_key_id = $1 and r.id = 'roadmap'`
          : `insert into thread_comments (organization_key, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes)
             select t.organization_key, t.resource_key, t.annotation_id, p, p, now(), now(),
                    jsonb_build_object('from', jsonb_build_object('userId', 'ada'), 'commentText', ${text}), 9
               from threads t join organizations o using (organization_key)
              cross join lateral (select substr(t.annotation_id, 2)::int as n) n, generate_series(1, 2) p
              where o.api_key_id = $1 and n between $2::int and $3::int - 1 and $4::text is not null`,
        [
          apiKeyOf(key),
          from,
          from + threads,
          JSON.stringify({
            from: { userId: 'ada' },
            status: { id: 'OPEN', type: 'default' },
            visibility: from === 0 ? { type: 'public' } : { type: 'restricted', userIds: ['ada'] },
          }),
        ],
      )
  }

  it('returns the same threads with any page size, each once, whether the index finds them or a scan', async () => {
    await fill(
      1_600,
      `case when n % 1000 = 7 then 'Rare' else 'Common' end || ' paper ' || n || case when n % 3 = 0 then ' again' else '' end`,
    )
    for (const scope of [{}, { organizationId }, { userId: 'bob' }] as const) {
      for (const pageSize of [1, 2, 100]) {
        const { results } = await pages({ query: 'rare', kinds: ['thread'], pageSize, ...scope })
        assert.deepEqual(results.map(({ id }) => id).sort(), ['t1007', 't7'])
      }
      assert.equal((await pages({ query: 'common pap 159', kinds: ['thread'], ...scope })).results.length, 11)
      assert.deepEqual(await pages({ query: 'no such thing', kinds: ['thread'], ...scope }), { results: [], count: 1 })
    }
    // Most are too many for the index, so all pages are scanned.
    await fill(1_000, `'common'`, 1_600)
    for (const [query, count] of [
      ['common again', 534],
      ['common', 2_598],
    ] as const) {
      const { results } = await pages({ query, kinds: ['thread'] })
      assert.equal(results.length, count)
      assert.equal(new Set(results.map(({ id }) => id)).size, count)
    }
  })

  it('has pages for a user that do not depend on hidden threads', async () => {
    await fill(30, `'shared whale ' || n`)
    await fill(400, `'hidden whale ' || n`, 1_000)
    const { results, count } = await pages({ query: 'whale', pageSize: 10 }, await asUser(key, 'bob'))
    assert.equal(results.length, 30)
    assert.equal(count, 3)
    assert.deepEqual(await pages({ query: 'hidden' }, await asUser(key, 'bob')), { results: [], count: 1 })
    assert.equal((await pages({ query: 'hidden', userId: 'ada' })).results.length, 400)
  })

  it('lists a thread of many comments once', async () => {
    const commentData = Array.from({ length: 300 }, (_, nth) => comment('ada', { commentText: `whale ${nth}` }))
    await addThread(key, { annotationId: 'many', commentData })
    await says('other', 'another whale')
    for (const pageSize of [1, 100]) {
      const { results } = await pages({ query: 'whale', kinds: ['thread'], pageSize })
      assert.deepEqual(results.map(({ id }) => id).sort(), ['many', 'other'])
    }
    const { results } = await pages({ query: '299', kinds: ['thread'] })
    assert.equal(results[0]?.text, 'whale 299')
    assert.equal(((await key.call(getThreads, { organizationId, annotationIds: ['many'] })) as unknown[]).length, 1)
  })
})
