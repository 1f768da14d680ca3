/** The URL of a bucket on Citus leads to the node that has it, and otherwise equals the URL of the coordinator. */
import assert from 'node:assert/strict'
import pg from 'pg'
import { it } from 'vitest'
import { citusUrl, nodeUrl, readCitusUrl, withSearchPath } from './address.ts'

it('a bucket on Citus is reached at its node as its coordinator is, and finds its own names there', () => {
  const coordinator = 'postgres://app:p%2Bw@lead:6432/data?sslmode=require'
  const address = readCitusUrl(citusUrl(coordinator, 'eu-1'))
  assert.equal(address?.coordinator, coordinator)
  assert.equal(address.schemas.tables, 'commonhold_eu_1')
  const node = { host: 'worker-2', port: 5433 }
  const client = new pg.Client({ connectionString: withSearchPath(nodeUrl(coordinator, node), ['one', 'two']) })
  const { host, port, user, password, database } = client
  assert.deepEqual([host, port, user, password, database], ['worker-2', 5433, 'app', 'p+w', 'data'])
  const { options } = (client as unknown as { connectionParameters: { options: string } }).connectionParameters
  assert.equal(options, '-c search_path=one,two')
})

it('the URL of another database has no schema of Citus', () => {
  assert.equal(readCitusUrl('postgres://app@db1/data?sslmode=require'), undefined)
})
