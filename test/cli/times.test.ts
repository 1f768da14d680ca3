/** Times on the command line: a written time either means exactly one moment, which the command prints, or is refused. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { environmentOf } from '#testing/processes/cli.ts'
import { cliInProcess } from '#testing/processes/in-process-cli.ts'
import { sharedServer } from '#testing/server.ts'
import { endSeconds, spanSeconds } from '../../cli/times.ts'
import { newCallers } from '../conformance/support/callers.ts'

const server = await sharedServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const environment = environmentOf(server.url, await newCallers(server.url))
const cli = (...args: string[]) => cliInProcess(args, environment)
const grant = (when: string, ...more: string[]) =>
  cli('grant', 'add', 'ada', 'organization:acme', '--expires', when, '--replace', ...more)

const DAY = 86_400

/** Written times, and the moments that they mean. */
const MOMENTS: Readonly<Record<string, string>> = {
  '2090-02-28': '2090-02-28T00:00:00Z',
  '2092-02-29': '2092-02-29T00:00:00Z',
  '2090-02-28T12:00Z': '2090-02-28T12:00:00Z',
  '2090-02-28T12:00:30Z': '2090-02-28T12:00:30Z',
  '2090-02-28T12:00:30.999Z': '2090-02-28T12:00:30Z',
  '2090-02-28T12:00+02:00': '2090-02-28T10:00:00Z',
  '2090-02-28T00:00:00+05:30': '2090-02-27T18:30:00Z',
  '2090-12-31T23:00-02:00': '2091-01-01T01:00:00Z',
  '2090-02-28T12:00+14:00': '2090-02-27T22:00:00Z',
  '2090-02-28T12:00-12:00': '2090-03-01T00:00:00Z',
  '3792182400': '2090-03-03T00:00:00Z',
}

const ZONE = /must have a time zone: write .*Z for UTC, or an offset such as .*\+02:00/
const CALENDAR = /must be a date and a time that exist/
const OFFSET = /must have the offset of a time zone: from -12:00 to \+14:00/
const FORM = /must be a time such as/
const UNIT = /must have a unit if it is a span, such as/
const PAST = /must be in the future; .* is .*Z, .* ago\./

const REFUSED: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    CALENDAR,
    ['2090-02-31', '2090-02-29', '2100-02-29', '2090-04-31', '2090-13-01', '2090-00-10', '2090-01-00'].flatMap(
      (date) => [date, `${date}T12:00Z`],
    ),
  ],
  [CALENDAR, ['2090-01-31T24:00Z', '2090-01-31T25:00Z', '2090-01-31T12:60Z']],
  [
    OFFSET,
    ['+14:01', '+14:59', '+23:59', '+25:00', '+99:00', '-12:01', '-23:59'].map((zone) => `2090-01-31T12:00${zone}`),
  ],
  [ZONE, ['2090-02-28T12:00', '2090-02-28T12:00:00', '2090-02-28T12:00:00.5']],
  [
    FORM,
    [
      ...['2090-02-28 or so', '2090-02-28T12:00Z later', '2090-02-28Z', '2090-02-28 12:00', '2090-02-28T12:00Z[UTC]'],
      ...['2090-2-8', '28-02-2090', '02/28/2090', '2090-W09-2', '+002090-02-28', 'Feb 28 2090', '2090-02-28\n'],
      ...['2090-02-28T12:00:60Z', '2090-02-28T12Z', '2090-02-28t12:00z', '2090-02-28T12:00 Z', '2090-02-28T12:00 CET'],
      ...[
        'tomorrow',
        '',
        ' ',
        '30 d',
        '30d later',
        '1m1h',
        '1d1d',
        '-1d',
        '1.5d',
        '1M',
        '30D',
        '0x7fffffff',
        '4e9',
        '٣٠d',
      ],
    ],
  ],
  [UNIT, ['0', '1', '30', '946684800']],
  [/milliseconds/, ['3792182400000', '123456789012']],
  [PAST, ['1000000000', '2001-09-09', '2020-02-28T12:00Z', '0d']],
  [/from 1970 to 5138/, ['99999999d', '9999-12-31', '1969-12-31']],
]

describe('the end of a grant', () => {
  it('is the written moment, which is printed in UTC with the time until then', async () => {
    for (const [when, moment] of Object.entries(MOMENTS)) {
      const { code, stdout, stderr } = await grant(when)
      assert.equal(code, 0, `${when}: ${stderr}`)
      assert.match(stdout, new RegExp(`, until ${moment}, in \\d[\\d,]* days\\.`), when)
      assert.match((await cli('grant', 'list', '--org', 'acme')).stdout, new RegExp(` ${moment}`))
    }
  })

  it('can be a span from now', async () => {
    const spans = { '30d': 'in 30 days', '1h30m': 'in 90 minutes', '1w1d': 'in 8 days', '1d': 'in 24 hours' }
    for (const [span, words] of Object.entries(spans))
      assert.match((await grant(span)).stdout, new RegExp(`, until \\S+Z, ${words}\\.( Before: .+)?\\n`), span)
  })

  it('is not printed with --json', async () => {
    assert.doesNotMatch((await grant('30d', '--json')).stdout, /Expires/)
  })

  it('is refused when it is not a moment, or has passed', async () => {
    for (const [why, words] of REFUSED)
      for (const word of words) assert.throws(() => endSeconds(word, '--expires'), why, JSON.stringify(word))
    const { code, stderr } = await grant('2090-02-31')
    assert.equal(code, 2)
    assert.match(stderr, CALENDAR)
    assert.match(stderr, /next {3}A time is a span such as 30d/)
  })
})

describe('other times', () => {
  it('of tokens, events and webhooks are read and printed in the same way', async () => {
    assert.equal((await cli('webhooks', 'enable')).code, 0)
    const created = await cli('webhooks', 'create', 'https://example.com/', '--json')
    const endpoint = JSON.parse(created.stdout).id
    const period = ['--since', '2020-02-28', '--until', '2090-02-28T12:00+02:00']
    const understood = /Since 2020-02-28T00:00:00Z, .* days ago\.\n {2}Until 2090-02-28T10:00:00Z, in .* days\.\n$/
    const replayed = await cli('webhooks', 'replay', endpoint, ...period)
    assert.match(replayed.stdout, understood, replayed.stderr)
    for (const command of ['list', 'export']) assert.match((await cli('events', command, ...period)).stderr, understood)
    for (const args of [
      ['events', 'list', '--since', '2020-02-31'],
      ['events', 'export', '--until', '2020-02-28T12:00'],
      ['events', 'tail', '--since', '7'],
      ['webhooks', 'replay', endpoint, '--since', '1582848000000'],
      ['token', 'create', environment.COMMONHOLD_API_KEY ?? '', 'name', '--expires', '2020-02-28'],
      ['workspace-token', 'create', 'name', '--expires', '2090-02-28 12:00'],
      ['dev', '--clock', '2030-02-31T12:00:00Z'],
      ['dev', '--clock', '2030-01-31T12:00:00'],
    ])
      assert.equal((await cli(...args)).code, 2, args.join(' '))
  })

  it('are spans with units, or seconds', () => {
    const spans = { '90': 90, '90s': 90, '1h30m': 5_400, '7d': 7 * DAY, '2w': 14 * DAY }
    for (const [word, seconds] of Object.entries(spans)) assert.equal(spanSeconds(word, '--grace'), seconds)
    for (const word of ['', '1.5h', '-1h', '1h later', '2030-01-31', '1m1h', 'h', '1e3'])
      assert.throws(() => spanSeconds(word, '--grace'), /must be a span such as/, word)
  })
})
