/** The golden files match the code: a change of the API, the schema, a statement or a setting shows in the diff. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { goldenFiles, HOW_TO_ACCEPT } from '../../scripts/golden.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const files = await goldenFiles()

describe('golden files', () => {
  for (const [file, text] of files)
    it(`${file} matches the code`, () => {
      assert.equal(
        readFileSync(path.join(ROOT, file), 'utf8'),
        text,
        `${file} differs; if this is meant, ${HOW_TO_ACCEPT}`,
      )
    })
})
