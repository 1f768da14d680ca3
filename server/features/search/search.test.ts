/** The search: what it finds, in which order, and that it follows every change (rules/contract.md#search). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { addDocuments, deleteDocuments, disableDocuments, updateDocuments } from '#contract/resources/documents.ts'
import { addFolders, deleteFolder, updateFolders } from '#contract/resources/folders.ts'
import { migrateDocument } from '#contract/resources/migrations.ts'
import { addOrganizations, deleteOrganizations, updateOrganizations } from '#contract/resources/organizations.ts'
import { runSearch, type SearchResult } from '#contract/resources/search.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { deleteUserData } from '#contract/users/user-data.ts'
import { addUserGroups, deleteUserGroups, updateUserGroups } from '#contract/users/user-groups.ts'
import { addUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const organizationId = 'acme'
let key: Client
beforeEach(async () => {
  key = await server.newKey()
  await key.call(addOrganizations, { organizations: [{ organizationId, organizationName: 'Acme Inc.' }] })
})

type Query = DataOf<typeof runSearch>

const find = (query: string, more: Partial<Query> = {}) => key.call(runSearch, { query, ...more })
const idsOf = (results: readonly SearchResult[]) => results.map(({ kind, id }) => `${kind} ${id}`)
const found = async (query: string, more: Partial<Query> = {}) => idsOf(await find(query, more))
const addDocs = (...documents: DataOf<typeof addDocuments>['documents']) =>
  key.call(addDocuments, { organizationId, documents })

/** Returns the results of all pages, and the number of pages. */
async function pages(data: Query): Promise<{ results: SearchResult[]; count: number }> {
  const results: SearchResult[] = []
  let pageToken: string | undefined
  for (let count = 1; ; count++) {
    const { body } = await key.post(runSearch.path, { ...data, ...(pageToken !== undefined && { pageToken }) })
    results.push(...body.result.data)
    pageToken = body.result.nextPageToken
    if (pageToken === undefined) return { results, count }
  }
}

