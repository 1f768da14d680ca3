/** Counting documents, and selecting them by metadata or by id in a folder. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { failed } from '#contract/core/envelope.ts'
import {
  countDocuments,
  deleteDocuments,
  getDocuments,
  moveDocuments,
  updateDocuments,
} from '#contract/resources/documents.ts'
import { type Acme, newAcme } from '#testing/acme.ts'
import { sharedServer } from '#testing/server.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
})

interface Filter {
  key: string
  operator: '==' | 'in'
  value: unknown
}

const is = (key: string, value: unknown): Filter => ({ key, operator: '==', value })
const isIn = (key: string, ...value: unknown[]): Filter => ({ key, operator: 'in', value })
const get = (data: object = {}): Promise<{ id: string }[]> => acme.call(getDocuments, data)
const idsOf = (documents: { id: string }[]) => documents.map(({ id }) => id)
const count = async (data: object = {}): Promise<number> => (await acme.call(countDocuments, data)).count

/** Returns the ids that match the filters, after checking that documents.count agrees. */
async function chosen(filters: Filter[], more: object = {}): Promise<string[]> {
  const ids = idsOf(await get({ filters, ...more }))
  assert.equal(await count({ filters, ...more }), ids.length)
  return ids
}

describe('documents.count', () => {
  beforeEach(async () => {
    await acme.addTree({ f: 'root', g: 'f', empty: 'root' })
    await acme.addDocuments('root', { documentId: 'top' })
    await acme.addDocuments('f', { documentId: 'f1' }, { documentId: 'f2' })
    await acme.addDocuments('g', { documentId: 'g1' })
  })

  it('counts the organization, its top level, or one folder without its subfolders', async () => {
    await acme.grant('document', 'declared', 'ada')
    const counts = () => Promise.all([{}, ...['root', 'f', 'g', 'empty'].map((folderId) => ({ folderId }))].map(count))
    assert.deepEqual(await counts(), [4, 1, 2, 1, 0])
    await acme.call(moveDocuments, { documentIds: ['f1'], folderId: 'empty' })
    await acme.call(deleteDocuments, { documentIds: ['top'] })
    assert.deepEqual(await counts(), [3, 0, 1, 1, 1])
  })

  it('counts only documents in no folder with excludeFolderDocs', async () => {
    assert.equal(await count({ excludeFolderDocs: true }), 1)
    assert.equal(await count({ excludeFolderDocs: true, folderId: 'root' }), 1)
    assert.equal(await count({ excludeFolderDocs: false }), 4)
    assert.equal(await count({ excludeFolderDocs: false, filters: [is('x', 1)] }), 0)
    refusedField(await acme.post(countDocuments, { excludeFolderDocs: true, folderId: 'f' }), 'folderId')
    const both = { excludeFolderDocs: true, filters: [is('x', 1)] }
    refusedField(await acme.post(countDocuments, both), 'filters', /give folderId: "root" instead/)
  })

  it('says when filters were applied', async () => {
    assert.deepEqual(await acme.call(countDocuments), { count: 4 })
    assert.deepEqual(await acme.call(countDocuments, { filters: [is('x', 1)] }), { count: 0, filtersApplied: true })
  })

  it('responds NOT_FOUND for an unknown organization or folder', async () => {
    await acme.grant('folder', 'declared', 'ada')
    const reason = async (data: object) => refused(await acme.post(countDocuments, data), 'NOT_FOUND').reason
    assert.equal(await reason({ organizationId: 'nope' }), 'organization_does_not_exist')
    for (const folderId of ['nope', 'declared']) assert.equal(await reason({ folderId }), 'folder_does_not_exist')
  })
})

