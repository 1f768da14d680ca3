/** Stores responses under an Idempotency-Key for repeated calls. */
import type { CreateFeature } from '#kernel'
import { startIdempotencyKeys } from './operations.ts'

export const idempotencyKeys: CreateFeature = (kernel) => startIdempotencyKeys(kernel)