describe('search.find', () => {
  it('finds organizations, users, user groups, folders and documents, each with distinguishing fields', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'plans', folderName: 'Road plans' }] })
    await key.call(addDocuments, {
      organizationId,
      folderId: 'plans',
      documents: [{ documentId: 'roadmap', documentName: 'The map' }],
    })
    await key.call(addOrganizations, { organizations: [{ organizationId: 'roadworks' }] })
    await key.call(setProfiles, { users: [{ userId: 'u7', name: 'Ada Rhodes', email: 'ada@roads.example' }] })
    await key.call(addUserGroups, {
      organizationId,
      organizationUserGroups: [{ groupId: 'g1', groupName: 'Road crew' }],
    })
    const acme = { organizationId, organizationName: 'Acme Inc.' }
    assert.deepEqual(await find('road'), [
      { kind: 'organization', id: 'roadworks' },
      { kind: 'userGroup', id: 'g1', name: 'Road crew', ...acme },
      { kind: 'folder', id: 'plans', name: 'Road plans', ...acme },
      { kind: 'document', id: 'roadmap', name: 'The map', ...acme, folderId: 'plans', folderName: 'Road plans' },
      { kind: 'user', id: 'u7', name: 'Ada Rhodes', email: 'ada@roads.example' },
    ])
    assert.deepEqual(await found('road', { kinds: ['user', 'organization'] }), ['organization roadworks', 'user u7'])
  })

  it('lists exact matches first, then names that begin with the query, then names that contain it', async () => {
    await addDocs({ documentId: 'x1', documentName: 'Annual report' }, { documentId: 'x2', documentName: 'Reports' })
    await addDocs({ documentId: 'report' }, { documentId: 'x3', documentName: 'Report' })
    const [first, second, ...rest] = await found('report')
    assert.deepEqual([first, second].sort(), ['document report', 'document x3'])
    assert.deepEqual(rest, ['document x2', 'document x1'])
  })

  it('ignores case, accents and repeated white space, in stored text and in the query', async () => {
    const names = [
      'Übersicht',
      'Crème brûlée',
      'ДОГОВОР №5',
      'ΟΔΟΣ',
      'Straße',
      'Ｆｕｌｌ width',
      'İstanbul',
      'Łódź',
      '契約書 2026',
    ]
    await addDocs(...names.map((documentName, index) => ({ documentId: `n${index}`, documentName })))
    const queries = [
      'ubersicht',
      'creme  BRULEE',
      'договор',
      'οδός',
      'STRASSE',
      'full Width',
      'istanbul',
      'lodz',
      '契約',
    ]
    for (const [index, query] of queries.entries()) assert.deepEqual(await found(query), [`document n${index}`], query)
    assert.deepEqual(await found('約書 20'), [], 'words of two characters are found at a beginning alone')
    assert.deepEqual(await found('2026'), ['document n8'])
  })

  it('finds beginnings of one or two characters, and names that contain all of several words', async () => {
    await addDocs(
      { documentId: 'zq1' },
      { documentId: 'azq' },
      { documentId: 'm', documentName: 'Minutes of the board' },
    )
    assert.deepEqual(await found('z'), ['document zq1'])
    assert.deepEqual(await found('ZQ'), ['document zq1'])
    assert.deepEqual(await found('azq'), ['document azq'])
    assert.deepEqual(await found('board minutes'), ['document m'])
    assert.deepEqual(await found('board of'), ['document m'])
    assert.deepEqual(await found('board zq1'), [])
  })

  it('treats every character literally', async () => {
    await addDocs({ documentId: '100%_a\\b' }, { documentId: '100 a b' }, { documentId: 'o\'neil "x"' })
    assert.deepEqual(await found('00%_a\\'), ['document 100%_a\\b'])
    assert.deepEqual(await found('\'neil "'), ['document o\'neil "x"'])
    for (const query of ['%', '___', ' ', '\u0301', '\u00a0']) assert.deepEqual(await found(query), [])
  })

  it('forgives one typo if nothing contains the query, and reports that', async () => {
    await addDocs(
      { documentId: 'd1', documentName: 'Film budget' },
      { documentId: 'd2', documentName: 'Budget of the film 2026' },
      { documentId: 'd3', documentName: 'Überweisung' },
      { documentId: 'd4', documentName: 'Steel-invoice (final)' },
    )
    await key.call(setProfiles, { users: [{ userId: 'u1', name: 'Ada Lovelace', email: 'ada@mill.example' }] })
    const both = ['document d1', 'document d2']
    const typos: [expected: string[], queries: string[]][] = [
      [
        both,
        ['film budgt', 'film budgeet', 'film budhet', 'flim budget', 'gilm budget', 'xfilm budget', 'FILM BUDEGT'],
      ],
      [both, ['bdget', 'budgetx', 'budxet', 'budeg', 'bduget', 'filmb udget', 'fil mbudget']],
      [['document d1'], ['filmbudget', 'film_budget']],
      [['document d3'], ['uberwesung', 'UBERWEISNUG', 'Übrweisung']],
      [['document d4'], ['invioce', 'invoce', 'steel_invoice']],
      [['user u1'], ['lovelcae', 'lovlace', 'aad', 'ada@mil.example', 'adda lovelace']],
    ]
    for (const [expected, queries] of typos) {
      for (const query of queries) {
        const results = await find(query)
        assert.deepEqual(idsOf(results), expected, query)
        assert.ok(results[0]?.near, query)
      }
    }
    for (const query of ['fxlm budgxt x', 'fxlx', 'lm', 'ax', 'a b c d e f g h i', 'x'.repeat(40)])
      assert.deepEqual(await find(query), [], query)
    assert.deepEqual(await found('film budget'), both)
    assert.equal((await find('film budget'))[0]?.near, undefined)
    await addDocs({ documentId: 'd5', documentName: 'Film budgt' })
    assert.deepEqual(await found('film budgt'), ['document d5'], 'what contains the query hides what only resembles it')
    assert.deepEqual((await pages({ query: 'budget', pageSize: 1 })).results.length, 2, 'nor is it on a later page')
  })

  it('returns what was never added behind what resembles the query as much', async () => {
    const place = { type: 'document' as const, id: 'road-map', accessRole: 'viewer' as const }
    await key.call(addPermissions, {
      user: { userId: 'u1' },
      permissions: { resources: ['one', 'two', 'three'].map((organizationId) => ({ ...place, organizationId })) },
    })
    await addDocs({ documentId: 'road-map' })
    const results = await find('raod-map')
    assert.deepEqual(
      results.map(({ declared = false }) => declared),
      [false, true, true, true],
    )
  })

  it('forgives two typos in long words, and one in each of the others, like lists of the console', async () => {
    await addDocs(
      { documentId: 'd1', documentName: 'Film budget' },
      { documentId: 'd2', documentName: 'Netherlands price list' },
      { documentId: 'd3', documentName: 'Campaign' },
      { documentId: 'd4', documentName: 'Campaigning abroad, with a long title' },
    )
    await key.call(setProfiles, { users: [{ userId: 'u1', name: 'Clara Peeters-Vandenberghe' }] })
    const typos: [expected: string[], queries: string[]][] = [
      [['document d1'], ['flim budgt', 'fil budge budxet']],
      [
        ['document d2'],
        ['nehterlnads', 'ntherlnds', 'xxetherlands', 'nederlands', 'etherland pirce', 'neetherlandds lst'],
      ],
      [
        ['document d3', 'document d4'],
        ['capmagin', 'campxxgn', 'acmpaing', 'kampeign'],
      ],
      [['user u1'], ['petters-vandenbreghe', 'vandenbrghhe', 'vandnberge']],
    ]
    for (const [expected, queries] of typos)
      for (const query of queries) {
        const results = await find(query)
        assert.deepEqual(idsOf(results), expected, query)
        assert.ok(results[0]?.near, query)
      }
    await addDocs(
      { documentId: 'd5', documentName: 'Film budget plan' },
      { documentId: 'd6', documentName: 'Film budget planning of next year' },
    )
    const sorted = await find('filmm budgett plann')
    assert.deepEqual(
      idsOf(sorted),
      ['document d5', 'document d6'],
      'shorter than the query by a character in each word',
    )
    for (const query of ['budxxt', 'caxxxign', 'nextherxandsx lxxt']) assert.deepEqual(await find(query), [], query)
  })

  it('searches one organization, and there users with a grant', async () => {
    await key.call(addOrganizations, { organizations: [{ organizationId: 'other', organizationName: 'Other maps' }] })
    await addDocs({ documentId: 'map' })
    await key.call(addDocuments, {
      organizationId: 'other',
      documents: [{ documentId: 'map' }, { documentId: 'mapped' }],
    })
    await key.call(addUsers, { organizationId: 'other', users: [{ userId: 'mapper' }] })
    await key.call(setProfiles, { users: [{ userId: 'mapless' }] })
    assert.deepEqual(await found('map', { organizationId }), ['document map'])
    const there = await found('map', { organizationId: 'other' })
    assert.deepEqual(there.slice(0, 1), ['document map'])
    assert.deepEqual(there.slice(1).sort(), ['document mapped', 'organization other', 'user mapper'])
    assert.equal((await found('map', { kinds: ['user'] })).length, 2)
    const unknown = await key.post(runSearch.path, { query: 'map', organizationId: 'unknown' })
    assert.equal(refused(unknown, 'NOT_FOUND').reason, 'organization_does_not_exist')
  })

  it('follows renames and deletions', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'f', folderName: 'Before' }] })
    await key.call(addDocuments, {
      organizationId,
      folderId: 'f',
      documents: [{ documentId: 'd', documentName: 'Before' }, { documentId: 'e' }],
    })
    await key.call(setProfiles, { users: [{ userId: 'u', name: 'Before' }] })
    await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'g', groupName: 'Before' }] })
    await key.call(updateOrganizations, { organizations: [{ organizationId, organizationName: 'Before' }] })
    const all = ['organization acme', 'user u', 'userGroup g', 'folder f', 'document d']
    assert.deepEqual(await found('before'), all)

    await key.call(updateFolders, { organizationId, folders: [{ folderId: 'f', folderName: 'After' }] })
    await key.call(updateDocuments, { organizationId, documents: [{ documentId: 'd', documentName: 'After' }] })
    await key.call(setProfiles, { users: [{ userId: 'u', name: 'After' }] })
    await key.call(updateUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'g', groupName: 'After' }] })
    await key.call(updateOrganizations, { organizations: [{ organizationId, organizationName: 'After' }] })
    assert.deepEqual(await found('before'), [])
    assert.deepEqual(await found('after'), all)

    await key.call(deleteDocuments, { organizationId, documentIds: ['d'] })
    await key.call(deleteUserGroups, { organizationId, organizationUserGroupIds: ['g'] })
    assert.deepEqual(await found('after'), ['organization acme', 'user u', 'folder f'])
    await key.call(deleteFolder, { organizationId, folderId: 'f' })
    assert.deepEqual(await found('e', { kinds: ['document'] }), [])
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'last' }] })
    await key.call(deleteOrganizations, { organizationIds: [organizationId] })
    assert.deepEqual(await found('after'), ['user u'])
    assert.deepEqual(await found('last'), [])
    await key.call(addOrganizations, { organizations: [{ organizationId, organizationName: 'After all' }] })
    assert.deepEqual(await found('after', { kinds: ['organization'] }), ['organization acme'])
  })

  it('finds a migrated document by its new id, and an erased user not at all', async () => {
    await addDocs({ documentId: 'earlier' })
    await key.call(migrateDocument, { organizationId, documentId: 'earlier', newDocumentId: 'later' })
    await eventually('the new id', async () => (await found('later')).length > 0 || undefined)
    assert.deepEqual(await found('later'), ['document later'])
    assert.deepEqual(await found('earlier'), [])
    await key.call(setProfiles, { users: [{ userId: 'gone', email: 'gone@example.com' }] })
    assert.deepEqual(await found('gone@example.com'), ['user gone'])
    await key.call(deleteUserData, { userIds: ['gone'] })
    await eventually('the erasure', async () => (await found('gone')).length === 0 || undefined)
    const { rows } = await server.db.query('select from search_entries where api_key_id = $1 and words ~ $2', [
      apiKeyOf(key),
      'gone',
    ])
    assert.equal(rows.length, 0)
  })

  it('marks disabled results, and those that only a grant has named', async () => {
    await addDocs({ documentId: 'off' })
    await key.call(disableDocuments, { organizationId, documentIds: ['off'], disabled: true })
    const resource = { type: 'document', id: 'offered', organizationId, accessRole: 'viewer' } as const
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [resource] } })
    const acme = { organizationId, organizationName: 'Acme Inc.' }
    assert.deepEqual(await find('off'), [
      { kind: 'document', id: 'off', ...acme, disabled: true },
      { kind: 'document', id: 'offered', ...acme, declared: true },
    ])
    await addDocs({ documentId: 'offered', documentName: 'On offer' })
    assert.deepEqual(await find('on offer'), [{ kind: 'document', id: 'offered', name: 'On offer', ...acme }])
  })

  it('finds nothing of another API key', async () => {
    await addDocs({ documentId: 'secret' })
    const other = await server.newKey()
    assert.deepEqual(await other.call(runSearch, { query: 'secret' }), [])
  })

  it('refuses an empty query, one that is too long, and unknown kinds', async () => {
    refusedField(await key.post(runSearch.path, { query: '' }), 'query')
    refusedField(await key.post(runSearch.path, { query: 'x'.repeat(201) }), 'query')
    refusedField(await key.post(runSearch.path, { query: 'x', kinds: ['file'] }), 'kinds[0]')
  })
})

