/**
 * Generates load with wrk if it is on the PATH, otherwise with autocannon. Both cycle through the given bodies and replace
 * each `@` with a new number, so that no two requests are the same.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { percentile } from './report.ts'

export interface Load {
  url: string
  headers: Record<string, string>
  bodies: readonly string[]
  connections: number
  seconds: number
}

export interface Measured {
  /** Responses per second. */
  rate: number
  p50Ms: number
  p99Ms: number
  /** Responses other than 2xx, and failed connections. */
  errors: number
}

const run = promisify(execFile)

export const generator = await run('wrk', ['--version']).then(
  () => 'wrk' as const,
  (error: { code?: unknown }) => (error.code === 'ENOENT' ? ('autocannon' as const) : ('wrk' as const)),
)

export const load = (what: Load): Promise<Measured> => (generator === 'wrk' ? withWrk(what) : withAutocannon(what))

/**
 * Returns the medians of the rate and the p50 of each load. The loads alternate every second, so that all run under the
 * same conditions.
 */
export async function takeTurns(
  loads: Omit<Load, 'seconds'>[],
  turns: number,
): Promise<Pick<Measured, 'rate' | 'p50Ms'>[]> {
  const all: Measured[][] = loads.map(() => [])
  for (let turn = -1; turn < turns; turn++)
    for (const [nth, what] of loads.entries()) {
      const measured = await load({ ...what, seconds: 1 })
      if (measured.errors > 0) throw new Error(`${measured.errors} errors`)
      if (turn >= 0) all[nth]?.push(measured) // the first turn is a warm-up
    }
  const median = (ofOne: Measured[], of: 'rate' | 'p50Ms') =>
    percentile(
      ofOne.map((each) => each[of]),
      0.5,
    )
  return all.map((ofOne) => ({ rate: median(ofOne, 'rate'), p50Ms: median(ofOne, 'p50Ms') }))
}

/** Increases by a million per second, faster than any load, so that no two runs use the same numbers. */
const firstNumber = (): number => 4_000_000_000 + (Math.floor(Date.now() / 1000) % 50_000) * 1_000_000

const lua = (text: string): string => `[==[${text}]==]`

async function withWrk({ url, headers, bodies, connections, seconds }: Load): Promise<Measured> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-bench-'))
  const script = path.join(folder, 'load.lua')
  writeFileSync(
    script,
    `local bodies = { ${bodies.map(lua).join(',\n')} }
local headers = { ${Object.entries(headers)
      .map(([name, value]) => `[ ${lua(name)} ] = ${lua(value)}`)
      .join(', ')} }
local path = ${lua(new URL(url).pathname)}
local next = 0
request = function()
  next = next + 1
  local body = string.gsub(bodies[next % #bodies + 1], "@", string.format("%d", ${firstNumber()} + next))
  return wrk.format("POST", path, headers, body)
end
done = function(summary, latency)
  io.write(string.format("RESULT %f %f %f %d\\n", summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
`,
  )
  const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, new URL(url).origin])
  rmSync(folder, { recursive: true })
  const [rate = 0, p50Ms = 0, p99Ms = 0, errors = 0] = (/RESULT (.*)/.exec(stdout)?.[1] ?? '').split(' ').map(Number)
  return { rate, p50Ms, p99Ms, errors }
}

async function withAutocannon({ url, headers, bodies, connections, seconds }: Load): Promise<Measured> {
  let next = firstNumber()
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    // One counter for all connections: each of its own would send the same bodies at the same time.
    requests: [
      {
        method: 'POST',
        headers,
        setupRequest: (request) => {
          const number = next++
          return { ...request, body: (bodies[number % bodies.length] ?? '').replaceAll('@', String(number)) }
        },
      },
    ],
  })
  return {
    rate: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    errors: result.errors + result.non2xx,
  }
}
