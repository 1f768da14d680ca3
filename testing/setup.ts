/** Runs before each test file: whatever the file starts ends with it, because the next file runs in the same process. */
import { afterAll } from 'vitest'
import { cleanUpAfterFile } from './clean-up.ts'

afterAll(cleanUpAfterFile)