/** Adds documents without events, faster than calls. $3 decides their names by their number `d`. */
const fill = (count: number, name: string) =>
  server.db.query(
    `insert into resources (organization_key, resource_key, kind, id, name, added_at)
     select organization_key, gen_random_uuid(), 'document', 'doc' || d, ${name}, now()
       from organizations, generate_series(0, $2::int - 1) d where api_key_id = $1`,
    [apiKeyOf(key), count],
  )

describe('a search among thousands', () => {
  it('returns the same set with any page size, each once, whether the index finds it or a scan', async () => {
    await fill(2_500, `case when d % 1000 = 7 then 'Rare' else 'Common' end || ' paper ' || d`)
    for (const scope of [{}, { organizationId }] as const) {
      for (const pageSize of [1, 2, 100]) {
        const { results } = await pages({ query: 'rare', pageSize, ...scope })
        assert.deepEqual(results.map(({ id }) => id).sort(), ['doc1007', 'doc2007', 'doc7'])
      }
      assert.equal((await pages({ query: 'paper 199', ...scope })).results.length, 13)
      assert.deepEqual(await pages({ query: 'no such thing', ...scope }), { results: [], count: 1 })
      for (const typo of ['rrae paper', 'common rarre', 'paper 10007', 'rrae papre'])
        assert.deepEqual(
          (await pages({ query: typo, pageSize: 2, ...scope })).results.map(({ near }) => near).filter(Boolean).length,
          { 'rrae paper': 2, 'common rarre': 0, 'paper 10007': 2, 'rrae papre': 2 }[typo],
          typo,
        )
    }
    const { results, count } = await pages({ query: 'common' })
    assert.equal(new Set(results.map(({ id }) => id)).size, 2_497)
    assert.equal(count, 25)
  })

  it('ends a page early if many have all the parts, but not in this order, and continues', async () => {
    await fill(3_000, `'xaya zaxa yaza ' || d`)
    await addDocs({ documentId: 'wanted', documentName: 'xayaza' })
    const { results, count } = await pages({ query: 'ayaza' })
    assert.deepEqual(idsOf(results), ['document wanted'])
    assert.equal(count, 1)
  })
})
