/** Runs before each test file: whatever a test or the file starts ends with it, because the next file runs in the same process. */
import { afterAll, aroundEach } from 'vitest'
import { cleanUpAfterFile, withinTest } from '../clean-up.ts'

aroundEach(withinTest)
afterAll(cleanUpAfterFile)
