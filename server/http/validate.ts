/** Validates `data` against its schema and reports every fault in the caller's terms (rules/contract.md#faults-of-a-body, rules/contract.md#unknown-fields). */
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { LIMITS } from '#contract/limits.ts'
import { atOnce, type Steps } from '#platform/slices.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { countLimitFaults, mayExceedCounts } from './validation/counts.ts'
import { dropUnknown, openObjectFaults, protectionFaults, refuseUnimplemented } from './validation/fields.ts'
import { type Fault, type SchemaNode, someSchema } from './validation/schema.ts'
import { faultsOf, type SchemaError } from './validation/sentences.ts'
import { storableFaults } from './validation/storable.ts'

/**
 * The validator stops after this many errors. It reports up to three for one fault, and one for each unknown field before
 * the error that names them all; we drop the duplicates. With a lower maximum, a body could fail without any reported fault.
 */
Settings.Set({ maxErrors: 10 * LIMITS.faultsMax })

type FindFaults<Result> = (value: unknown, mayBeUnstorable: boolean) => Result

/**
 * Returns a function that finds the faults of a value in steps, the first 100; without faults the value matches the schema.
 * The schema is compiled with the first value: the server starts a quarter of a second sooner, and most servers never serve
 * every operation.
 */
function faultSteps(schema: TSchema, strictFields: boolean): FindFaults<Steps<Fault[]>> {
  let validator: Validator | undefined
  const compiled = () => {
    validator ??= Compile(schema)
    return validator
  }
  const node = schema as SchemaNode
  const refusesAccessWords = someSchema(node, ({ accessAdvice }) => accessAdvice)
  const hasOpenObjects = someSchema(node, ({ metadata, freeform }) => metadata || freeform)
  return function* (value, mayBeUnstorable) {
    const faults: Fault[] = []
    if (mayExceedCounts(node, value, strictFields)) countLimitFaults(node, value, '', strictFields, faults)
    yield
    if (faults.length === 0) {
      if (refusesAccessWords) yield* protectionFaults(node, value, '', faults)
      const reported = new Set(faults.map(({ field }) => field))
      if (!strictFields) dropUnknown(node, value)
      if (!compiled().Check(value))
        for (const error of compiled().Errors(value) as unknown as SchemaError[])
          faults.push(...faultsOf(node, error).filter(({ field }) => !reported.has(field)))
      yield
      if (mayBeUnstorable) storableFaults(value, '', faults)
    }
    if (faults.length === 0 && hasOpenObjects) yield* openObjectFaults(node, value, '', faults)
    return faults.slice(0, LIMITS.faultsMax)
  }
}

/** Returns a function that finds the faults of a value at once. */
export function faultFinder(schema: TSchema, strictFields: boolean): FindFaults<Fault[]> {
  const steps = faultSteps(schema, strictFields)
  return (value, mayBeUnstorable) => atOnce(steps(value, mayBeUnstorable))
}

/** Returns the check of one operation. It throws INVALID_ARGUMENT with every fault, or UNIMPLEMENTED. */
export function checkSteps(schema: TSchema, strictFields: boolean): FindFaults<Steps<void>> {
  const faultsOfData = faultSteps(schema, strictFields)
  const refusesSome = strictFields && someSchema(schema as SchemaNode, ({ unimplemented }) => unimplemented)
  return function* (data, mayBeUnstorable) {
    if (refusesSome) refuseUnimplemented(schema as SchemaNode, data)
    const faults = yield* faultsOfData(data, mayBeUnstorable)
    if (faults.length > 0) throw invalidArgument(faults)
  }
}

/** Returns the same check, done at once. */
export function dataCheck(schema: TSchema, strictFields: boolean): FindFaults<void> {
  const steps = checkSteps(schema, strictFields)
  return (data, mayBeUnstorable) => atOnce(steps(data, mayBeUnstorable))
}
