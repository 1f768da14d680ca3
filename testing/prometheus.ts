/** A strict parser of the text format of Prometheus (exposition format 0.0.4), and the rules of `promtool check metrics`. */
import assert from 'node:assert/strict'

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

export interface Family {
  name: string
  type: string
  help: string
  samples: Sample[]
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y
const SUFFIXES: Record<string, readonly string[]> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < text.length) {
    const at = LABEL.lastIndex
    const [, name = '', value = ''] = LABEL.exec(text) ?? assert.fail(`bad labels at ${at}: ${text}`)
    assert.ok(!Object.hasOwn(labels, name), `a label twice: ${text}`)
    labels[name] = value.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped))
  }
  return labels
}

const numberOf = (text: string): number => {
  if (/^[+-]Inf$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  // Prometheus ignores its case, and prom-client writes `Nan`.
  if (/^nan$/i.test(text)) return Number.NaN
  assert.match(text, /^([+-]?\d+(\.\d+)?(e[+-]?\d+)?)$/, `no number: ${text}`)
  return Number(text)
}

/** Returns the metric families by name. Fails on any violation of the format. */
export function parseMetrics(text: string): Map<string, Family> {
  assert.ok(text.endsWith('\n'), 'the last line has no end')
  const families = new Map<string, Family>()
  let family: Family | undefined
  for (const line of text.split('\n').slice(0, -1)) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (kind === 'HELP') {
      assert.match(name, NAME)
      assert.ok(!families.has(name), `${name} comes twice`)
      family = { name, type: '', help: rest, samples: [] }
      families.set(name, family)
    } else if (kind === 'TYPE') {
      assert.ok(
        family?.name === name && family.type === '' && family.samples.length === 0,
        `TYPE out of place: ${line}`,
      )
      assert.match(rest, /^(counter|gauge|histogram|summary|untyped)$/)
      family.type = rest
    } else if (line !== '') {
      const [, sample = '', labels = '', value = ''] = SAMPLE.exec(line) ?? assert.fail(`no sample: ${line}`)
      assert.ok(family !== undefined && family.type !== '', `no TYPE before ${line}`)
      const names = (SUFFIXES[family.type] ?? ['']).map((suffix) => family?.name + suffix)
      assert.ok(names.includes(sample), `${sample} is no part of ${family.name}`)
      family.samples.push({ name: sample, labels: labelsOf(labels), value: numberOf(value) })
    }
  }
  for (const one of families.values()) assertConsistent(one)
  return families
}

const seriesOf = ({ name, labels }: Sample): string => name + JSON.stringify(Object.entries(labels).sort())

function assertConsistent({ name, type, samples }: Family): void {
  const series = samples.map(seriesOf)
  assert.equal(new Set(series).size, series.length, `${name} has a series twice`)
  if (type === 'counter') for (const { value } of samples) assert.ok(value >= 0, name)
  if (type !== 'histogram') return
  const withoutLe = ({ labels: { le, ...labels } }: Sample) => JSON.stringify(Object.entries(labels).sort())
  for (const [of, members = []] of Object.entries(Object.groupBy(samples, withoutLe))) {
    const buckets = members.filter((sample) => sample.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => numberOf(labels.le ?? ''))
    const counts = buckets.map(({ value }) => value)
    assert.deepEqual(
      [...bounds].sort((a, b) => a - b),
      bounds,
      `${name}${of}: bounds are out of order`,
    )
    assert.deepEqual(
      [...counts].sort((a, b) => a - b),
      counts,
      `${name}${of}: counts fall`,
    )
    assert.equal(bounds.at(-1), Infinity, `${name}${of}: no last bucket`)
    assert.equal(members.find((sample) => sample.name === `${name}_count`)?.value, counts.at(-1), `${name}${of}: count`)
    assert.ok(
      members.some((sample) => sample.name === `${name}_sum`),
      `${name}${of}: no sum`,
    )
  }
}

/** Returns the violations of those rules of `promtool check metrics` that concern names and types. */
export function lintMetrics(families: Iterable<Family>): string[] {
  return [...families].flatMap(({ name, type, help }) => [
    ...(help === '' ? [`${name}: no help text`] : []),
    ...(type === 'counter' && !name.endsWith('_total') ? [`${name}: a counter should end in _total`] : []),
    ...(type !== 'counter' && name.endsWith('_total') ? [`${name}: only counters end in _total`] : []),
    ...(/_(count|sum|bucket)$/.test(name) ? [`${name}: the suffix belongs to histograms`] : []),
    ...(/(milliseconds|_ms|minutes|hours|kilobytes|megabytes|_kb|_mb|percent)(_|$)/.test(name)
      ? [`${name}: not in base units`]
      : []),
    ...(/[A-Z]/.test(name) ? [`${name}: upper case`] : []),
    ...(/(gauge|counter|histogram|summary)(_|$)/.test(name) ? [`${name}: names its type`] : []),
  ])
}

/** Returns the sum of the series with these labels; 0 if there is none. */
export function total(families: Map<string, Family>, name: string, labels: Record<string, string> = {}): number {
  const family =
    families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, '')) ?? assert.fail(`no ${name}`)
  return family.samples
    .filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )
    .reduce((sum, { value }) => sum + value, 0)
}
