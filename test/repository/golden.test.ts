/** The golden files match the code: a change of the API, the schema, a statement or a setting shows in the diff. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { goldenFiles, HOW_TO_ACCEPT } from '../../scripts/golden.ts'
import { read } from './sources.ts'

const files = await goldenFiles()

describe('golden files', () => {
  for (const [file, text] of files)
    it(`${file} matches the code`, () => {
      assert.equal(read(file), text, `${file} differs; if this is meant, ${HOW_TO_ACCEPT}`)
    })
})
