/**
 * Finds every fault of `data` against its schema, in the caller's terms (rules/contract.md#faults-of-a-body,
 * rules/contract.md#unknown-fields).
 */
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { LIMITS } from '../core/limits.ts'
import { prepare } from './absent.ts'
import { countLimitFaults, mayExceedCounts } from './counts.ts'
import { hasAdvice, hasOpenObject, openObjectFaults, protectionFaults } from './fields.ts'
import { ignoreFields, type UnknownFields } from './ignored.ts'
import type { Fault, SchemaNode } from './schema.ts'
import { faultsOf, type SchemaError } from './sentences.ts'
import { atOnce, type Steps } from './steps.ts'
import { storableFaults } from './storable.ts'

/**
 * The validator stops after this many errors. It reports up to three for one fault, and one for each unknown field before
 * the error that names them all; we drop the duplicates. With a lower maximum, a body could fail without any reported fault.
 */
Settings.Set({ maxErrors: 10 * LIMITS.faultsMax })

export type Check<Result> = (value: unknown, mayBeUnstorable: boolean) => Result

interface Findings {
  /** The first 100; without faults the value matches the schema. */
  faults: Fault[]
  /** The names of the fields that were removed. */
  ignored: string[]
}

/** Returns whether an error is about the number of remaining fields. That number is checked on the request as it was sent. */
const wasMet = ({ keyword, instancePath, params }: SchemaError, sent: number): boolean =>
  keyword === 'minProperties' && instancePath === '' && sent >= Number(params.limit)

const validators = new WeakMap<TSchema, Validator>()

/**
 * Compiles a schema for its first value: the server starts a quarter of a second sooner, and most servers never serve every
 * operation. Servers of one process share it.
 */
function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const compiled = Compile(schema)
  validators.set(schema, compiled)
  return compiled
}

/**
 * Returns a function that removes the ignored fields of a value and finds its faults, in steps. `hasCommenter`: the
 * word `commenter` as metadata looks like protection (rules/access.md#commenters).
 */
export function findingSteps(schema: TSchema, unknown: UnknownFields, hasCommenter = false): Check<Steps<Findings>> {
  const node = schema as SchemaNode
  return function* (value, mayBeUnstorable) {
    const faults: Fault[] = []
    const sent = node.minProperties === undefined ? 0 : Object.keys(Object(value)).length
    const ignored: string[] = []
    ignoreFields(node, value, unknown, ignored)
    if (mayExceedCounts(node, value)) countLimitFaults(node, value, '', faults)
    yield
    if (faults.length === 0) {
      if (unknown !== 'dropped') prepare(node, value)
      if (hasAdvice(node)) yield* protectionFaults(node, value, '', faults, hasCommenter)
      const unstorable: Fault[] = []
      if (mayBeUnstorable) storableFaults(value, '', unstorable, node)
      const reported = new Set([...faults, ...unstorable].map(({ field }) => field))
      if (!validatorOf(schema).Check(value))
        for (const error of validatorOf(schema).Errors(value) as unknown as SchemaError[])
          if (!wasMet(error, sent)) faults.push(...faultsOf(node, error).filter(({ field }) => !reported.has(field)))
      faults.push(...unstorable)
      yield
    }
    if (faults.length === 0 && hasOpenObject(node)) yield* openObjectFaults(node, value, '', faults)
    if (faults.length === 0) faults.push(...periodFaults(node, value))
    return { faults: faults.slice(0, LIMITS.faultsMax), ignored }
  }
}

/** Finds a period that ends before it begins: its list would be empty, as if nothing had happened. */
function periodFaults({ isPeriod }: SchemaNode, value: unknown): Fault[] {
  if (isPeriod !== true) return []
  const { from = 0, to = Infinity } = value as { from?: number; to?: number }
  return to < from ? [{ field: 'to', message: 'to must not be before the beginning of the period' }] : []
}

/** Returns a function that removes all unknown fields of a value, and finds the faults of the others at once. */
export function faultFinder(schema: TSchema): Check<Fault[]> {
  const steps = findingSteps(schema, 'dropped')
  return (value, mayBeUnstorable) => atOnce(steps(value, mayBeUnstorable)).faults
}
