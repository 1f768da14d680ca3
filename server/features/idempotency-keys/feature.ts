/** Answers that are kept under an Idempotency-Key, for repeats of the call. */
import type { CreateFeature } from '#kernel'
import { startIdempotencyKeys } from './operations.ts'

export const idempotencyKeys: CreateFeature = (kernel) => startIdempotencyKeys(kernel)
