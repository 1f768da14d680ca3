/** Runs before each test file, and ends everything that a test or the file has started, because the next file runs in the same process. */
import './imports.ts'
import { afterAll, aroundEach, expect } from 'vitest'
import { cleanUpAfterFile, withinTest } from '../clean-up.ts'
import { measureFile } from './cpu.ts'

const recordUsage = measureFile()

aroundEach(withinTest)
// The hook that is registered first runs last.
afterAll(() => recordUsage(expect.getState().testPath ?? 'unknown', process.env.TEST_ENGINE ?? ''))
afterAll(cleanUpAfterFile)
