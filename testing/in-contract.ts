/** Asserts that a response is one that its operation promises. Every call of every test is checked. */
import assert from 'node:assert/strict'
import { Compile } from 'typebox/compile'
import { type Operation, pathsOf } from '#contract/core/operation.ts'
import { Warnings } from '#contract/core/warnings.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { reasonsByStatus } from '#contract/reasons/reasons.ts'

const operations = new Map<string, Operation>(
  OPERATIONS.flatMap((operation) => pathsOf(operation).map((path) => [path, operation] as const)),
)

interface Promised {
  faults(data: unknown): unknown[]
  /** `NOT_FOUND organization_does_not_exist` */
  failures: Set<string>
}
const promised = new Map<Operation, Promised>()

function promisedBy(operation: Operation): Promised {
  const known = promised.get(operation)
  if (known !== undefined) return known
  const { result } = operation
  const compiled = result === undefined ? undefined : Compile(result)
  const made: Promised = {
    faults: (data) =>
      compiled === undefined
        ? data === undefined
          ? []
          : ['data without a schema']
        : compiled.Check(data)
          ? []
          : compiled.Errors(data),
    failures: new Set(
      reasonsByStatus(operation).flatMap(([status, reasons]) => reasons.map((reason) => `${status} ${reason}`)),
    ),
  }
  promised.set(operation, made)
  return made
}

const FIELDS = ['status', 'message', 'data', 'nextPageToken', 'pageToken']

const compiledWarnings = Compile(Warnings)
const warningFaults = (warnings: unknown): unknown[] =>
  compiledWarnings.Check(warnings) ? [] : compiledWarnings.Errors(warnings)

interface Received {
  body: { error?: { status: string; reason: string }; result?: Record<string, unknown> }
  text: string
}

export function assertInContract(path: string, { body, text }: Received): void {
  const operation = operations.get(path)
  if (operation === undefined) return
  const { faults, failures } = promisedBy(operation)
  if (body.error !== undefined) {
    const failure = `${body.error.status} ${body.error.reason}`
    assert.ok(failures.has(failure), `${operation.name} does not promise ${failure}`)
  } else if (body.result !== undefined) {
    const { status, message, data, ...others } = body.result
    assert.deepEqual([status, message], ['success', operation.success])
    const { warnings, ...more } = others
    if (warnings !== undefined) {
      assert.ok(operation.warns, `${operation.name} returns warnings`)
      assert.deepEqual(warningFaults(warnings), [], `${operation.name}: ${JSON.stringify(warnings)}`)
    }
    for (const name of Object.keys(more)) assert.ok(FIELDS.includes(name), `${operation.name} returns ${name}`)
    assert.deepEqual(faults(data), [], `${operation.name}: ${text.slice(0, 2_000)}`)
  }
}