describe('filters', () => {
  it('compare JSON values including their type', async () => {
    const values = [1, '1', true, null, 'a', 'A', '', 1.5, [1, 2], [2, 1], { x: 1, y: 2 }, {}, []]
    await acme.addDocuments(
      'root',
      ...values.map((value, index) => ({ documentId: `d${String(index).padStart(2, '0')}`, value })),
      { documentId: 'none' },
    )
    for (const [index, value] of values.entries())
      assert.deepEqual(
        await chosen([is('value', value)]),
        [`d${String(index).padStart(2, '0')}`],
        JSON.stringify(value),
      )
    assert.deepEqual(await chosen([is('value', { y: 2, x: 1 })]), ['d10'])
    for (const value of [2, 'true', { x: 1 }, [1], false]) assert.deepEqual(await chosen([is('value', value)]), [])
    assert.deepEqual(await chosen([isIn('value', 1, 'a', null, [2, 1], 'other')]), ['d00', 'd03', 'd04', 'd09'])
  })

  it('must all match, within the folder of the call', async () => {
    await acme.addTree({ f: 'root' })
    await acme.addDocuments('root', { documentId: 'a', color: 'red', size: 1 }, { documentId: 'b', color: 'red' })
    await acme.addDocuments(
      'f',
      { documentId: 'c', color: 'red', size: 2 },
      { documentId: 'd', color: 'blue', size: 2 },
    )
    const red = is('color', 'red')
    assert.deepEqual(await chosen([red]), ['a', 'b', 'c'])
    assert.deepEqual(await chosen([red], { folderId: 'root' }), ['a', 'b'])
    assert.deepEqual(await chosen([red], { folderId: 'f' }), ['c'])
    assert.deepEqual(await chosen([red, isIn('size', 1, 2)]), ['a', 'c'])
    assert.deepEqual(await chosen([red, is('color', 'blue')]), [])
    assert.deepEqual(await chosen([red, isIn('size', 1, 2)], { folderId: 'f' }), ['c'])
    assert.deepEqual(await chosen([is('nope', 1)]), [])
    await acme.call(updateDocuments, { documents: [{ documentId: 'a', color: null }] })
    assert.deepEqual(await chosen([red]), ['b', 'c'])
  })

  it('match metadata, whatever the field name', async () => {
    const names = ['constructor', 'toString', "it's", 'a.b', '$1', 'metadata']
    await acme.addDocuments(
      'root',
      ...names.map((name, index) => ({
        documentId: `d${index}`,
        documentName: 'D',
        ...Object.fromEntries([[name, 1]]),
      })),
    )
    for (const [index, name] of names.entries()) assert.deepEqual(await chosen([is(name, 1)]), [`d${index}`], name)
  })

  it('are part of the scope of a page token', async () => {
    await acme.addTree({ f: 'root' })
    const documents = Array.from({ length: 10 }, (_, index) => ({ documentId: `d${index}`, even: index % 2 === 0 }))
    await acme.addDocuments('f', ...documents)
    for (const place of [{}, { folderId: 'f' }]) {
      const query = { ...place, filters: [is('even', true)], pageSize: 2 }
      const { result } = (await acme.post(getDocuments, query)).body
      assert.deepEqual(idsOf(result.data), ['d0', 'd2'])
      const pageToken = result.nextPageToken
      const next = (await acme.post(getDocuments, { ...query, pageToken })).body.result
      assert.deepEqual(idsOf(next.data), ['d4', 'd6'])
      assert.deepEqual(idsOf(await get({ ...query, pageToken: next.nextPageToken })), ['d8'])
      for (const filters of [undefined, [is('even', false)], [isIn('even', true, false)]])
        refusedField(await acme.post(getDocuments, { ...query, filters, pageToken }), 'pageToken')
    }
  })

  it('are refused if larger or deeper than metadata can be', async () => {
    const deep = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`
    const asked = (filter: string) =>
      `{"data":{"organizationId":"acme","filters":[${JSON.stringify(is('x', 1))},${filter}]}}`
    const bad: [string, string][] = [
      [`{"key":"x","operator":"==","value":${deep(20)}}`, 'filters[1] must not nest deeper than 20 levels'],
      [`{"key":"x","operator":"in","value":${deep(1_000_000)}}`, 'filters[1] must not nest deeper than 20 levels'],
      [
        JSON.stringify(isIn('x', 'a'.repeat(33_000), 'b'.repeat(33_000))),
        'filters[1] must not have more than 65536 bytes of metadata',
      ],
    ]
    for (const { path } of [getDocuments, countDocuments]) {
      for (const [filter, message] of bad) refusedField(await acme.key.raw(path, asked(filter)), 'filters[1]', message)
      assert.equal((await acme.key.raw(path, asked(`{"key":"x","operator":"==","value":${deep(19)}}`))).http, 200)
    }
  })

  it('are refused if malformed', async () => {
    const bad: [unknown, string, (string | RegExp)?][] = [
      [[], 'filters', 'filters must have at least 1 item'],
      [Array.from({ length: 11 }, () => is('x', 1)), 'filters', 'filters must not have more than 10 items'],
      [[{ key: 'x', operator: '~', value: 1 }], 'filters[0].operator'],
      [[{ operator: '==', value: 1 }], 'filters[0].key', 'filters[0].key is required'],
      [[is('', 1)], 'filters[0].key', 'filters[0].key must not be empty'],
      [[{ key: 'x', operator: '==' }], 'filters[0].value', 'filters[0].value is required'],
      ...[1, 'a', null, {}, [], Array.from({ length: 101 }, () => 1)].map((value): [unknown, string, string] => [
        [is('x', 1), { key: 'x', operator: 'in', value }],
        'filters[1].value',
        'filters[1].value must be a list of 1 to 100 values when operator is "in"',
      ]),
    ]
    for (const operation of [getDocuments, countDocuments])
      for (const [filters, field, message] of bad) refusedField(await acme.post(operation, { filters }), field, message)
    assert.equal(await count({ filters: Array.from({ length: 10 }, () => is('x', 1)) }), 0)
    assert.equal(await count({ filters: [isIn('x', ...Array.from({ length: 100 }, (_, index) => index))] }), 0)
  })
})

describe('documents.get with documentIds', () => {
  it('finds with folderId only documents directly in that folder', async () => {
    await acme.addTree({ f: 'root', g: 'f' })
    await acme.addDocuments('root', { documentId: 'top' })
    await acme.addDocuments('f', { documentId: 'in' })
    await acme.addDocuments('g', { documentId: 'below' })
    const documentIds = ['below', 'in', 'top']
    const missing = (id: string) => failed(id, 'not-found', 'The document does not exist.')
    const found = (id: string, folderId?: string) => ({
      id,
      disabled: false,
      accessType: 'public',
      inheritAccessFromParent: true,
      ...(folderId ? { folderId } : {}),
    })
    assert.deepEqual(await get({ documentIds, folderId: 'f' }), [missing('below'), found('in', 'f'), missing('top')])
    assert.deepEqual(await get({ documentIds, folderId: 'root' }), [missing('below'), missing('in'), found('top')])
    assert.deepEqual(await get({ documentIds }), [found('below', 'g'), found('in', 'f'), found('top')])
    const unknown = await acme.post(getDocuments, { documentIds, folderId: 'nope' })
    assert.equal(refused(unknown, 'NOT_FOUND').reason, 'folder_does_not_exist')
  })

  it('takes no filters', async () => {
    const answer = await acme.post(getDocuments, { documentIds: ['a'], filters: [is('x', 1)] })
    refusedField(answer, 'filters', 'filters must not be given together with documentIds')
  })
})
